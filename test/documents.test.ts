/** The files that the documents name exist, and each name means one file. */
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

test.each([
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "README.md",
  "docs/gateway.md",
  "docs/reliability.md",
  "benchmarks/README.md",
])("%s names files that there are", (document) => {
  const wrong = namedIn(document).filter((name) => {
    const exact = files.filter((file) => file === name || file === `src/${name}`)
    return exact.length !== 1 && files.filter((file) => file.endsWith(`/${name}`)).length !== 1
  })
  expect(wrong).toEqual([])
})

test("the architecture names most of the road", () => {
  expect(new Set(namedIn("ARCHITECTURE.md")).size).toBeGreaterThan(50)
})
