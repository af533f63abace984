/** The face of an event on other sites: its card as a picture, and its answer by oEmbed. */
import { randomUUID } from "node:crypto"
import { inflateSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() => startServerWithPages({}))
const acme = sharedWorkspace(server)
const published = async (fields: object, { key } = acme): Promise<Json> => {
  const event = await createEvent(server.url, key, { ...fields })
  expect((await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key })).status).toBe(200)
  return event
}
const change = (id: string, body: object) => call(server.url, "PATCH", `/v1/events/${id}`, { key: acme.key, body })
const get = (path: string, headers: { readonly [name: string]: string } = {}) => fetch(server.url + path, { headers })

/** A PNG of eight bits for each of red, green, blue and opacity whose lines have no filter (PNG, third edition). */
const decoded = async (answer: Response) => {
  const file = Buffer.from(await answer.arrayBuffer())
  expect(file.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n")
  expect(file.subarray(12, 16).toString("latin1")).toBe("IHDR")
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  expect([...file.subarray(24, 29)]).toEqual([8, 6, 0, 0, 0])
  const length = file.readUInt32BE(33)
  expect(file.subarray(37, 41).toString("latin1")).toBe("IDAT")
  const lines = inflateSync(file.subarray(41, 41 + length))
  expect(lines).toHaveLength((width * 4 + 1) * height)
  const pixel = (x: number, y: number): string => {
    const at = y * (width * 4 + 1) + 1 + x * 4
    return `#${lines.subarray(at, at + 3).toString("hex")}`
  }
  /** How many pixels of an area have a colour that only letters have. */
  const letters = (top: number, bottom: number, color: string): number => {
    let count = 0
    for (let y = top; y < bottom; y++) for (let x = 0; x < width; x++) if (pixel(x, y) === color) count++
    return count
  }
  const white = (top: number, bottom: number): number => letters(top, bottom, "#ffffff")
  return { width, height, pixel, letters, white, file }
}
const cardOf = async (id: string) => {
  const answer = await get(`/e/${id}/card.png`)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"])
  return decoded(answer)
}

describe("the card of an event", () => {
  test("is a picture of 1200 by 630 pixels in the accent, with the title, the time and the workspace's name", async () => {
    const { id } = await published({
      title: "Launch",
      scheduledAt: "2027-03-01T10:00:00.000Z",
      branding: { logoUrl: "https://cdn.example.com/logo.png", accent: "#0b7a4b", theme: null },
    })
    const { width, height, pixel, white } = await cardOf(id)
    expect([width, height]).toEqual([1200, 630])
    // Away from the circles of this title's pattern.
    expect(pixel(600, 20)).toBe("#0b7a4b")
    expect(white(80, 125)).toBeGreaterThan(200)
    expect(white(240, 390)).toBeGreaterThan(2000)
    expect(white(515, 565)).toBeGreaterThan(500)
    const bare = await cardOf((await published({ title: "Launch" })).id)
    expect(bare.pixel(600, 20)).toBe("#4a3fd1")
    expect(bare.white(515, 565)).toBe(0)
  })

  test("has the workspace's colour, with black letters on a light one", async () => {
    const made = await createWorkspace(server.url)
    const branding = { logoUrl: null, accent: "#ffd400", theme: null, coverUrl: null }
    const body = { branding }
    await call(server.url, "PATCH", `/v1/workspaces/${made.id}`, { cookie: made.owner.cookie, body })
    const { id } = await published({ title: "Launch" }, made)
    const { pixel, letters, white } = await cardOf(id)
    expect(pixel(600, 20)).toBe("#ffd400")
    expect(letters(240, 390, "#000000")).toBeGreaterThan(2000)
    expect(white(0, 630)).toBe(0)
  })

  test.each([
    ["markup", '</text><image href="https://example.com/x.png"/><script>alert(1)</script> & ]]>'],
    ["Japanese", "春の新製品発表会と、これからの話"],
    ["a word without an end", "x".repeat(300)],
    ["a long title", "A long title with many words ".repeat(10)],
    ["Greek, Cyrillic and Polish", "Ελληνικά, Русский, zażółć"],
  ])("shows %s", async (_, title) => {
    const { id } = await published({ title })
    const { white } = await cardOf(id)
    expect(white(160, 500)).toBeGreaterThan(1000)
    expect(white(0, 40) + white(590, 630)).toBe(0)
  })

  test.each([
    ["letters that the font lacks", "عرض المنتج الجديد"],
    ["emoji alone", "🎉👨\u200d👩\u200d👧🏳️\u200d🌈"],
  ])("leaves out a title of %s, and shows the rest", async (_, title) => {
    const { id } = await published({ title, scheduledAt: "2027-03-01T10:00:00.000Z" })
    const { white } = await cardOf(id)
    expect(white(160, 500)).toBe(0)
    expect(white(515, 565)).toBeGreaterThan(500)
  })

  test("drops emoji of a title that has words", async () => {
    const [plain, pictured] = [await published({ title: "Launch" }), await published({ title: "Launch 🎉" })]
    expect((await cardOf(pictured.id)).white(240, 390)).toBe((await cardOf(plain.id)).white(240, 390))
  })

  test("says that the event is cancelled", async () => {
    const { id } = await published({ title: "Launch", scheduledAt: null })
    expect((await cardOf(id)).white(515, 565)).toBe(0)
    await call(server.url, "POST", `/v1/events/${id}/cancel`, { key: acme.key, body: {} })
    expect((await cardOf(id)).white(515, 565)).toBeGreaterThan(200)
  })

  test("has a tag, which changes with what the card shows and with nothing else", async () => {
    const { id } = await published({ title: "Before" })
    const first = await get(`/e/${id}/card.png`)
    const etag = first.headers.get("etag") ?? ""
    const again = (tag: string) => get(`/e/${id}/card.png`, { "if-none-match": tag })
    expect([(await again(etag)).status, await (await again(etag)).text()]).toEqual([304, ""])
    await change(id, { description: "More" })
    expect((await again(etag)).status).toBe(304)
    await change(id, { title: "After" })
    const changed = await again(etag)
    expect(changed.status).toBe(200)
    expect(changed.headers.get("etag")).not.toBe(etag)
  })

  test("is the same for many who ask at once", async () => {
    const { id } = await published({ title: "At once" })
    const answers = await Promise.all(Array.from({ length: 80 }, () => get(`/e/${id}/card.png`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(answers.map(async (one) => (await decoded(one)).file.length))).size).toBe(1)
  })

  test("is there where the page shows the event to everybody: unlisted, but neither private, a draft, nor unknown", async () => {
    const draft = await createEvent(server.url, acme.key)
    const hidden = await published({ visibility: "private" })
    const unlisted = await published({ visibility: "unlisted" })
    expect((await get(`/e/${unlisted.id}/card.png`)).status).toBe(200)
    for (const id of [draft.id, hidden.id, randomUUID(), "x", "%00"]) {
      const answer = await get(`/e/${id}/card.png`)
      expect([id, answer.status]).toEqual([id, 404])
    }
  })
})

describe("the page of an event", () => {
  test("names its card, its title and its answer by oEmbed", async () => {
    const { id } = await published({ title: '"Launch" & more', description: "A **day** of talks" })
    const html = await (await get(`/e/${id}`)).text()
    const page = `${server.url}/e/${id}`
    for (const tag of [
      '<meta property="og:title" content="&quot;Launch&quot; &amp; more">',
      `<meta property="og:url" content="${page}">`,
      '<meta property="og:site_name" content="Acme">',
      '<meta property="og:description" content="A day of talks">',
      '<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">',
      '<meta name="twitter:card" content="summary_large_image">',
      `<link rel="alternate" type="application/json+oembed" href="${server.url}/oembed?format=json&amp;url=${encodeURIComponent(page)}" title="&quot;Launch&quot; &amp; more">`,
    ]) {
      expect(html).toContain(tag)
    }
    const [, href = ""] = /json\+oembed" href="([^"]+)"/.exec(html) ?? []
    const answer = await fetch(href.replaceAll("&amp;", "&"))
    expect(((await answer.json()) as Json).title).toBe('"Launch" & more')
  })

  test("names its card by another address when the card changes, as oEmbed does", async () => {
    const { id } = await published({ title: "Launch" })
    const addresses = async () => {
      const page = await (await get(`/e/${id}`)).text()
      const link: Json = await (await get(`/oembed?url=${server.url}/e/${id}`)).json()
      const [, named] = /og:image" content="([^"]+)"/.exec(page) ?? []
      expect(link.thumbnail_url).toBe(named)
      return named
    }
    const first = await addresses()
    expect(first?.split("?v=")).toEqual([`${server.url}/e/${id}/card.png`, expect.stringMatching(/^[\w-]{8}$/)])
    expect((await fetch(first ?? "")).headers.get("content-type")).toBe("image/png")
    await change(id, { description: "Not on the card" })
    expect(await addresses()).toBe(first)
    await change(id, { title: "Landing" })
    const second = await addresses()
    expect(second).not.toBe(first)
    await call(server.url, "POST", `/v1/events/${id}/cancel`, { key: acme.key, body: {} })
    expect(await addresses()).not.toBe(second)
  })
})

describe("oEmbed", () => {
  const ask = async (query: { readonly [name: string]: string }) => {
    const answer = await get(`/oembed?${new URLSearchParams(query).toString()}`)
    const body: Json = await answer.json()
    return { answer, body }
  }

  test("answers with a link and its card, for the addresses of an event's page", async () => {
    const { id } = await published({ title: "Launch" })
    for (const path of [`/e/${id}`, `/enter/${id}`, `/e/${id}/?utm_source=x#y`]) {
      const { answer, body } = await ask({ url: server.url + path, maxwidth: "1200" })
      expect([answer.status, answer.headers.get("content-type")], path).toEqual([200, "application/json"])
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      expect(body, path).toEqual({
        version: "1.0",
        type: "link",
        title: "Launch",
        author_name: "Acme",
        provider_name: "Gathercue",
        provider_url: server.url,
        cache_age: 3600,
        thumbnail_url: expect.stringContaining(`${server.url}/e/${id}/card.png?v=`),
        thumbnail_width: 1200,
        thumbnail_height: 630,
      })
    }
  })

  test("names no card that is larger than the site has room for", async () => {
    const { id } = await published({ title: "Launch" })
    for (const room of [{ maxwidth: "400" }, { maxheight: "629" }]) {
      const { answer, body } = await ask({ url: `${server.url}/e/${id}`, ...room })
      expect([answer.status, Object.keys(body).filter((name) => name.startsWith("thumbnail"))]).toEqual([200, []])
    }
  })

  test("refuses other hosts, other pages, hidden events and other formats, as problems", async () => {
    const { id } = await published({})
    const hidden = await published({ visibility: "private" })
    const page = `${server.url}/e/${id}`
    for (const [query, status] of [
      [{ url: page, format: "xml" }, 501],
      [{ url: page, format: "yaml" }, 501],
      [{}, 400],
      [{ url: `https://evil.example/e/${id}` }, 404],
      [{ url: `${server.url}@evil.example/e/${id}` }, 404],
      [{ url: `${server.url}/host/event/${id}` }, 404],
      [{ url: `/e/${id}` }, 404],
      [{ url: `${server.url}/e/${hidden.id}` }, 404],
      [{ url: `${server.url}/e/${randomUUID()}` }, 404],
    ] as const) {
      const { answer, body } = await ask(query)
      expect([query, answer.status, body.status]).toEqual([query, status, status])
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
      expect(body.title).toMatch(/^(?:Not Found|Bad Request|Not Implemented)$/)
    }
  })
})
