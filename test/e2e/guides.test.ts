/** The programs of the guides, run as they are printed, against a server of the test. Their calls are run by `test-media/guides.test.ts`. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { blocksOf } from "../support/code-blocks.ts"
import { compiledSite } from "../support/compiled.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedServer } from "../support/shared.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const server = sharedServer()

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
  const [code = ""] = blocksOf("docs/start.md").flatMap(({ language, code: block }) =>
    language === "js" ? [block] : [],
  )
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

test("the check of a delivery takes a genuine one, and refuses another body, secret or header", async () => {
  const [code = ""] = blocksOf("docs/webhooks.md").flatMap(({ language, code: block }) =>
    language === "js" ? [block] : [],
  )
  const file = join(await temporaryFolder(), "genuine.mjs")
  await writeFile(file, `${code}\nexport { isGenuine }\n`)
  const { isGenuine } = await import(/* @vite-ignore */ file)
  const { key } = await createWorkspace(server.url)
  const receiver = await startReceiver()
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url } })).body
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await receiver.count(1)
  const delivery = receiver.received[0]
  const [header, body] = [delivery?.headers["x-gc-signature"], delivery?.body]
  expect(isGenuine(header, body, hook.secret)).toBe(true)
  expect(isGenuine(header, `${body} `, hook.secret)).toBe(false)
  expect(isGenuine(header, body, `${hook.secret}x`)).toBe(false)
  expect(isGenuine(undefined, body, hook.secret)).toBe(false)
})
