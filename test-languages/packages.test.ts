/** The packages as they are published: their contents are what registries, bundlers and TypeScript expect, and the server starts from its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { run } from "../test-sdks/support/running.ts"
import { inPackages, ROOT } from "./support/programs.ts"

let folder: string
beforeAll(async () => {
  folder = await temporaryFolder(afterAll)
})

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const packed = new Map<string, Promise<Packed>>()
/** Each package is built once. What a build prints comes before the JSON. */
const pack = (cwd: string): Promise<Packed> => {
  const known = packed.get(cwd)
  if (known !== undefined) return known
  const made = run("npm", ["pack", "--json", "--pack-destination", folder], { cwd }).then(
    (printed) => JSON.parse(printed.slice(printed.search(/^\[$/m)))[0] as Packed,
  )
  packed.set(cwd, made)
  return made
}

/** What `npm ci` fetched is not asked for again. */
const INSTALL = ["install", "--no-audit", "--no-fund", "--prefer-offline"]

const program = (path: string): string => join(inject("languageTools").npm, "node_modules", path)

test.each(["client", "conformance", "create-app"])(
  "%s passes publint, attw and a dry run of its publication",
  async (name) => {
    const cwd = inPackages(name)
    const { filename } = await pack(cwd)
    const tarball = join(folder, filename)
    await run(process.execPath, [program("publint/src/cli.js"), "run", tarball, "--strict"])
    // It is a program without a module to import.
    if (name !== "create-app")
      await run(process.execPath, [program("@arethetypeswrong/cli/dist/index.js"), tarball, "--profile", "esm-only"])
    await run("npm", ["publish", "--dry-run", "--ignore-scripts", "--access", "public", tarball], { cwd: folder })
  },
)

test("the kit runs by its name", async () => {
  const { filename } = await pack(inPackages("conformance"))
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, "package.json"), '{"private":true}')
  await run("npm", [...INSTALL, join(folder, filename)], { cwd })
  expect(await run("npx", ["gathercue-conformance", "--help"], { cwd })).toContain("gathercue-conformance server --url")
  const server = ["server", "--url", "http://127.0.0.1:1", "--key", "gck_x"]
  for (const [args, said] of [
    [["client", "--only", "nothing", "--", "true"], 'There is no promise "nothing": there are '],
    [[...server, "--only", "nothing"], 'There is no promise "nothing": there are '],
    [[...server, "--jobs", "0"], "--jobs takes an integer from 1 to 64."],
    [server, "The server at http://127.0.0.1:1 gives no answer."],
  ] as const) {
    await expect(run("npx", ["gathercue-conformance", ...args], { cwd })).rejects.toThrow(said)
  }
})

test("`npx gathercue` starts the server from its package, on its embedded database", async () => {
  const { filename, size, files } = await pack(ROOT)
  expect(files.map(({ path }) => path)).toContain("dist/src/main.js")
  const foreign = files.filter(({ path }) => !/^(?:dist\/src\/|LICENSE|NOTICE|README\.md|package\.json)/.test(path))
  expect([foreign, size < 8_000_000]).toEqual([[], true])
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, "package.json"), '{"private":true}')
  await run("npm", [...INSTALL, join(folder, filename)], { cwd })
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    PORT: "0",
    LOG_LEVEL: "error",
    DATA_DIR: join(cwd, ".data"),
  }
  const server = spawn("npx", ["gathercue"], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  const ended = once(server, "close")
  onTestFinished(async () => {
    if (server.exitCode === null) process.kill(-(server.pid ?? 0), "SIGTERM")
    await ended
  })
  let errors = ""
  server.stderr.on("data", (text) => {
    errors += text
  })
  let url: string | undefined
  for await (const line of createInterface(server.stdout)) {
    url = /listens on (\S+)/.exec(line)?.[1]
    if (url !== undefined) break
  }
  expect([url, errors]).toEqual([expect.stringContaining("http://"), ""])
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
