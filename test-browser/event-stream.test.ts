/** A page of another origin, on a network that cuts upgrades to a WebSocket. */
import { expect, onTestFinished, test } from "vitest"
import { call, createLiveEvent, createWorkspace } from "../test/support/api.ts"
import { startServerWithClient } from "../test/support/server.ts"
import { strictProxy } from "../test/support/strict-proxy.ts"
import { launchChromium } from "./chromium.ts"
import { startStaticSite } from "./static-site.ts"

/** `gateway`: the address of the gateway through the proxy. */
const pageOf = (server: string, gateway: string, eventId: string): string => `<!doctype html><meta charset=utf-8>
<link rel=icon href="data:,"><title>cut</title><p id=phase></p><script type="module">
import { activePhase, GatewayClient, makeRestClient } from "${server}/v1/client.js"
const api = makeRestClient({ baseUrl: "${server}" })
const token = async () => ({ ...(await api.createGatewayToken({ payload: { eventId: "${eventId}" } })), url: "${gateway}" })
const client = new GatewayClient({ token, backoff: { firstMs: 50, longestMs: 200 } })
client.on("state", (state) => {
  document.getElementById("phase").textContent = client.transport + " " + (activePhase(state)?.modality ?? "none")
})
client.on("connected", ({ resumed }) => {
  document.title = resumed ? "resumed" : "new"
})
await client.connect()
const asked = await client.command("roster.list", {}).catch((refusal) => refusal)
document.body.append(" answered: " + (asked.code ?? asked.ok))
</script>`

test("the client goes on by an event stream, and resumes it", async () => {
  const server = await startServerWithClient()
  onTestFinished(() => server.stop())
  const proxy = await strictProxy(server.url)
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, { phases: [{ modality: "broadcast" }, { modality: "meeting" }] })
  const gateway = proxy.through(`${server.url.replace("http", "ws")}/v1/gateway`)
  const site = await startStaticSite(async () => pageOf(server.url, gateway, event.id))
  onTestFinished(() => site.stop())
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(site.url)
  await page.getByText("sse broadcast").waitFor()
  await page.getByText("answered: ").waitFor()
  expect(proxy.cutUpgrades()).toBe(2)
  proxy.cut()
  await page.waitForFunction(() => document.title === "resumed")
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key, body: { phaseId: event.activePhaseId } })
  await page.getByText("sse meeting").waitFor()
})
