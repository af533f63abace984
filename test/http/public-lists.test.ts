/** The public list of a workspace: its page, its search and its calendar, and what is in none of them. */
import { randomUUID } from "node:crypto"
import ICAL from "ical.js"
import { expect, test } from "vitest"
import { type Answer, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

const get = (path: string, headers = {}): Promise<Answer> => call(server.url, "GET", path, { headers })

/** A workspace whose list is shown, and its slug. */
const listed = async () => {
  const { id, key, owner } = await createWorkspace(server.url)
  const slug = `list-${randomUUID().slice(0, 8)}`
  const patch = (body: object) => call(server.url, "PATCH", `/v1/workspaces/${id}`, { cookie: owner.cookie, body })
  expect((await patch({ slug, publicList: true })).body).toMatchObject({ slug, publicList: true })
  const add = async (fields: object, ...verbs: ReadonlyArray<string>): Promise<Json> => {
    const event = await createEvent(server.url, key, { scheduledAt: "2099-05-01T18:00:00Z", ...fields })
    for (const verb of verbs)
      expect((await call(server.url, "POST", `/v1/events/${event.id}/${verb}`, { key })).status).toBe(200)
    return event
  }
  return { slug, patch, add, key }
}
const entriesIn = (body: string) => new ICAL.Component(ICAL.parse(body)).getAllSubcomponents("vevent")
const titlesIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/<li><a href="[^"]*">([^<]*)</g)].map(([, title]) => title ?? "")

test("shows published public events to come, the next ones first, and nothing else", async () => {
  const { slug, add } = await listed()
  const next = await add(
    { title: "Second", scheduledAt: "2099-05-02T18:00:00Z", timeZone: "Europe/Berlin", location: "Room <2>" },
    "publish",
  )
  await add({ title: "First" }, "publish")
  await add({ title: "On air", scheduledAt: "2020-05-01T18:00:00Z" }, "publish", "start")
  await add({ title: "Off" }, "publish", "cancel")
  await add({ title: "A draft" })
  await add({ title: "Unlisted", visibility: "unlisted" }, "publish")
  await add({ title: "Private", visibility: "private" }, "publish")
  await add({ title: "Past", scheduledAt: "2020-05-01T18:00:00Z" }, "publish")
  await add({ title: "Over" }, "publish", "start", "end")
  await add({ title: "Undated", scheduledAt: null }, "publish")
  const { status, body, headers } = await get(`/w/${slug}`)
  expect(status).toBe(200)
  expect(headers.get("content-security-policy")).toContain("default-src 'none'")
  const titles = titlesIn(body)
  expect(titles.slice(0, 1)).toEqual(["On air"])
  expect(titles.toSorted()).toEqual(["First", "Off", "On air", "Second"])
  expect(titles.at(-1)).toBe("Second")
  expect(body).toContain(`/enter/${next.id}"`)
  expect(body).toContain("Saturday, 2 May 2099 at 20:00 (Europe/Berlin, GMT+2)")
  expect(body).toContain("Room &lt;2&gt;")
  expect(body.match(/<strong>[^<]*/g)).toEqual(["<strong>Live now.", "<strong>Cancelled."])

  const feed = await get(`/w/${slug}.ics`)
  expect(feed.headers.get("content-type")).toBe("text/calendar; charset=utf-8")
  const entries = entriesIn(feed.body).map((one) => [
    one.getFirstPropertyValue("summary"),
    one.getFirstPropertyValue("status"),
  ])
  expect(entries.toSorted()).toEqual([
    ["First", "CONFIRMED"],
    ["Off", "CANCELLED"],
    ["On air", "CONFIRMED"],
    ["Second", "CONFIRMED"],
  ])
})

test("searches titles, in small or capital letters", async () => {
  const { slug, add } = await listed()
  for (const title of ["Spring launch", "100 % café", "<b>Bold</b>"]) await add({ title }, "publish")
  const found = async (words: string) => titlesIn((await get(`/w/${slug}?q=${encodeURIComponent(words)}`)).body)
  expect(await found("LAUNCH")).toEqual(["Spring launch"])
  expect(await found("100 %")).toEqual(["100 % café"])
  expect(await found("winter")).toEqual([])
  const { body } = await get(`/w/${slug}?q=${encodeURIComponent('"><script>')}`)
  expect(body).not.toContain("<script>")
  expect(await found("bold")).toEqual(["&lt;b&gt;Bold&lt;/b&gt;"])
})

test("is not there unless the workspace shows it, nor after that", async () => {
  const other = await createWorkspace(server.url)
  const { body } = await call(server.url, "GET", "/v1/workspaces", { cookie: other.owner.cookie })
  const { slug: off } = body.workspaces.find(({ id }: Json) => id === other.id)
  const { slug, patch, add } = await listed()
  await add({}, "publish")
  for (const path of [`/w/${off}`, `/w/${off}.ics`, "/w/no-such-workspace", `/w/${slug.toUpperCase()}`, "/w/%00"]) {
    expect([path, (await get(path)).status]).toEqual([path, 404])
  }
  expect((await get(`/w/${slug}`)).status).toBe(200)
  await patch({ publicList: false })
  expect([(await get(`/w/${slug}`)).status, (await get(`/w/${slug}.ics`)).status]).toEqual([404, 404])
})

test("has a calendar that is sent again only after a change, with two hundred events at most", async () => {
  const { slug, add, key } = await listed()
  const event = await add({}, "publish")
  const first = await get(`/w/${slug}.ics`)
  const known = { "if-none-match": first.headers.get("etag") ?? "" }
  expect((await get(`/w/${slug}.ics`, known)).status).toBe(304)
  await call(server.url, "PATCH", `/v1/events/${event.id}`, { key, body: { title: "Another" } })
  const second = await get(`/w/${slug}.ics`, known)
  expect(second.status).toBe(200)
  expect(second.body).toContain("SUMMARY:Another")
  for (const year of ["2097", "2098"]) {
    const repeated = { type: "webinar", title: "Daily", visibility: "public", scheduledAt: `${year}-01-01T00:00:00Z` }
    const body = { rrule: "FREQ=DAILY;COUNT=100", timeZone: "UTC", event: repeated }
    const made = await call(server.url, "POST", "/v1/series", { key, body })
    expect((await call(server.url, "POST", `/v1/series/${made.body.id}/publish`, { key })).status).toBe(200)
  }
  const full = await get(`/w/${slug}.ics`)
  expect(entriesIn(full.body)).toHaveLength(200)
  expect(full.body).not.toContain("SUMMARY:Another")
})
