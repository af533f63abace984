/** The recap of an event whose history is kept: it takes place again, in step with the recording. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call, createWorkspace } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openStore } from "../../test/support/store.ts"
import { eventually } from "../../test/support/wait.ts"
import { wavOf } from "../../test/support/wav.ts"
import { connectClient, idOf, type Occasion, occasionWith } from "./people.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const PHASES = [{ modality: "broadcast", featureSet: ["chat", "qa", "polls"] }]
const SECONDS = 120

/** An event that is over, with a recording of two minutes: a message at its beginning, and another and a question a minute later. */
const overEvent = async (history: "kept" | "brief"): Promise<Occasion> => {
  const { url, databaseUrl } = site.server
  const acme = await createWorkspace(url)
  const occasion = await occasionWith(site, acme, PHASES, { visibility: "public", history })
  const { id } = occasion.event
  const host = await connectClient(occasion, "Hana")
  // Her arrival is committed before what is moved by a minute below.
  await idOf(host, "Hana")
  await host.command("chat.send", { to: "event", text: "Welcome to the launch" })
  await host.command("chat.send", { to: "event", text: "A minute has passed" })
  const { d } = await host.command("question.ask", { text: "Will it be replayed?" })
  await host.command("question.answer", { id: d.question.id, mode: "text", text: "With everything." })
  await call(url, "POST", `/v1/events/${id}/end`, { key: acme.key })
  const sql = openStore(databaseUrl, 1)
  await sql`update publications set at = at + interval '1 minute'
             where event_id = ${id} and (frame like '%A minute has passed%' or frame like '%Will it be replayed%' or frame like '%event.ended%')`
  await sql.end()
  const recording = await call(url, "POST", `/v1/events/${id}/recordings`, {
    key: acme.key,
    body: { title: "Launch", kind: "merged" },
  })
  const put = await fetch(recording.body.uploadUrl, { method: "PUT", body: new Uint8Array(wavOf(SECONDS)) })
  expect(put.status).toBe(204)
  await call(url, "POST", `/v1/recordings/${recording.body.id}/complete`, { key: acme.key, body: {} })
  await eventually(async () => {
    const { body } = await call(url, "GET", `/v1/recordings/${recording.body.id}`, { key: acme.key })
    return body.status === "ready"
  }, "the recording being ready")
  return occasion
}

const player = (page: Page) => page.locator('video[aria-label="Launch"]')

const goTo = (page: Page, seconds: number) =>
  player(page).evaluate((video, at) => {
    ;(video as HTMLVideoElement).currentTime = at
  }, seconds)

test("chat and questions of the recap are those of the place that the recording is at, forward, back and while it plays", async () => {
  const { event } = await overEvent("kept")
  const page = await site.open(`/e/${event.id}`)
  const history = page.getByRole("region", { name: "What took place" })
  await goTo(page, 30)
  await history.getByText("Welcome to the launch").first().waitFor()
  await history.getByText("On stage: Hana").waitFor()
  expect(await history.getByText("A minute has passed").count()).toBe(0)
  await goTo(page, 90)
  await history.getByText("A minute has passed").first().waitFor()
  await history.getByRole("tab", { name: "Questions" }).click()
  await history.getByText("With everything.").waitFor()
  expect(await history.getByRole("textbox").count()).toBe(0)
  await expectAccessible(page)
  await goTo(page, 30)
  await history.getByText("With everything.").waitFor({ state: "detached" })
  await history.getByRole("tab", { name: "Chat" }).click()
  await history.getByText("Welcome to the launch").first().waitFor()
  expect(await history.getByText("A minute has passed").count()).toBe(0)
  // It plays towards the minute, twice as fast.
  await goTo(page, 52)
  await player(page).evaluate(async (element) => {
    const video = element as HTMLVideoElement
    video.muted = true
    video.playbackRate = 2
    await video.play()
  })
  await history.getByText("A minute has passed").first().waitFor()
  const at = await player(page).evaluate((video) => (video as HTMLVideoElement).currentTime)
  expect(at).toBeGreaterThan(59)
})

test("without a kept history the recap has its recording alone", async () => {
  const { event } = await overEvent("brief")
  const page = await site.open(`/e/${event.id}`)
  await player(page).waitFor()
  expect(await page.getByRole("region", { name: "What took place" }).count()).toBe(0)
})
