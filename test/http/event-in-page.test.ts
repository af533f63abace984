/** The page of a public event has the event inside: for the first paint, for previews of a shared link, and for its script. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createEvent, createPerson, createWorkspace, type Json } from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer(() => startServerWithPages({}))
const acme = sharedWorkspace(server)

const published = async (fields: { readonly [field: string]: unknown }): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, fields)
  expect((await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })).status).toBe(200)
  return event
}
const page = (path: string, headers: { readonly [name: string]: string } = {}) => fetch(server.url + path, { headers })
const built = async () => (await page(`/e/${randomUUID()}`)).text()
const dataIn = (html: string): unknown => {
  const [, json] = /<script type="application\/json" id="public-event">([^<]*)<\/script>/.exec(html) ?? []
  return json === undefined ? undefined : JSON.parse(json)
}

const BAD = [
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<!--<script>",
  "$& $' $` $1",
  "a & b &amp; c",
  "l1\u2028l2",
]

describe("the page of a public event", () => {
  test("has title and description in the first paint and for previews, and the answer of REST for its script", async () => {
    const event = await published({ title: "Launch day", metadata: { description: "A day of talks" } })
    for (const path of [`/e/${event.id}`, `/enter/${event.id}?t=x`]) {
      const answer = await page(path, { "accept-language": "de" })
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
      expect(answer.headers.get("cache-control")).toBe("public, no-cache")
      expect(answer.headers.get("content-security-policy")).toMatch(/script-src 'self';/)
      expect(answer.headers.get("link")).toMatch(/^<\/web\/de-/)
      const html = await answer.text()
      expect(html).toContain("<title>Launch day</title>")
      expect(html).toContain('<meta property="og:title" content="Launch day">')
      expect(html).toContain('<meta name="description" content="A day of talks">')
      expect(html).toMatch(/<div id="root"><main[^>]*><header[^>]*>.*<h1>Launch day<\/h1>.*<p>A day of talks<\/p>/)
      expect(dataIn(html)).toEqual((await call(server.url, "GET", `/v1/public/events/${event.id}`)).body)
    }
  })

  test("has the time in the reader's language, in a zone that it names", async () => {
    const event = await published({ title: "At ten", scheduledAt: "2027-03-01T10:00:00.000Z" })
    const timeIn = async (language: string) =>
      /<time datetime="2027-03-01T10:00:00.000Z">([^<]*)<\/time>/.exec(
        await (await page(`/e/${event.id}`, { "accept-language": language })).text(),
      )?.[1]
    expect(await timeIn("en")).toBe("Monday, March 1, 2027 at 10:00 AM UTC")
    expect(await timeIn("it,de-CH;q=0.5")).toBe("Montag, 1. März 2027 um 10:00 UTC")
    expect(await timeIn("fr,de-CH;q=0.5")).toBe("lundi 1 mars 2027 à 10:00 UTC")
  })

  test("has a public event with a time as JSON-LD, in which no text ends the element, and no other event", async () => {
    const fields = {
      title: "</script>Launch",
      visibility: "public",
      scheduledAt: "2099-03-01T10:00:00.000Z",
      scheduledEndAt: "2099-03-01T11:00:00.000Z",
      location: "Hall 3",
      coverUrl: "https://example.com/cover.png",
      description: "A **day** of talks",
    }
    const linkedDataOf = async (more: object): Promise<Json> => {
      const { id } = await published({ ...fields, ...more })
      addresses.push(`${server.url}/e/${id}`)
      const html = await (await page(`/e/${id}`)).text()
      const [, json] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(html) ?? []
      return json === undefined ? undefined : JSON.parse(json)
    }
    const addresses: string[] = []
    const first = await linkedDataOf({})
    const [url] = addresses
    expect(first).toEqual({
      "@context": "https://schema.org",
      "@type": "Event",
      name: "</script>Launch",
      startDate: "2099-03-01T10:00:00.000Z",
      endDate: "2099-03-01T11:00:00.000Z",
      eventStatus: "https://schema.org/EventScheduled",
      eventAttendanceMode: "https://schema.org/MixedEventAttendanceMode",
      location: [
        { "@type": "Place", name: "Hall 3" },
        { "@type": "VirtualLocation", url },
      ],
      organizer: { "@type": "Organization", name: "Acme" },
      url,
      description: "A day of talks",
      image: "https://example.com/cover.png",
    })
    expect(await linkedDataOf({ location: null, coverUrl: null })).toMatchObject({
      eventAttendanceMode: "https://schema.org/OnlineEventAttendanceMode",
      location: { "@type": "VirtualLocation", url: addresses[1] },
      image: expect.stringContaining(`${addresses[1]}/card.png?v=`),
    })
    const { id } = await published(fields)
    const body = { reason: "Rain" }
    expect((await call(server.url, "POST", `/v1/events/${id}/cancel`, { key: acme.key, body })).status).toBe(200)
    expect(await (await page(`/e/${id}`)).text()).toContain('"eventStatus":"https://schema.org/EventCancelled"')
    expect(await linkedDataOf({ visibility: "unlisted" })).toBeUndefined()
    expect(await linkedDataOf({ scheduledAt: null, scheduledEndAt: null })).toBeUndefined()
  })

  test("names the speakers whom the workspace announces in the JSON-LD, once each", async () => {
    const event = await published({ visibility: "public", scheduledAt: "2099-03-01T10:00:00.000Z" })
    await createPerson(server.url, acme.key, event.id, "speaker", "Grace <Hopper>")
    await createPerson(server.url, acme.key, event.id, "host", "Ada Lovelace")
    await createPerson(server.url, acme.key, event.id, "viewer", "Nobody")
    const html = await (await page(`/e/${event.id}`)).text()
    expect(html).toContain(
      '"performer":[{"@type":"Person","name":"Ada Lovelace"},{"@type":"Person","name":"Grace \\u003cHopper>"}]',
    )
  })

  test.each(BAD)("shows %j as text", async (text) => {
    const event = await published({ title: text, metadata: { description: text } })
    const html = await (await page(`/e/${event.id}`)).text()
    expect(dataIn(html)).toMatchObject({ title: text, description: text })
    const count = (of: string, what: RegExp) => of.match(what)?.length ?? 0
    const file = await built()
    // The scripts of the built page, and one block of data.
    expect(count(html, /<script/g)).toBe(count(file, /<script/g) + 1)
    for (const what of [/<img/g, /<!--/g]) expect(count(html, what)).toBe(count(file, what))
  })

  test("is sent again only when the event has changed, and without a body for HEAD", async () => {
    const event = await published({ title: "Once" })
    const path = `/e/${event.id}`
    const etag = (await page(path)).headers.get("etag") ?? ""
    expect((await page(path, { "if-none-match": etag })).status).toBe(304)
    const head = await fetch(server.url + path, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
    await call(server.url, "PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { title: "Twice" } })
    const changed = await page(path, { "if-none-match": etag })
    expect([changed.status, (await changed.text()).includes("<title>Twice</title>")]).toEqual([200, true])
  })
})

test("search engines leave out an unlisted event, which is for those who have its link", async () => {
  const robots = async (visibility: string) => {
    const event = await published({ title: "By link", visibility })
    const html = await (await page(`/e/${event.id}`)).text()
    expect(html).toContain("<title>By link</title>")
    return html.includes('<meta name="robots" content="noindex">')
  }
  expect([await robots("public"), await robots("unlisted")]).toEqual([false, true])
})

describe("an event that not everybody may read is in no page:", () => {
  test("a private one, also for those who may", async () => {
    const event = await published({ title: "Secret plans", visibility: "private" })
    const { session } = await createPerson(server.url, acme.key, event.id, "viewer")
    for (const headers of [{}, { authorization: `Bearer ${session}` }, { authorization: `Bearer ${acme.key}` }]) {
      const answer = await page(`/e/${event.id}`, headers)
      expect([answer.status, await answer.text()]).toEqual([200, await built()])
    }
  })

  test("a draft, one that does not exist, and one whose name is no id", async () => {
    const draft = await createEvent(server.url, acme.key, { title: "Not yet" })
    const file = await built()
    expect(file).toContain("<title>Gathercue</title>")
    for (const path of [`/e/${draft.id}`, "/e/none", "/e/%00", "/e/%27%3b--"]) {
      const answer = await page(path)
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, file])
    }
  })
})

test("while the database does not answer, the page comes without its event", async () => {
  const database = await createTestDatabase()
  const proxy = await startPostgresProxy(database.url)
  const own = await startServerWithPages({ DATABASE_URL: proxy.url })
  try {
    const { key } = await createWorkspace(own.url)
    const event = await createEvent(own.url, key, { title: "Still here" })
    await call(own.url, "POST", `/v1/events/${event.id}/publish`, { key })
    const text = async () => (await fetch(`${own.url}/e/${event.id}`)).text()
    expect(await text()).toContain("<title>Still here</title>")
    proxy.silence("all")
    const answer = await fetch(`${own.url}/e/${event.id}`)
    expect([answer.status, (await answer.text()).includes("<title>Gathercue</title>")]).toEqual([200, true])
    proxy.heal()
    await eventually(async () => (await text()).includes("<title>Still here</title>"))
  } finally {
    await own.stop()
    await proxy.close()
    await database.drop()
  }
})
