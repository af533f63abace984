/** The documentation as a reader, and a program that reads, finds it on a server. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startServerWithClient, startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServerWithClient()
})
afterAll(() => server.stop())

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  fetch(new URL(path, server.url), { headers, redirect: "manual" })

const textOf = async (path: string): Promise<string> => {
  const answer = await get(path)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}

const linksIn = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/href="([^"]+)"/g), ([, href = ""]) => href)

/** In the order of the menu. */
const PAGES = [
  "quick-start",
  "concepts",
  "gateway",
  "rest",
  "webhooks",
  "media",
  "reports",
  "configuration",
  "clients",
  "operation",
  "scaling",
  "reliability",
  "security",
]

test("the first page lists all pages, and each has a title, the menu and its own place in it", async () => {
  const menu = linksIn(await textOf("/docs")).filter((href) => /^\/docs\/[\w-]+$/.test(href))
  expect([...new Set(menu)]).toEqual(PAGES.map((page) => `/docs/${page}`))
  for (const page of PAGES) {
    const html = await textOf(`/docs/${page}`)
    expect(html.match(/<h1[ >]/g)).toHaveLength(1)
    expect(html).toContain(`<a href="/docs/${page}" aria-current="page">`)
  }
})

test("every link of every page leads to something, and every anchor is there", async () => {
  const pages = new Map<string, string>()
  const read = async (path: string): Promise<string> => {
    const known = pages.get(path)
    if (known !== undefined) return known
    const text = await textOf(path)
    pages.set(path, text)
    return text
  }
  let anchors = 0
  for (const page of ["/docs", ...PAGES.map((name) => `/docs/${name}`)]) {
    for (const href of linksIn(await read(page)).filter((one) => /^[/#]/.test(one))) {
      const [path = "", anchor] = href.split("#")
      const target = await read(path === "" ? page : path)
      if (anchor === undefined) continue
      expect(target, `${page} links to ${href}`).toContain(`id="${anchor}"`)
      anchors++
    }
  }
  expect(anchors).toBeGreaterThan(100)
})

test("pages are compressed and tagged, run no script, and may not be framed", async () => {
  const answer = await get("/docs/gateway", { "accept-encoding": "br" })
  const policy = answer.headers.get("content-security-policy") ?? ""
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(await answer.text()).not.toMatch(/<script|<style| style=/)
  expect(answer.headers.get("content-encoding")).toBe("br")
  const again = await get("/docs/gateway", {
    "accept-encoding": "br",
    "if-none-match": answer.headers.get("etag") ?? "",
  })
  expect(again.status).toBe(304)
})

test("llms.txt lists pages as Markdown and the descriptions, at whole addresses that answer", async () => {
  const answer = await get("/llms.txt")
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  const text = await answer.text()
  expect(text).toMatch(/^# Gathercue\n\n> /)
  const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link)
  expect(links).toHaveLength(PAGES.length + 4)
  for (const link of links) {
    expect(link.startsWith(`${server.publicUrl}/`)).toBe(true)
    expect((await fetch(link)).status).toBe(200)
  }
  const page = await get("/docs/webhooks.md")
  expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  expect(await page.text()).toMatch(/^# Webhooks\n/)
  expect(await textOf("/llms-full.txt")).toContain("# Webhooks")
})

test.each(["/docs/nothing", "/docs/..%2fclient.js", "/docs/__proto__", "/docs/nothing.md"])(
  "%s is 404",
  async (path) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"])
  },
)

test("a server without the build has no such pages", async () => {
  const bare = await startTestServer()
  expect((await fetch(`${bare.url}/docs`)).status).toBe(404)
  await bare.stop()
})
