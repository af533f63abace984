/** Lists: of a workspace's events, of its public events, and lists that move while they are read. */

import { randomUUID } from "node:crypto"
import ICAL from "ical.js"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import {
  type Answer,
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createWorkspace,
  type Json,
} from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer } from "../support/server.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)

const acme = sharedWorkspace(server)
const other = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

describe("listing events", () => {
  test("shows a hundred when no limit is given, and the rest on the next page", async () => {
    const many = await createWorkspace(server.url)
    const { id } = await createEvent(server.url, many.key, { title: "Event 0" })
    await rows.run(
      `insert into events select copy.* from events e, generate_series(1, 100) n,
              jsonb_populate_record(e, jsonb_build_object('id', md5(n || $1)::uuid, 'title', 'Event ' || n,
                'created_at', e.created_at + n * interval '1 millisecond')) copy where e.id = $1::uuid`,
      [id],
    )
    const first = await call(server.url, "GET", "/v1/events", { key: many.key })
    expect(first.body.events).toHaveLength(100)
    const second = await call(server.url, "GET", `/v1/events?cursor=${first.body.nextCursor}`, { key: many.key })
    expect(second.body.events.map(({ title }: { title: string }) => title)).toEqual(["Event 0"])
  })

  test("goes newest first through pages without a gap or a repeat, and follows Link", async () => {
    const pages = await createWorkspace(server.url)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await createEvent(server.url, pages.key, { title: `E${n}` })).id)
    const seen: string[] = []
    let path: string | undefined = "/v1/events?limit=2"
    let turns = 0
    while (path !== undefined) {
      const page: Awaited<ReturnType<typeof api>> = await api("GET", path, { key: pages.key })
      seen.push(...page.body.events.map((event: { id: string }) => event.id))
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]
      expect(page.body.nextCursor === null).toBe(path === undefined)
      turns++
    }
    expect([seen, turns]).toEqual([ids, 3])
  })

  describe("that match", () => {
    const house = sharedWorkspace(server)
    const titled = async (query: string): Promise<ReadonlyArray<string>> => {
      const answer = await api("GET", `/v1/events?${query}`, { key: house.key })
      expect(answer.status, query).toBe(200)
      return answer.body.events.map(({ title }: { title: string }) => title)
    }
    beforeAll(async () => {
      const plans = [
        { title: "Spring Launch", type: "webinar", scheduledAt: "2030-03-01T10:00:00+01:00" },
        { title: "ＬＡＵＮＣＨ 100%_off", type: "meetup", scheduledAt: "2030-03-02T00:00:00Z" },
        { title: "Retro", type: "webinar" },
      ]
      for (const plan of plans) await createEvent(server.url, house.key, plan)
      await createLiveEvent(server.url, house.key, { title: "Now", type: "webinar" })
    })

    test("are listed alone", async () => {
      for (const [query, titles] of [
        ["q=launch", ["ＬＡＵＮＣＨ 100%_off", "Spring Launch"]],
        ["q=0%25_O", ["ＬＡＵＮＣＨ 100%_off"]],
        ["q=g%25L", []],
        ["q=%5C", []],
        ["status=live", ["Now"]],
        ["status=draft&type=webinar", ["Retro", "Spring Launch"]],
        ["type=Webinar", []],
        ["from=2030-03-01T09:00:00Z", ["ＬＡＵＮＣＨ 100%_off", "Spring Launch"]],
        ["from=2030-03-01T09:00:00.001Z", ["ＬＡＵＮＣＨ 100%_off"]],
        ["to=2030-03-02T00:00:00Z", ["Spring Launch"]],
        ["from=2030-03-02T01:00:00%2B01:00&to=2030-03-03T00:00:00Z&q=off", ["ＬＡＵＮＣＨ 100%_off"]],
        ["q=launch&status=ended", []],
      ] as const) {
        expect(await titled(query), query).toEqual(titles)
      }
    })

    test("go on with the same conditions on the next page", async () => {
      const first = await api("GET", "/v1/events?type=webinar&status=draft&limit=1", { key: house.key })
      expect(first.body.events).toMatchObject([{ title: "Retro" }])
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
      const second = await api("GET", next, { key: house.key })
      expect([second.body.events.map(({ title }: { title: string }) => title), second.body.nextCursor]).toEqual([
        ["Spring Launch"],
        null,
      ])
    })
  })

  test("shows only the own workspace's", async () => {
    const foreign = await createEvent(server.url, other.key)
    const list = await api("GET", "/v1/events")
    expect(list.body.events.some((event: { id: string }) => event.id === foreign.id)).toBe(false)
  })
})

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
  await rows.run(
    `insert into events (id, workspace_id, type, title, allow_anonymous_voting, allow_anonymous_questions, metadata,
                         status, visibility, scheduled_at, published_at)
     select gen_random_uuid(), workspace_id, type, 'Daily', false, false, '{}', 'scheduled', 'public',
            timestamptz '2097-01-01T00:00:00Z' + n * interval '1 day', now()
       from events, generate_series(1, 200) n where id = $1`,
    [event.id],
  )
  const full = await get(`/w/${slug}.ics`)
  expect(entriesIn(full.body)).toHaveLength(200)
  expect(full.body).not.toContain("SUMMARY:Another")
})

test("a CSV has every question once, although votes move them while it is read", async () => {
  const database = await createTestDatabase()
  const rows = rowsOf(database.url)
  const proxy = await startPostgresProxy(database.url)
  const server = await startTestServer({ DATABASE_URL: proxy.url })
  onTestFinished(async () => {
    await server.stop()
    await proxy.close()
    await rows.end()
    await database.drop()
  })
  const { key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key)
  await rows.run(
    `insert into questions (id, event_id, text, status, anonymous, votes, created_at)
     select gen_random_uuid(), $1::uuid, n::text, 'approved', true, 5, now() from generate_series(1, 2500) n`,
    [event.id],
  )
  let release = (): void => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const second = proxy.onStatement({
    match: /from questions q where/,
    action: { kind: "hold", until },
    skip: 1,
    times: 1,
  })
  const file = fetch(`${server.url}/v1/events/${event.id}/questions?format=csv`, { headers: { "x-api-key": key } })
  await second.reached(1)
  // Those that were read get fewer votes and would come again; the others get more and would be missed.
  await rows.run("update questions set votes = 1 + 8 * (text::integer % 2) where event_id = $1", [event.id])
  release()
  const lines = (await (await file).text()).trimEnd().split("\r\n").slice(1)
  expect(lines).toHaveLength(2500)
  expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(2500)
})
