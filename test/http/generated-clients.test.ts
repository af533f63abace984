/** Clients that public generators make of the description: they compile, they work, and their names are those of the API. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { generateSource } from "oazapfts"
import { generateApi } from "swagger-typescript-api"
import { expect, test } from "vitest"
import { apiDescription } from "../../src/http/description/openapi.ts"
import { createWorkspace } from "../support/api.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const CLASS_PROGRAM = `import { Api, type Event, type Problem } from "./api.js"
const api = new Api({ baseUrl: "$URL", baseApiParams: { headers: { "x-api-key": "$KEY" } } })
const { data: made } = await api.v1.createEvent({ type: "webinar", title: "Generated", phases: [{ modality: "meeting" }] })
const event: Event = made
const { data: read } = await api.v1.getEvent(event.id)
const missing = await api.v1.getEvent("0196a1f0-0000-7000-8000-000000000007").catch(({ error }: { error: Problem }) => error)
const code = "code" in missing ? missing.code : ""
const { data: page } = await api.v1.listEvents({ limit: 2 })
console.log(page.events[0]?.title, read.status, read.phases[0]?.modality, code)
`

const FUNCTION_PROGRAM = `import { createEvent, defaults, type Event, getEvent, listEvents } from "./api.js"
defaults.baseUrl = "$URL"
defaults.headers = { "x-api-key": "$KEY" }
const made = await createEvent({ type: "webinar", title: "Generated", phases: [{ modality: "meeting" }] })
if (made.status !== 201) throw new Error(made.data.detail)
const event: Event = made.data
const read = await getEvent(event.id)
const missing = await getEvent("0196a1f0-0000-7000-8000-000000000007")
const page = await listEvents({ limit: 2 })
if (read.status !== 200 || missing.status !== 404 || page.status !== 200) throw new Error("another answer was due")
console.log(page.data.events[0]?.title, read.data.status, read.data.phases[0]?.modality, missing.data.code)
`

const TSC_OPTIONS = [
  ["--module", "nodenext"],
  ["--target", "es2023"],
  ["--lib", "es2023,dom,dom.iterable"],
  ["--strict", "--skipLibCheck"],
  ["--types", ""],
].flat()

/** Writes the description and the program into a folder, has them compiled, and tells what the program prints. */
const generated = async (program: string, generate: (input: string, folder: string) => Promise<unknown>) => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-generated-"))
  try {
    // A generated client may import the library of its generator.
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
    const input = join(folder, "openapi.json")
    await writeFile(input, await Effect.runPromise(apiDescription(server.url, "gc_session").json))
    await generate(input, folder)
    const acme = await createWorkspace(server.url)
    await writeFile(join(folder, "smoke.ts"), program.replace("$URL", server.url).replace("$KEY", acme.key))
    await writeFile(join(folder, "package.json"), '{"type":"module"}')
    const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc")
    const run = promisify(execFile)
    await run(process.execPath, [tsc, ...TSC_OPTIONS, "--outDir", folder, join(folder, "smoke.ts")], { cwd: folder })
    const { stdout } = await run(process.execPath, [join(folder, "smoke.js")], { cwd: folder })
    return { printed: stdout.trim(), client: await readFile(join(folder, "api.ts"), "utf8") }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const typesOf = (client: string): ReadonlyArray<string> =>
  [...client.matchAll(/^export (?:type|interface|enum) (\w+)/gm)].map(([, name = ""]) => name)

test.each([
  {
    generator: "swagger-typescript-api",
    program: CLASS_PROGRAM,
    generate: (input: string, output: string) =>
      generateApi({ input, output, fileName: "api.ts", silent: true, generateUnionEnums: true }),
  },
  {
    generator: "oazapfts",
    program: FUNCTION_PROGRAM,
    generate: async (input: string, output: string) => {
      await writeFile(join(output, "api.ts"), await generateSource(input))
    },
  },
])("a client that $generator makes of it compiles strictly and works, with the names of the API", async (one) => {
  const { printed, client } = await generated(one.program, one.generate)
  expect(printed).toBe("Generated draft meeting not_found")
  const names = typesOf(client)
  expect(names).toEqual(expect.arrayContaining(["Event", "EventInput", "EventPage", "Phase", "Question", "Problem"]))
  expect(names.filter((name) => /\d$/.test(name))).toEqual([])
})
