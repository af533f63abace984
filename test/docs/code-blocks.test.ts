/**
 * Every block of code in the documents is checked: shell lines and frames here, calls and the encoder by `test-media/guides.test.ts`, programs by
 * `test/e2e/guides.test.ts` and `test/client/consumers/guides.test.ts`, settings of agents by `test-sdks/mcp.test.ts`, the settings of Prometheus by the drills, the rights of the database's
 * user by `test-processes/check-command.test.ts`, and those of the TURN server in `test-browser`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { readArguments } from "../../src/cli/arguments.ts"
import { isRemote, readRemoteArguments } from "../../src/cli/remote/arguments.ts"
import { CONFIG_KEYS } from "../../src/config/keys.ts"
import { COMMANDS, DISPATCHES } from "../../src/protocol/contract.ts"
import { OP } from "../../src/protocol/wire/op.ts"
import { blocksOf, CALLS, DOCUMENTS } from "../support/code-blocks.ts"

const blocks = DOCUMENTS.flatMap(blocksOf)
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)
const lines = inLanguage("sh").flatMap(({ document, code }) => code.split("\n").map((line) => ({ document, line })))

/** Languages with a test. A block whose program cannot be run is `text`, which only the internals have. */
const CHECKED = ["sh", "js", "ts", "tsx", "html", "frames", "yaml", "sql", "conf", "json"]

test("every block of code has a language that a test checks", () => {
  const others = blocks.filter(({ language, document }) => {
    const isDrawing = language === "text" && document.startsWith("docs/internals/")
    return !CHECKED.includes(language) && !isDrawing
  })
  expect(others).toEqual([])
  expect(blocks.length).toBeGreaterThan(40)
})

test("every call of the API is in a document whose calls are run", () => {
  const others = inLanguage("sh").filter(
    ({ document, code }) => /curl .*\$(?:BASE|URL)\b/.test(code) && ![...CALLS, "README.md"].includes(document),
  )
  expect(others).toEqual([])
})

test("the shell reads every block", () => {
  for (const { document, code } of inLanguage("sh")) {
    expect(() => execFileSync("bash", ["-n"], { input: code, stdio: "pipe" }), `${document}: ${code}`).not.toThrow()
  }
})

/** An assignment before a command or an export. */
const ASSIGNED = /(?:^| )([A-Z][A-Z0-9_]*)=(?:"[^"]*"|\$\([^)]*\)|\S*)/g
const COMMAND =
  /(?:^|&& )(?:sudo -u \w+ (?:env )?)?(?:[A-Z][A-Z0-9_]*=\S+ )*(?:gathercue|node dist\/src\/main\.js)((?: (?!&|#| ).\S*)*)/g

test("every command of the product is one that it takes", () => {
  const commands = lines.flatMap(({ line }) =>
    Array.from(line.matchAll(COMMAND), ([, rest = ""]) =>
      rest
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ""),
    ),
  )
  for (const words of commands) {
    const read = isRemote(words) ? readRemoteArguments : readArguments
    expect(() => read(words), words.join(" ")).not.toThrow()
  }
  expect(commands.length).toBeGreaterThan(15)
})

test("every key that is set before the product is one of its keys, but for a password of PostgreSQL's own tools", () => {
  const known: ReadonlySet<string> = new Set(CONFIG_KEYS.map(({ name }) => name))
  const starts = lines.filter(({ line }) =>
    /^(?:export |[A-Z_0-9]+=\S+ .*(?:gathercue |dist\/src|npm start))/.test(line),
  )
  const keys = starts.flatMap(({ line }) => Array.from(line.matchAll(ASSIGNED), ([, key = ""]) => key))
  expect(keys.filter((key) => !known.has(key) && key !== "PGPASSWORD")).toEqual([])
  expect(keys.length).toBeGreaterThan(10)
})

test("every script that a document runs is in the package", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  const named = DOCUMENTS.flatMap((document) =>
    Array.from(
      readFileSync(new URL(`../../${document}`, import.meta.url), "utf8").matchAll(/`[^`]*\bnpm run ([\w:-]+)/g),
      ([, name = ""]) => name,
    ),
  )
  expect(named.filter((name) => !Object.hasOwn(scripts, name) && name !== "dev")).toEqual([])
  expect(named.length).toBeGreaterThan(10)
})

test("every frame of the tutorial has an op, and a command or dispatch, of the protocol", () => {
  const frames = inLanguage("frames").map(({ code }) => code)
  const text = frames.join("\n")
  const names: ReadonlySet<string> = new Set([...Object.keys(COMMANDS), ...Object.keys(DISPATCHES)])
  const ops: ReadonlyArray<number> = Object.values(OP)
  const used = Array.from(
    text.matchAll(/"op":(\d+)(?:,"(?:id|st)":"[^"]*")?(?:,"s":\d+,"v":\d+(?:,"ts":\d+)?)?(?:,"t":"([\w.]+)")?/g),
  )
  expect(used.filter(([, op]) => !ops.includes(Number(op)))).toEqual([])
  const named = used.flatMap(([, , name]) => (name === undefined ? [] : [name]))
  expect(named.filter((name) => !names.has(name))).toEqual([])
  expect(named.length).toBeGreaterThan(15)
})
