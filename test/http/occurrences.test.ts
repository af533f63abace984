/** Occurrences that are read by a cursor, and the inbox of webhooks in development. */

import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { type Answer, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const read = (key: string, query: { readonly [name: string]: string | number } = {}, of = server): Promise<Answer> =>
  call(
    of.url,
    "GET",
    `/v1/occurrences?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`,
    {
      key,
    },
  )

const publish = async (key: string, title = "Launch", of = server): Promise<Json> => {
  const event = await createEvent(of.url, key, { title })
  expect((await call(of.url, "POST", `/v1/events/${event.id}/publish`, { key })).status).toBe(200)
  return event
}

const titlesOf = ({ body }: Answer): ReadonlyArray<string> => body.occurrences.map(({ title }: Json) => title)

test("occurrences are kept from the first call on, without any endpoint", async () => {
  const { key, id } = await createWorkspace(server.url)
  await publish(key, "before")
  const first = await read(key)
  expect([first.status, first.body]).toEqual([
    200,
    { occurrences: [], nextCursor: expect.any(String), hasMore: false, completeSince: expect.any(String) },
  ])
  const event = await publish(key, "after")
  const second = await read(key, { after: first.body.nextCursor })
  expect(second.body.occurrences).toEqual([
    {
      id: expect.any(String),
      type: "event.published",
      workspaceId: id,
      eventId: event.id,
      occurredAt: expect.any(String),
      title: "after",
      scheduledAt: null,
    },
  ])
  expect(second.body.completeSince).toBe(first.body.completeSince)
  const third = await read(key, { after: second.body.nextCursor })
  expect([titlesOf(third), third.body.nextCursor]).toEqual([[], second.body.nextCursor])
})

test("a reader may begin at the end of the feed, however much was never read", async () => {
  const { key, id } = await createWorkspace(server.url)
  await read(key)
  // One transaction gives a thousand of them their place.
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(() => rows.end())
  await publish(key, "before")
  await rows.run(
    `insert into outbox_messages (id, workspace_id, type, body, occurred_at, seq)
     select gen_random_uuid(), workspace_id, type, body, occurred_at, nextval('occurrence_numbers')
       from outbox_messages, generate_series(1, 1200) where workspace_id = $1 and type = 'event.published'`,
    [id],
  )
  const end = await read(key, { after: "end" })
  expect(titlesOf(end)).toEqual([])
  const waiting = read(key, { after: "end", wait: 25 })
  await publish(key, "after")
  expect(titlesOf(await read(key, { after: end.body.nextCursor }))).toEqual(["after"])
  expect((await waiting).body.occurrences.length).toBeLessThanOrEqual(1)
  expect(titlesOf(await read(key, { limit: 1 }))).not.toEqual(["after"])
})

test("an occurrence is the body of its delivery", async () => {
  const receiver = await startReceiver()
  const { key } = await createWorkspace(server.url)
  await read(key)
  await call(server.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url, eventTypes: ["event.published"] } })
  await publish(key)
  await eventually(() => receiver.received.length === 1, "the delivery")
  expect((await read(key)).body.occurrences).toEqual([JSON.parse(receiver.received[0]?.body ?? "")])
})

test("pages follow each other without a gap or a repetition", async () => {
  const { key } = await createWorkspace(server.url)
  await read(key)
  const titles = ["one", "two", "three", "four", "five"]
  for (const title of titles) await publish(key, title)
  const pages: Answer[] = []
  let after: string | undefined
  do {
    const page = await read(key, { limit: 2, ...(after === undefined ? {} : { after }) })
    pages.push(page)
    after = page.body.nextCursor
  } while (pages.at(-1)?.body.hasMore === true)
  expect(pages.map(titlesOf)).toEqual([["one", "two"], ["three", "four"], ["five"]])
  expect(titlesOf(await read(key))).toEqual(titles)
})

test("a call that waits is answered when something happens, and with nothing at the end of its wait", async () => {
  const { key } = await createWorkspace(server.url)
  const { nextCursor: after } = (await read(key)).body
  const nothing = await read(key, { after, wait: 1 })
  expect([nothing.status, titlesOf(nothing), nothing.body.nextCursor]).toEqual([200, [], after])
  const waiting = read(key, { after, wait: 25 })
  await publish(key, "awaited")
  expect(titlesOf(await waiting)).toEqual(["awaited"])
})

