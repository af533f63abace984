/**
 * Rules about files that the linter does not know: tests that are left out, `any` without a reason, and text that is folded in a
 * way of its own.
 * Lists every breach and exits 1.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const FOLDERS = [
  "src",
  "packages",
  "test",
  "test-nodes",
  "test-processes",
  "test-media",
  "test-browser",
  "test-drills",
  "test-livekit",
  "test-languages",
  "test-sdks",
  "benchmarks",
  "chaos",
  "demo",
  "capacity",
]

const files = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".ts") && !/(?:^|\/)(?:node_modules|dist)\//.test(name))
    .map((name) => join(folder, name)),
)

const LEFT_OUT =
  /\b(?:describe|test|it|suite)(?:\.\w+)*\.(?:skip|only|todo|fails)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\(/
const ANY_TYPE = /(?:[:<,|&=(]|\bas|\bextends|=>)\s*any\b(?!\s*[:(])/
const REASON = /\/\/\s*\S+|\/\*.*\S.*\*\//

/** What people write is compared in the forms of one folder. */
const FOLDING = /\.(?:to(?:Locale)?(?:Lower|Upper)Case|normalize|localeCompare)\(/
const mayFold = (file) => !file.startsWith("src/") || file.startsWith("src/model/text/")

/** Text in quotes is no code; a comment is no code either, but may be the reason asked for. */
const withoutStrings = (line) => line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""')
const withoutComments = (line) => (/^\s*(?:\/?\*|\/\/)/.test(line) ? "" : line.replace(/\/\/.*$|\/\*.*?\*\//g, ""))

function breachesOf(file) {
  const lines = readFileSync(join(root, file), "utf8").replace(/\n$/, "").split("\n")
  const found = []
  for (const [index, text] of lines.entries()) {
    const line = withoutStrings(text)
    const code = withoutComments(line)
    const at = `${file}:${index + 1}`
    if (file.endsWith(".test.ts") && LEFT_OUT.test(code)) found.push(`${at}: a test is left out or run alone`)
    if (FOLDING.test(code) && !mayFold(file)) found.push(`${at}: text is folded by src/model/text/compared.ts alone`)
    if (ANY_TYPE.test(code) && !REASON.test(line)) found.push(`${at}: \`any\` without a reason on its line`)
  }
  return found
}

const breaches = files.flatMap(breachesOf)
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(`${files.length} files checked`)
