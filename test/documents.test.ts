/** The files that documents and comments name exist, and each name means one file. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const ROOT = new URL("..", import.meta.url)
const FOLDERS = ["src", "test", "scripts", "benchmarks", "examples"]
const files = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
)

/** Paths in backticks. They may begin anywhere in the path of the file: `pool/pool.ts` is `src/store/pool/pool.ts`. */
const namedIn = (document: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(new URL(document, ROOT), "utf8").matchAll(/`([\w./-]+\.(?:ts|mjs|sql|js))`/g),
    ([, name = ""]) => name,
  )

/** A name means the file at that path under the root or under src/, else one file anywhere, else one beside the text. */
const isWrong = (name: string, document: string): boolean => {
  const beside = `${document.slice(0, document.lastIndexOf("/") + 1)}${name}`
  const exact = files.filter((file) => [name, `src/${name}`, beside].includes(file))
  return exact.length !== 1 && files.filter((file) => file.endsWith(`/${name}`)).length !== 1
}

test.each([
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "README.md",
  "docs/gateway.md",
  "docs/reliability.md",
  "benchmarks/README.md",
])("%s names files that there are", (document) => {
  expect(namedIn(document).filter((name) => isWrong(name, document))).toEqual([])
})

test("the comments of the sources name files that there are", () => {
  const sources = files.filter((file) => file.startsWith("src/") && file.endsWith(".ts"))
  const named = sources.flatMap((file) => namedIn(file).map((name) => ({ file, name })))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ file, name }) => isWrong(name, file))).toEqual([])
})

test("the architecture names most of the road", () => {
  expect(new Set(namedIn("ARCHITECTURE.md")).size).toBeGreaterThan(50)
})
