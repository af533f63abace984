/** The client for Python (`packages/python/`): its wheel, its types, and what is not in the vectors. */
import { once } from "node:events"
import { cp, readdir } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createWorkspace } from "../test/support/api.ts"
import { sharedServer } from "../test/support/shared.ts"
import { run } from "../test-sdks/support/running.ts"
import { inPackages, installPython, pythonTool, ROOT } from "./support/programs.ts"

const PROGRAMS = ["gathercue_bounds.py", "gathercue_live.py"]
const ADAPTER = "gathercue_adapter.py"

let folder: string
let installed: string
const tool = (...args: ReadonlyArray<string>): Promise<string> => pythonTool(folder, ...args)

beforeAll(async () => {
  const house = await installPython(afterAll)
  folder = house.folder
  installed = house.python
  for (const program of PROGRAMS) await cp(join(ROOT, "test-languages/programs", program), join(folder, program))
  await cp(inPackages("conformance/adapters", ADAPTER), join(folder, ADAPTER))
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
    const modules = (await readdir(inPackages("python/src/gathercue"))).filter((name) => name !== "__pycache__")
    expect(modules).toContain("py.typed")
    const info = ["METADATA", "WHEEL", "licenses/LICENSE"].map((name) => `gathercue-0.1.0.dist-info/${name}`)
    expect(files).toEqual([...info, ...modules.map((name) => `gathercue/${name}`)].toSorted())
    expect(await readdir(join(folder, "python/dist"))).toContain("gathercue-0.1.0.tar.gz")
    const built = (await readdir(join(folder, "python/dist"))).map((name) => join("python/dist", name))
    await tool("twine", "check", "--strict", ...built)
  })

  test("is formatted, and typed as strictly as mypy can, as are programs that use it", async () => {
    await tool("ruff", "format", "--check", "python")
    await tool("ruff", "format", "--check", "--line-length", "120", ADAPTER, ...PROGRAMS)
    await tool("ruff", "check", "python")
    const strict = ["mypy", "--strict", "--python-version", "3.10", "--python-executable", installed]
    await tool(...strict, "python/src")
    await tool(...strict, ADAPTER, ...PROGRAMS)
  })
})

describe("a first live event", () => {
  const server = sharedServer()

  test("is followed without a loss while its connection is cut, a command of that time is executed once, and the event is replayed", async () => {
    const { key } = await createWorkspace(server.url)
    const program = ["-X", "dev", "-W", "error", "gathercue_live.py", server.url, key]
    const printed = JSON.parse(await run(installed, program, { cwd: folder }))
    const [announcements, texts, phases, resumed, refusal, isSame, statuses, replayed] = printed
    expect(announcements).toEqual(["one", "two", "three", "last"])
    expect(texts).toEqual(["before", "meanwhile", "after"])
    expect([phases, resumed, refusal, isSame]).toEqual([["broadcast", "meeting"], [true], "forbidden", true])
    expect(statuses.filter((status: string) => status === "ready" || status === "closed")).toEqual([
      "ready",
      "ready",
      "closed",
    ])
    expect(replayed).toEqual([["one", "two", "three", "last"], 4307])
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
