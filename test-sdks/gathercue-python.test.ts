/** The client for Python (`packages/python/`): its wheel, its types, and its promises, which are those of the TypeScript client. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cp, readdir } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { type Drive, NAMED_VECTORS, play, type Told } from "../test/client/vectors/play.ts"
import { createWorkspace } from "../test/support/api.ts"
import { sharedServer } from "../test/support/shared.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { place, run, tools } from "./support/generation.ts"

const SOURCE = fileURLToPath(new URL("../packages/python/", import.meta.url))
const PROGRAMS = ["gathercue_bounds.py", "gathercue_live.py", "gathercue_vectors.py"]

/** A folder with the built package, the programs, and an environment in which nothing but the package and what it needs is installed. */
let folder: string
let installed: string
const tool = (...args: ReadonlyArray<string>): Promise<string> =>
  run(join(tools().python, "python"), ["-m", ...args], { cwd: folder })

beforeAll(async () => {
  folder = await temporaryFolder(afterAll)
  await cp(SOURCE, join(folder, "python"), { recursive: true, filter: (path) => !path.endsWith("__pycache__") })
  for (const program of PROGRAMS) await place(program, join(folder, program))
  await run(join(tools().python, "python"), ["-m", "hatchling", "build"], { cwd: join(folder, "python") })
  await run("python3", ["-m", "venv", join(folder, "environment")])
  installed = join(folder, "environment/bin/python")
  const wheel = join(folder, "python/dist/gathercue-0.1.0-py3-none-any.whl")
  await run(installed, ["-m", "pip", "install", "-q", "--no-index", "--find-links", tools().wheels, wheel])
})

const REDIRECTED = `
import asyncio, json, sys
from gathercue import TokenRefused, gateway_token
try:
    asyncio.run(gateway_token(sys.argv[1], "e", "session"))
except TokenRefused as refused:
    print(json.dumps([refused.status, refused.code]))
`

const METADATA = `
import importlib.metadata as of, json
package = of.metadata("gathercue")
files = sorted(str(file) for file in of.files("gathercue") if not str(file).endswith((".pyc", "RECORD", "INSTALLER", "REQUESTED", "direct_url.json")))
wanted = ["Name", "Version", "Requires-Python", "License-Expression", "Description-Content-Type", "Requires-Dist"]
print(json.dumps([{name: package[name] for name in wanted}, package.get_all("Requires-Dist"), files]))
`

describe("the wheel", () => {
  test("needs `websockets` alone, and has the version of the server, its types and nothing else of this repository", async () => {
    const [metadata, needs, files] = JSON.parse(await run(installed, ["-c", METADATA]))
    expect(metadata).toMatchObject({
      Name: "gathercue",
      Version: "0.1.0",
      "Requires-Python": ">=3.10",
      "License-Expression": "Apache-2.0",
      "Description-Content-Type": "text/markdown",
    })
    expect(needs).toEqual(["websockets<18,>=13"])
    const modules = (await readdir(join(SOURCE, "src/gathercue"))).filter((name) => name !== "__pycache__")
    expect(modules).toContain("py.typed")
    const info = ["METADATA", "WHEEL", "licenses/LICENSE"].map((name) => `gathercue-0.1.0.dist-info/${name}`)
    expect(files).toEqual([...info, ...modules.map((name) => `gathercue/${name}`)].toSorted())
    expect(await readdir(join(folder, "python/dist"))).toContain("gathercue-0.1.0.tar.gz")
  })

  test("is formatted, and typed as strictly as mypy can, as are programs that use it", async () => {
    await tool("ruff", "format", "--check", "python")
    await tool("ruff", "check", "python")
    const strict = ["mypy", "--strict", "--python-version", "3.10", "--python-executable", installed]
    await tool(...strict, "python/src")
    await tool(...strict, ...PROGRAMS)
  })
})

describe("a first live event", () => {
  const server = sharedServer()

  test("is followed without a loss while its connection is cut, and a command of that time is executed once", async () => {
    const { key } = await createWorkspace(server.url)
    const program = ["-X", "dev", "-W", "error", "gathercue_live.py", server.url, key]
    const printed = JSON.parse(await run(installed, program, { cwd: folder }))
    const [announcements, texts, phases, resumed, refusal, isSame, statuses] = printed
    expect(announcements).toEqual(["one", "two", "three", "last"])
    expect(texts).toEqual(["before", "meanwhile", "after"])
    expect([phases, resumed, refusal, isSame]).toEqual([["broadcast", "meeting"], [true], "forbidden", true])
    expect(statuses.filter((status: string) => status === "ready" || status === "closed")).toEqual([
      "ready",
      "ready",
      "closed",
    ])
  })
})

test("waiting dispatches and commands have bounds, which are told to whoever exceeds them", async () => {
  const program = ["-X", "dev", "-W", "error", "gathercue_bounds.py"]
  const [slow, quick, commands, isCancelled, late] = JSON.parse(await run(installed, program, { cwd: folder }))
  expect(slow).toEqual([1, 2, 3, 4, "lost"])
  expect(quick).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "ended"])
  expect(commands).toEqual(["too many", "unanswered", "unanswered"])
  expect([isCancelled, late]).toEqual([true, ["ended"]])
})

test("a token request follows no redirect, which would carry the session to another address", async () => {
  const paths: Array<string | undefined> = []
  const elsewhere = createServer(({ url }, answer) => {
    paths.push(url)
    answer.writeHead(302, { location: "/elsewhere", "content-length": "0" }).end()
  })
  elsewhere.listen(0, "127.0.0.1")
  await once(elsewhere, "listening")
  onTestFinished(() => void elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const printed = await run(installed, ["-X", "dev", "-W", "error", "-c", REDIRECTED, `http://127.0.0.1:${port}`])
  expect([JSON.parse(printed), paths]).toEqual([[302, "unknown"], ["/v1/auth/gateway-token"]])
})

describe("the promises of every client", () => {
  const drive: Drive = (baseUrl, options) => {
    const told: Told = { dispatches: [], status: [], replies: {} }
    const args = ["-X", "dev", "-W", "error", "gathercue_vectors.py", baseUrl, JSON.stringify(options)]
    const program = spawn(installed, args, { cwd: folder })
    let errors = ""
    program.stderr.on("data", (text) => {
      errors += text
    })
    const left = new Promise<void>((resolve, reject) => {
      program.on("close", (code) =>
        code === 0 && errors === "" ? resolve() : reject(new Error(`ended with ${code}: ${errors}`)),
      )
    })
    const ended = new Promise<void>((resolve) => {
      createInterface(program.stdout).on("line", (line) => {
        const [about, entry] = JSON.parse(line)
        if (about === "replies") told.replies[entry[0]] = entry[1]
        else if (about === "ended") resolve()
        else told[about as "dispatches" | "status"].push(entry)
      })
    })
    const say = (action: unknown): void => {
      if (program.stdin.writable) program.stdin.write(`${JSON.stringify(action)}\n`)
    }
    return {
      told,
      command: say,
      close: () => say(null),
      stall: (ms) => say(ms),
      ended: async () => {
        await Promise.race([ended, left])
        program.stdin.end()
        await left
      },
      kill: () => program.kill(),
    }
  }

  test.each(NAMED_VECTORS)("%s", (_name, vector) => play(vector, drive))
})
