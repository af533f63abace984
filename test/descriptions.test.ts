/** The descriptions that the build writes are those that a server from sources makes, and the server only reads them. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { descriptionsOf } from "../src/app/descriptions.ts"
import { compiled } from "./support/compiled.ts"
import { temporaryFolder } from "./support/temporary-folder.ts"

const KINDS = ["openapi", "asyncapi", "reference"] as const
const ABSENT = pathToFileURL("/no-such-folder/")

let folder: string
beforeAll(async () => {
  folder = await temporaryFolder(afterAll)
  await promisify(execFile)(process.execPath, [await compiled("src/app/write-descriptions.ts"), folder])
})

test.each(["http://127.0.0.1:8080", "https://events.example.com", "https://example.com:8443/events"])(
  "at %s they are the same, with and without a build",
  async (publicUrl) => {
    for (const kind of KINDS) {
      const text = Buffer.from(await Effect.runPromise(descriptionsOf(pathToFileURL(`${folder}/`), publicUrl)[kind]))
      const made = Buffer.from(await Effect.runPromise(descriptionsOf(ABSENT, publicUrl)[kind]))
      expect(text.length).toBeGreaterThan(10_000)
      // Not `toEqual`: the difference of three megabytes is of no use to a reader.
      expect(text.equals(made), kind).toBe(true)
    }
  },
)

test("with a build nothing is made", async () => {
  const own = await temporaryFolder()
  for (const name of ["openapi.json", "asyncapi.json", "reference.txt"]) await writeFile(join(own, name), name)
  const descriptions = descriptionsOf(pathToFileURL(`${own}/`), "https://events.example.com")
  const texts = await Promise.all(KINDS.map((kind) => Effect.runPromise(descriptions[kind])))
  expect(texts.map(String)).toEqual(["openapi.json", "asyncapi.json", "reference.txt"])
})
