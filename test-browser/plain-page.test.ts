/** A page without a build, which imports the client from the server. */
import { expect, onTestFinished, test } from "vitest"
import { call, createLiveEvent, createWorkspace } from "../test/support/api.ts"
import { startServerWithClient } from "../test/support/server.ts"
import { launchChromium } from "./chromium.ts"
import { complaintsOf } from "./complaints.ts"
import { startStaticSite } from "./static-site.ts"

const pageOf = (server: string, eventId: string): string => `<!doctype html><meta charset=utf-8>
<link rel=icon href="data:,"><title>plain</title><p id=phase></p><script type="module">
import { activePhase, GatewayClient, makeRestClient } from "${server}/v1/client.js"
import { MediaCall } from "${server}/v1/client-media.js"
const api = makeRestClient({ baseUrl: "${server}" })
const client = new GatewayClient({ token: () => api.createGatewayToken({ payload: { eventId: "${eventId}" } }) })
const call = new MediaCall(client)
client.on("state", (state) => {
  document.getElementById("phase").textContent = (activePhase(state)?.modality ?? "none") + " " + call.state
})
await client.connect()
</script>`

test("a page of another origin imports the client from the server, and follows the event without a complaint", async () => {
  const server = await startServerWithClient()
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, { phases: [{ modality: "broadcast" }, { modality: "meeting" }] })
  const site = await startStaticSite(async () => pageOf(server.url, event.id))
  onTestFinished(() => site.stop())
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const complaints = complaintsOf(page)
  await page.goto(site.url)
  await page.getByText("broadcast off").waitFor()
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key, body: { phaseId: event.activePhaseId } })
  await page.getByText("meeting off").waitFor()
  expect(complaints).toEqual([])
})
