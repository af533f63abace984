/** The pages for people as the server sends them: where, with which policy, and to be kept for how long. */
import { expect, test } from "vitest"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer(() =>
  startServerWithPages({ EMBED_ORIGINS: "https://www.example.com, https://example.org" }),
)

const get = (path: string, headers: { readonly [name: string]: string } = {}) => fetch(server.url + path, { headers })
const ID = "0196a1f0-0000-7000-8000-000000000007"
const PAGES = [
  "/",
  "/join",
  "/join/ABC123",
  `/e/${ID}`,
  `/enter/${ID}?token=x`,
  "/host",
  `/host/events/${ID}/live`,
  `/screen/${ID}`,
  "/ops",
  "/play",
]

test.each(PAGES)("%s is a page without inline code, whose files are there and may be kept for ever", async (path) => {
  const answer = await get(path)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  expect(answer.headers.get("cache-control")).toBe("public, no-cache")
  const policy = answer.headers.get("content-security-policy") ?? ""
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
  expect(policy).not.toContain("unsafe")
  const html = await answer.text()
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)[^>]*>| on[a-z]+=| style=/)
  const files = Array.from(html.matchAll(/(?:href|src)="(\/web\/[^"]+)"/g), ([, file = ""]) => file)
  expect(files.some((file) => file.endsWith(".js"))).toBe(true)
  for (const file of files) {
    const found = await get(file, { "accept-encoding": "br" })
    expect([file, found.status, found.headers.get("content-encoding")]).toEqual([file, 200, "br"])
    expect(found.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(found.headers.get("x-content-type-options")).toBe("nosniff")
  }
})

test("only the attendee's page may be framed, and only by the named origins", async () => {
  const framers = async (path: string) =>
    /frame-ancestors ([^;]+)/.exec((await get(path)).headers.get("content-security-policy") ?? "")?.[1]
  expect(await framers(`/e/${ID}`)).toBe("https://www.example.com https://example.org")
  for (const path of ["/host", "/ops", `/screen/${ID}`, "/play"]) expect(await framers(path)).toBe("'none'")
})

test("a file that is not there is a 404, also one outside of the folder", async () => {
  for (const path of ["/web/none.js", "/web/..%2fserver.js", "/web/attendee.html"]) {
    expect((await get(path)).status).toBe(404)
  }
})

test("a page is sent again only when it has changed", async () => {
  const first = await get("/host")
  const again = await get("/host", { "if-none-match": first.headers.get("etag") ?? "" })
  expect(again.status).toBe(304)
})

test("the page names the texts of the browser's first language that there is, so that they load beside its script", async () => {
  const linked = async (accepted: string) => {
    const { headers } = await get("/join", { "accept-language": accepted })
    expect(headers.get("vary")).toContain("accept-language")
    const [, file = "", language] =
      /^<(\/web\/([a-z]+)-[^>]+\.js)>; rel="modulepreload"$/.exec(headers.get("link") ?? "") ?? []
    expect((await get(file)).status).toBe(200)
    return language
  }
  expect(await linked("de-AT,de;q=0.9,en;q=0.8")).toBe("de")
  expect(await linked("fr-CA, en-GB;q=0.7, de;q=0.3")).toBe("fr")
  expect(await linked("es;q=0.9")).toBe("es")
  expect(await linked("ja")).toBe("ja")
  expect(await linked("pt, en-GB;q=0.7, de;q=0.3")).toBe("en")
  // North Frisian is no French.
  expect(await linked("frr, de;q=0.8")).toBe("de")
  expect(await linked("pt")).toBe("en")
  expect(await linked("")).toBe("en")
})

test.each([`/e/${ID}`, "/host"])("the first view of %s is at most 120 KB of script", async (path) => {
  const html = await (await get(path)).text()
  const scripts = Array.from(html.matchAll(/(?:href|src)="(\/web\/[^"]+\.js)"/g), ([, file = ""]) => file)
  let bytes = 0
  for (const script of scripts) {
    // `fetch` unpacks the body, and tells its packed length in the header alone.
    const answer = await get(script, { "accept-encoding": "gzip" })
    bytes += Number(answer.headers.get("content-length"))
  }
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(120_000)
})

test("there is no playground in production, and no page with WEB=off, where links in emails lead to the plain ones", async () => {
  const off = await startServerWithPages({ WEB: "off" })
  expect((await fetch(`${off.url}/host`)).status).toBe(404)
  expect(await (await fetch(`${off.url}/`)).text()).toContain("This server runs live events")
  await off.stop()
  const production = await startServerWithPages({
    NODE_ENV: "production",
    PUBLIC_URL: "https://events.example.com",
    METRICS_TOKEN: "Zk3vQ9xWm2LrT7nBz4KpD8cHs1JfG6yA",
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "Events <events@example.com>",
  })
  expect((await fetch(`${production.url}/play`)).status).toBe(404)
  const host = await fetch(`${production.url}/host`)
  expect(host.headers.get("content-security-policy")).toContain("connect-src 'self' wss://events.example.com")
  await production.stop()
})
