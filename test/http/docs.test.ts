/** The documentation and the client's files, as they are served. */

import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { startServerWithClient } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const server = sharedServer(startServerWithClient)
const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  fetch(new URL(path, server.url), { headers, redirect: "manual" })

/** As it is: to compress each page took most of the time of these tests. */
const textOf = async (path: string): Promise<string> => {
  const answer = await get(path, { "accept-encoding": "identity" })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}

const linksIn = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/href="([^"]+)"/g), ([, href = ""]) => href)

/** The chapters of the menu, in their order. */
const SECTIONS = [
  "Start",
  "Concepts",
  "Guides for hosts",
  "Guides for integrators",
  "Guides for operators",
  "Guides for client developers",
  "Reference",
  "Internals",
]

/** Every document of the repository's folder is a page, and the architecture. */
const PAGES = readdirSync(new URL("../../docs", import.meta.url), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.replace(/\.md$/, "").replace("reference/", "").replace("internals/", "internals-"))
  .concat("architecture")
const internals = PAGES.filter((name) => name === "architecture" || name.startsWith("internals-"))

test("the first page lists all pages in their chapters, and each has a title, the menu and its own place in it", async () => {
  const first = await textOf("/docs")
  const menu = linksIn(first).filter((href) => /^\/docs\/[\w-]+$/.test(href))
  expect([...new Set(menu)].toSorted()).toEqual(PAGES.map((page) => `/docs/${page}`).toSorted())
  expect(menu[0]).toBe("/docs/start")
  expect(Array.from(first.matchAll(/<summary>([^<]+)</g), ([, title]) => title)).toEqual(SECTIONS)
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

test("pictures of pages are there, with their type", async () => {
  const sources = Array.from((await textOf("/docs/host")).matchAll(/<img src="([^"]+)"/g), ([, src = ""]) => src)
  const drawn = Array.from((await textOf("/docs/architecture")).matchAll(/<img src="([^"]+)"/g), ([, src = ""]) => src)
  expect([sources.length, drawn.length]).toEqual([2, 2])
  for (const [list, type, begin] of [
    [sources, "image/png", "\u0089PNG"],
    [drawn, "image/svg+xml", "<svg"],
  ] as const) {
    for (const source of list) {
      const answer = await get(source)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
      expect(Buffer.from(await answer.arrayBuffer()).toString("latin1", 0, 4)).toBe(begin)
    }
  }
})

const search = (query: string) => textOf(`/docs/search?${new URLSearchParams({ q: query })}`)

test("the search finds a key, a promise and a command under their headings", async () => {
  expect(linksIn(await search("VENUE_FACTOR"))).toContain("/docs/configuration#events-and-limits")
  expect(linksIn(await search("rehearse a restore"))).toContain("/docs/backups#rehearse-a-restore")
  expect(linksIn(await search("stage.invite"))).toContain("/docs/commands")
  const found = await search("lobby")
  const results = found.slice(found.indexOf("<h1>"))
  expect(linksIn(results)[0]).toBe("/docs/gateway-activities#lobby")
  expect(linksIn(results).length).toBeLessThanOrEqual(20)
})

test("the search takes any text, shows it as text, and says when it found nothing", async () => {
  const html = await search('<script>alert("1")</script> $& xyzzyx')
  expect(html).toContain("Search: &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; $&amp; xyzzyx")
  expect(html).toContain("Nothing was found.")
  expect(await search("")).toContain("Type a word")
  expect(await search("a".repeat(1000))).toContain("Nothing was found.")
  const policy = (await get("/docs/search?q=x")).headers.get("content-security-policy") ?? ""
  expect([policy.includes("default-src 'none'"), policy.includes("form-action 'self'")]).toEqual([true, true])
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
  // The internals stand behind one link.
  expect(links).toHaveLength(PAGES.length - internals.length + 1 + 4)
  for (const link of links) {
    expect(link.startsWith(`${server.publicUrl}/`)).toBe(true)
    expect((await fetch(link)).status).toBe(200)
  }
  const page = await get("/docs/webhooks.md")
  expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  expect(await page.text()).toMatch(/^# Webhooks\n/)
  expect(await textOf("/llms-full.txt")).toContain("# Webhooks")
})

test.each([
  "/docs/nothing",
  "/docs/..%2fclient.js",
  "/docs/__proto__",
  "/docs/nothing.md",
  "/docs/passages.json",
  "/docs/search.html",
])("%s is 404", async (path) => {
  const answer = await get(path)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"])
})

describe.each([
  ["client.js", "text/javascript; charset=utf-8"],
  ["client.d.ts", "application/typescript; charset=utf-8"],
  ["client-media.js", "text/javascript; charset=utf-8"],
  ["client-media.d.ts", "application/typescript; charset=utf-8"],
])("/v1/%s", (name, type) => {
  test("is compressed, tagged, asked for again each time, and open to pages of any origin", async () => {
    const answer = await get(`/v1/${name}`, { "accept-encoding": "br", origin: "https://elsewhere.example" })
    const { status, headers } = answer
    expect([status, headers.get("content-type"), headers.get("content-encoding")]).toEqual([200, type, "br"])
    expect([headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
      "public, no-cache",
      "*",
    ])
    const again = await get(`/v1/${name}`, { "accept-encoding": "br", "if-none-match": headers.get("etag") ?? "" })
    expect([again.status, await again.text()]).toEqual([304, ""])
  })

  test("has an address for its version, which may be kept for ever", async () => {
    const present = await get(`/v1/${name}`)
    const address = present.headers.get("content-location") ?? ""
    expect(address).toMatch(new RegExp(`^/v1/client/0\\.1\\.0-[0-9a-f]{8}/${name.replaceAll(".", "\\.")}$`))
    const kept = await get(address)
    expect([kept.status, kept.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"])
    expect(await kept.text()).toBe(await present.text())
  })
})

test("an earlier version leads to the present one, and an unknown file is not found", async () => {
  const earlier = await get("/v1/client/0.0.9-00000000/client.js")
  expect([earlier.status, earlier.headers.get("location")]).toEqual([302, "/v1/client.js"])
  expect((await get("/v1/client/0.0.9-00000000/constructor")).status).toBe(404)
})

test("the module is whole: it runs by itself and exports what its types name", async () => {
  const folder = await temporaryFolder()
  for (const name of ["client.js", "client-media.js"]) {
    await writeFile(join(folder, name), await (await get(`/v1/${name}`)).text())
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}')
  const program = `import * as client from "./client.js"; import * as media from "./client-media.js"
    console.log(JSON.stringify([Object.keys(client), Object.keys(media)]))`
  await writeFile(join(folder, "all.js"), program)
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "all.js")])
  const typed = async (name: string) =>
    Array.from(
      (await (await get(`/v1/${name}`)).text()).matchAll(/^export declare (?:class|const|function) (\w+)/gm),
      ([, found]) => found,
    )
  const [client, media] = JSON.parse(stdout)
  expect(client.toSorted()).toEqual((await typed("client.d.ts")).toSorted())
  expect(media.toSorted()).toEqual((await typed("client-media.d.ts")).toSorted())
  expect(client).toContain("GatewayClient")
})