test("the stop of the server answers the calls that wait", async () => {
  const own = await startTestServer()
  try {
    const { key } = await createWorkspace(own.url)
    await read(key, {}, own)
    const waiting = read(key, { wait: 25 }, own)
    // A second request on the server shows that it has read the first.
    await read(key, {}, own)
    await own.stop()
    expect((await waiting).status).toBe(200)
  } finally {
    await own.stop()
  }
})

test("another workspace's occurrences and the audit log are not in it", async () => {
  const [mine, other] = [await createWorkspace(server.url), await createWorkspace(server.url)]
  await read(mine.key)
  await read(other.key)
  const receiver = await startReceiver()
  await call(server.url, "POST", "/v1/webhooks", {
    key: mine.key,
    body: { url: receiver.url, eventTypes: ["audit.created"] },
  })
  await call(server.url, "POST", "/v1/webhooks", { key: mine.key, body: { url: receiver.url } })
  await eventually(() => receiver.received.length > 0, "an audit delivery")
  await publish(mine.key, "mine")
  expect([titlesOf(await read(mine.key)), titlesOf(await read(other.key))]).toEqual([["mine"], []])
})

test("a cursor of another list is refused", async () => {
  const { key } = await createWorkspace(server.url)
  for (const query of [{ after: "x" }, { after: "MDAx" }]) {
    const answer = await read(key, query)
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    expect(answer.body.detail).toContain(Object.keys(query)[0])
  }
})

const list = async (name: string): Promise<Json[]> =>
  (await call(server.url, "GET", `/v1/dev/inboxes/${name}`)).body.deliveries
const post = (name: string, body: string | Buffer) =>
  fetch(`${server.url}/v1/dev/inboxes/${name}`, { method: "POST", body, headers: { "webhook-id": "one" } })

test("keeps the deliveries of a webhook, with what their signature is checked by", async () => {
  const { key } = await createWorkspace(server.url)
  const name = randomUUID()
  const url = `${server.url}/v1/dev/inboxes/${name}`
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url } })).body
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await eventually(async () => (await list(name)).length === 1, "the ping to arrive")
  const [delivery] = await list(name)
  expect(delivery).toMatchObject({
    at: expect.any(String),
    headers: { "webhook-signature": expect.stringMatching(/^v1,/), "x-gc-event-type": "ping" },
  })
  expect(JSON.parse(delivery.body).type).toBe("ping")
  expect(await list(randomUUID())).toEqual([])
})

test("keeps the newest two hundred of an inbox, and a hundred inboxes", async () => {
  const [full, old] = [randomUUID(), randomUUID()]
  await post(old, "{}")
  for (let n = 0; n < 205; n++) await post(full, String(n))
  const kept = await list(full)
  expect([kept.length, kept[0].body, kept.at(-1).body]).toEqual([200, "5", "204"])
  for (let n = 0; n < 100; n++) await post(randomUUID(), "{}")
  expect(await list(old)).toEqual([])
})

test("refuses names that are none, and bodies that are too long or no text", async () => {
  const name = randomUUID()
  const refused = async (to: string, body: string): Promise<readonly [number, string]> => {
    const answer = await post(to, body)
    return [answer.status, ((await answer.json()) as Json).detail]
  }
  const NAME = "name: must be 8 to 64 letters, digits, hyphens and underscores."
  expect(await refused("short", "{}")).toEqual([400, NAME])
  expect(await refused(encodeURIComponent("../../etc/passwd"), "{}")).toEqual([400, NAME])
  expect(await refused(name, "x".repeat(70_000))).toEqual([400, "body: at most 65536 bytes are kept."])
  expect(await refused(name, "a\0b")).toEqual([400, "body: must be text without NUL."])
  expect(await list(name)).toEqual([])
  expect((await fetch(`${server.url}/v1/dev/inboxes/${name}`, { method: "DELETE" })).status).toBe(405)
})
