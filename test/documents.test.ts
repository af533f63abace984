/** The files and folders that documents and comments name exist, and each name means one of them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { MEDIA_FAILURES } from "../src/model/media/recording.ts"

const ROOT = new URL("..", import.meta.url)
const FOLDERS = [
  "src",
  "packages",
  "test",
  "test-browser",
  "test-drills",
  "test-livekit",
  "test-media",
  "test-nodes",
  "test-sdks",
  "scripts",
  "benchmarks",
  "examples",
  "chaos",
  "demo",
  "capacity",
  "deploy",
  "docs",
]
const paths = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, withFileTypes: true })
    // Neither what is installed nor what is built.
    .filter(({ parentPath }) => !/\/(?:node_modules|dist)(?:\/|$)/.test(parentPath))
    .map((entry) => {
      const path = `${entry.parentPath}/${entry.name}`.slice(ROOT.pathname.length).replace("//", "/")
      return entry.isDirectory() ? `${path}/` : path
    }),
).concat(FOLDERS.map((folder) => `${folder}/`))

/** A file, or a folder with a slash at its end. */
const NAME = String.raw`(?:[\w-][\w.-]*\/)*(?:[\w.-]+\.(?:ts|mjs|sql|js)|[\w-][\w.-]*\/)`
/** In backticks. A name may be broken over the end of a line, after a slash or within a word. */
const QUOTED = /`([\w./-]+(?:\n[ \t]*(?:\*|\/\/|--)?[ \t]*[\w./-]+)?)`/g
const BARE = new RegExp(String.raw`(?<![\w/.\`"<*@:{-])(${NAME})(?![\w/\`"*{}-])`, "g")

const textOf = (file: string): string => readFileSync(new URL(file, ROOT), "utf8")

/** Names may begin anywhere in the path of the file: `pool/pool.ts` is `src/store/pool/pool.ts`. */
const quotedIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(QUOTED), ([, name = ""]) => name.replace(/\n[ \t]*(?:\*|\/\/|--)?[ \t]*/, "")).filter(
    (name) => new RegExp(`^${NAME}$`).test(name),
  )

/** The lines of comments, without the rest of the file. */
const commentsOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => /^\s*(?:\/?\*|\/\/|--)/.test(line))
    .join("\n")

/** Names of files in comments, also without backticks. */
const namedInComments = (file: string): ReadonlyArray<string> => {
  const comments = commentsOf(textOf(file))
  const bare = Array.from(comments.matchAll(BARE), ([, name = ""]) => name)
  return [...quotedIn(comments), ...bare.filter((name) => /\.(?:ts|mjs|sql)$/.test(name))]
}

/** A name means the path under the root or under src/, else one path anywhere, else one beside the text. */
const isWrong = (name: string, document: string): boolean => {
  const beside = `${document.slice(0, document.lastIndexOf("/") + 1)}${name}`
  const exact = paths.filter((path) => [name, `src/${name}`, beside].includes(path))
  return exact.length !== 1 && paths.filter((path) => path.endsWith(`/${name}`)).length !== 1
}

test.each([
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
  "docs/clients.md",
  "docs/concepts.md",
  "docs/gateway.md",
  "docs/operation.md",
  "docs/reliability.md",
  "docs/rest.md",
  "docs/scaling.md",
  "docs/security.md",
  "benchmarks/README.md",
  "examples/README.md",
])("%s names files and folders that exist", (document) => {
  expect(quotedIn(textOf(document)).filter((name) => isWrong(name, document))).toEqual([])
})

test.each([
  ["the sources", /^(?:src|packages)\/.*\.ts$/, 20],
  ["SQL", /^src\/store\/sql\/.*\.sql$/, 2],
  ["the tests", /^test\/.*\.ts$/, 5],
])("the comments of %s name files and folders that exist", (_of, pattern, atLeast) => {
  const named = paths
    .filter((path) => pattern.test(path))
    .flatMap((file) => namedInComments(file).map((name) => ({ file, name })))
  expect(named.length).toBeGreaterThan(atLeast)
  expect(named.filter(({ file, name }) => isWrong(name, file))).toEqual([])
})

test("a name over the end of a line and a folder are found", () => {
  expect(quotedIn("in `actors/domain/` and `identity/\n * partners/partner-keys.ts`, not `/v1/events`, `x.y`")).toEqual(
    ["actors/domain/", "identity/partners/partner-keys.ts"],
  )
  expect(isWrong("actors/activities/", "ARCHITECTURE.md")).toBe(true)
  expect(isWrong("identity/partner-keys.ts", "ARCHITECTURE.md")).toBe(true)
})

test("the architecture names most of the sources' main files", () => {
  expect(new Set(quotedIn(textOf("ARCHITECTURE.md"))).size).toBeGreaterThan(50)
})

test("the README explains every failure of recordings and clips", () => {
  const readme = textOf("README.md")
  for (const [code, meaning] of Object.entries(MEDIA_FAILURES)) expect(readme).toContain(`| \`${code}\` | ${meaning} |`)
})

const anchorsIn = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} (.+)$/gm), ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-"),
    ),
  )

test("links between documents lead to a file, and to a heading that it has", () => {
  const documents = ["README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"]
    .map((name) => `${name}.md`)
    .concat(paths.filter((path) => path.endsWith(".md") && !path.startsWith("src/")))
  const links = documents.flatMap((document) =>
    Array.from(textOf(document).matchAll(/\]\(([^)\s:]+)\)/g), ([, href = ""]) => ({ document, href })),
  )
  const wrong = links.filter(({ document, href }) => {
    // An address of a server.
    if (href.startsWith("/")) return false
    const [path = "", anchor] = href.split("#")
    const target = path === "" ? new URL(document, ROOT) : new URL(path, new URL(document, ROOT))
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchorsIn(readFileSync(target, "utf8")).has(anchor)
  })
  expect(links.length).toBeGreaterThan(40)
  expect(wrong).toEqual([])
})
