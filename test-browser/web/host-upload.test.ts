/** Files that a host uploads as recordings: cut off, gone on with, refused, given up. */
import { createHash } from "node:crypto"
import { truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call, type Json } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { noiseOf, wavOf } from "../../test/support/wav.ts"
import { openConsole, type Stage, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const MEBIBYTE = 1024 ** 2
const MOST_MEBIBYTES = 70

const site = shared(
  () => openWebSite({ MEDIA_MAX_BYTES: String(MOST_MEBIBYTES * MEBIBYTE), MEDIA_MIN_FREE_BYTES: "0" }),
  (one) => one.stop(),
)

const REFUSED = /Failed to load resource/

/** As somebody who has the keyboard alone chooses it. */
const choose = async (page: Page, path: string): Promise<void> => {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    pressButton(page.getByRole("button", { name: "Choose a file" })),
  ])
  await chooser.setFiles(path)
}

const fileOf = async (name: string, bytes: Uint8Array): Promise<string> => {
  const path = join(site.server.folder, name)
  await writeFile(path, bytes)
  return path
}

const recordingsOf = async ({ event, acme }: Stage): Promise<ReadonlyArray<Json>> =>
  (await call(site.server.url, "GET", `/v1/events/${event.id}/recordings`, { key: acme.key })).body.recordings

const open = async (stage: Stage): Promise<Page> =>
  openConsole(stage, `/host/event/${stage.event.id}/recordings`, { expects: REFUSED })

test("a file is uploaded, whatever cuts the connection, and is prepared without a reload", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish", "start")
  await call(site.server.url, "POST", `/v1/events/${stage.event.id}/end`, { key: stage.acme.key })
  const page = await open(stage)
  const addresses = /\/v1\/media\/uploads\//
  await page.route(addresses, (route) => route.abort("connectionfailed"))
  await choose(page, await fileOf("talk.wav", wavOf(3)))
  await page.getByText("talk.wav (0.1 MB)").waitFor()
  await page.getByRole("textbox", { name: "Title" }).fill("The talk")
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await page.getByText("Unable to reach the server.", { exact: false }).waitFor()
  await page.getByRole("progressbar", { name: "Upload of talk.wav" }).waitFor()
  await expectAccessible(page)
  // The upload is there when the host comes back from another part.
  await page.getByRole("link", { name: "Attendance" }).press("Enter")
  await page.getByRole("link", { name: "Recordings" }).press("Enter")
  await page.unroute(addresses)
  await pressButton(page.getByRole("button", { name: "Go on with the upload" }))
  await page.getByText("talk.wav is uploaded.").waitFor()
  await page.getByRole("link", { name: "Watch" }).waitFor()
  await page.getByRole("button", { name: "Cut a clip" }).waitFor()
  await expectAccessible(page)
  expect(await recordingsOf(stage)).toMatchObject([{ title: "The talk", status: "ready", source: "upload" }])
  const recap = await call(site.server.url, "GET", `/v1/public/events/${stage.event.id}/recap`)
  expect(recap.body.recording.title).toBe("The talk")
})

test("a large file goes in parts, and no part is sent twice", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const bytes = noiseOf(66 * MEBIBYTE)
  const page = await open(stage)
  const sent: string[] = []
  let isCut = true
  await page.route(/\/v1\/media\/parts\//, (route) => {
    if (isCut && sent.length === 2) return route.abort("connectionfailed")
    sent.push(route.request().url())
    return route.continue()
  })
  await choose(page, await fileOf("long.wav", bytes))
  // Each part passes through the test, which a busy machine takes seconds for.
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await page.getByText("Unable to reach the server.", { exact: false }).waitFor()
  isCut = false
  await pressButton(page.getByRole("button", { name: "Go on with the upload" }))
  await page.getByText("long.wav is uploaded.").waitFor()
  expect([sent.length, new Set(sent).size]).toEqual([5, 5])
  await page.getByRole("link", { name: "Download" }).waitFor()
  const [recording] = await recordingsOf(stage)
  const stored = await fetch(recording.downloadUrl)
  const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")
  expect(hashOf(new Uint8Array(await stored.arrayBuffer()))).toBe(hashOf(bytes))
})

test("a file that is too large is refused in plain words, its title is kept, and an upload that is given up leaves nothing", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const page = await open(stage)
  const large = await fileOf("large.wav", new Uint8Array())
  await truncate(large, (MOST_MEBIBYTES + 1) * MEBIBYTE)
  await page.getByRole("textbox", { name: "Title" }).fill("The talk")
  await choose(page, large)
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await page.getByText("The file is larger than a recording may be.").waitFor()
  await pressButton(page.getByRole("button", { name: "Cancel" }))
  expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("The talk")
  await page.route(/\/v1\/media\/uploads\//, (route) => route.abort("connectionfailed"))
  await choose(page, await fileOf("short.wav", wavOf(1)))
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await page.getByText("Unable to reach the server.", { exact: false }).waitFor()
  await pressButton(page.getByRole("button", { name: "Cancel" }))
  await page.getByRole("button", { name: "Choose a file" }).waitFor()
  await page.getByText("No recordings.").waitFor()
  await expect.poll(() => recordingsOf(stage)).toEqual([])
  await page.unroute(/\/v1\/media\/uploads\//)
  await choose(page, await fileOf("notes.wav", new TextEncoder().encode("These are notes, and no sound.")))
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await page.getByText("The file is damaged, or has no format that is read here.", { exact: false }).waitFor()
})

test("an upload that is given up while its recording is being created leaves no recording", async () => {
  const stage = await stageWith(site, [{ modality: "meeting" }], "publish")
  const page = await open(stage)
  let created = 0
  let answer: () => void = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/v1\/events\/[^/]+\/recordings$/, async (route) => {
    if (route.request().method() !== "POST") return route.continue()
    const response = await route.fetch()
    created = response.status()
    await mayAnswer
    return route.fulfill({ response })
  })
  await choose(page, await fileOf("early.wav", wavOf(1)))
  await pressButton(page.getByRole("button", { name: "Upload" }))
  await expect.poll(() => created).toBe(201)
  await pressButton(page.getByRole("button", { name: "Cancel" }))
  await page.getByRole("button", { name: "Choose a file" }).waitFor()
  expect(await recordingsOf(stage)).toHaveLength(1)
  answer()
  await expect.poll(() => recordingsOf(stage)).toEqual([])
  await page.getByText("No recordings.").waitFor()
})
