/** The README's programs, run as they are printed, against a server of the test. Its shell lines are run by `test-media/readme.test.ts`. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { compiledSite } from "../support/compiled.ts"
import { blocksOf } from "../support/readme.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const hostedEvent = async () => {
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key)
  const { session } = await createPerson(server.url, key, event.id, "host")
  const host = new GatewayClient({ token: () => gatewayToken(server.url, event.id, session) })
  onTestFinished(() => host.close())
  await host.connect()
  return { host, event }
}

test("watch.mjs prints what it watches, and then what happens", async () => {
  const site = await compiledSite()
  const [code = ""] = (await blocksOf("js")).filter((block) => block.startsWith("// watch.mjs"))
  const file = join(site, `examples/watch-${process.pid}.mjs`)
  await writeFile(file, code.replace("http://127.0.0.1:8080", server.url))
  const { host, event } = await hostedEvent()
  const child = spawn(process.execPath, [file, event.id], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe("watching Launch")
  await host.command("announce", { text: "Welcome" })
  expect((await lines.next()).value).toBe("host says: Welcome")
})
