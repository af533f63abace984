/** The files and folders that documents and comments name exist, each name means one of them, links lead somewhere, and no document outgrows its readers. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

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
  "test-processes",
  "test-languages",
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

/** Markdown of the project, wherever it stands. */
const documents = ["README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"]
  .map((name) => `${name}.md`)
  .concat(paths.filter((path) => path.endsWith(".md") && !path.startsWith("src/")))

test.each(documents)("%s names files and folders that exist", (document) => {
  expect(quotedIn(textOf(document)).filter((name) => isWrong(name, document))).toEqual([])
})

const KILOBYTE = 1024
/** The most bytes of a document, in kilobytes: a reader reads a page to its end, and no page has two purposes. */
const LARGEST: ReadonlyArray<readonly [pattern: RegExp, kilobytes: number]> = [
  [/^README\.md$/, 9],
  [/^ARCHITECTURE\.md$/, 24],
  [/^CONTRIBUTING\.md$/, 6],
  [/^CHANGELOG\.md$/, 6],
  [/^benchmarks\/README\.md$/, 12],
  [/^docs\/gateway\.md$/, 14],
  [/^docs\/internals\//, 8],
  [/^docs\//, 16],
]
const bytesOf = (document: string): number => Buffer.byteLength(textOf(document))
const bounded = documents.filter((document) => LARGEST.some(([pattern]) => pattern.test(document)))

test.each(bounded)("%s is no longer than its kind may be", (document) => {
  const [, kilobytes = 0] = LARGEST.find(([pattern]) => pattern.test(document)) ?? []
  expect(bytesOf(document)).toBeLessThanOrEqual(kilobytes * KILOBYTE)
})

test("all documents together, without the generated reference, are at most 300 KB", () => {
  const written = bounded.filter((document) => !document.startsWith("docs/reference/"))
  expect(written.length).toBeGreaterThan(40)
  expect(written.map(bytesOf).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(300 * KILOBYTE)
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

test("the architecture names the main files of the sources, and its pages most of the others", () => {
  expect(new Set(quotedIn(textOf("ARCHITECTURE.md"))).size).toBeGreaterThan(50)
  const internals = documents.filter((document) => document.startsWith("docs/internals/"))
  expect(new Set(internals.flatMap((document) => quotedIn(textOf(document)))).size).toBeGreaterThan(130)
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
  expect(links.length).toBeGreaterThan(120)
  expect(wrong).toEqual([])
})
