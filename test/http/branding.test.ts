/** Logo, colour, scheme and picture of a workspace and of its events: over REST, on pages, on share cards and for programs that embed links. */
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { contrastOf, GROUNDS, shadesOf } from "../../src/model/shades.ts"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() => startServerWithPages({}))
const acme = sharedWorkspace(server)
const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
const patch = (id: string, body: object) => api("PATCH", `/v1/events/${id}`, { body })
const patchWorkspace = (body: object, { id, owner } = acme) =>
  api("PATCH", `/v1/workspaces/${id}`, { key: undefined, cookie: owner.cookie, body })
const published = async (fields: object): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  expect((await api("POST", `/v1/events/${event.id}/publish`)).status).toBe(200)
  return event
}
const publicView = async (id: string): Promise<Json> => (await api("GET", `/v1/public/events/${id}`)).body

const OWN = { logoUrl: "https://cdn.example.com/logo.png", accent: "#0b7a4b", theme: "dark" }
const OF_WORKSPACE = {
  logoUrl: "https://cdn.example.com/acme.png?a=1&b=2",
  accent: "#ffd400",
  theme: "light",
  coverUrl: "https://cdn.example.com/cover.jpg",
}

describe("the shades of an accent", () => {
  test("are legible on every ground of both schemes, for colours all over the cube", () => {
    const levels = Array.from({ length: 9 }, (_, index) => Math.min(255, index * 32))
    const colors = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue) => [red, green, blue] as const)))
    const contrasts = (color: string) => {
      const shades = shadesOf(color)
      return (["light", "dark"] as const).flatMap((scheme) => {
        const { accent, onAccent, soft } = shades[scheme]
        return [...GROUNDS[scheme], onAccent, soft].map((other) => contrastOf(accent, other))
      })
    }
    for (const parts of colors) {
      const color = `#${Buffer.from(parts).toString("hex")}`
      expect(Math.min(...contrasts(color)), color).toBeGreaterThanOrEqual(4.5)
    }
  })

  test("are the accent itself where that is legible, and of its hue where it is not", () => {
    expect(contrastOf("#000000", "#ffffff")).toBe(21)
    expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2)
    expect(shadesOf("#4a3fd1").light.accent).toBe("#4a3fd1")
    expect(shadesOf("#FFD400")).toMatchObject({ light: { accent: "#7f690a" }, dark: { accent: "#ffd400" } })
  })
})

describe("the branding of an event", () => {
  test("is null by default, is set and cleared as a whole, and stays when another field is changed", async () => {
    const made = await createEvent(server.url, acme.key)
    expect(made).toMatchObject({ branding: null })
    expect((await patch(made.id, { branding: OWN })).body).toMatchObject({ branding: OWN })
    expect((await patch(made.id, { title: "Renamed" })).body).toMatchObject({ branding: OWN, title: "Renamed" })
    const half = { logoUrl: null, accent: "#A0B1C2", theme: null }
    expect((await patch(made.id, { branding: half })).body).toMatchObject({ branding: half })
    expect((await api("GET", `/v1/events/${made.id}`)).body).toMatchObject({ branding: half })
    expect((await patch(made.id, { branding: null })).body).toMatchObject({ branding: null })
    expect(await createEvent(server.url, acme.key, { branding: OWN })).toMatchObject({ branding: OWN })
  })

  test("refuses what is no colour, no scheme and no address, by the member", async () => {
    const { id } = await createEvent(server.url, acme.key)
    for (const [member, value] of [
      ["accent", "red"],
      ["accent", "#fff"],
      ["accent", "#12345g"],
      ["accent", "#123456;}"],
      ["accent", "#1234567"],
      ["theme", "sepia"],
      ["logoUrl", "http://cdn.example.com/logo.png"],
      ["logoUrl", "javascript:alert(1)"],
      ["logoUrl", "data:image/svg+xml,<svg/>"],
      ["logoUrl", "https://ada:secret@cdn.example.com/logo.png"],
      ["logoUrl", 'https://cdn.example.com/"onerror="alert(1)'],
      ["logoUrl", "https://cdn.example.com/;script-src *"],
      ["logoUrl", "https://cdn;sandbox/logo.png"],
      ["logoUrl", "https://cdn,example/logo.png"],
      ["logoUrl", "https://*.example.com/logo.png"],
      ["logoUrl", `https://cdn.example.com/${"a".repeat(2048)}`],
    ] as const) {
      const branding = { ...OWN, [member]: value }
      for (const answer of [
        await patch(id, { branding }),
        await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", branding } }),
        await patchWorkspace({ branding: { ...OF_WORKSPACE, [member]: value } }),
      ]) {
        expect([answer.status, answer.body.code], value).toEqual([400, "bad_request"])
        expect(
          answer.body.errors.map(({ pointer }: Json) => pointer),
          value,
        ).toEqual([`#/branding/${member}`])
      }
    }
    expect((await patch(id, { branding: { accent: "#0b7a4b" } })).status).toBe(400)
  })
})

describe("the branding of a workspace", () => {
  test("is set by its admins, is listed, noted in the audit log and cleared, and stays when it is renamed", async () => {
    const made = await createWorkspace(server.url)
    const other = await createWorkspace(server.url)
    expect((await patchWorkspace({ branding: OF_WORKSPACE }, made)).body).toMatchObject({ branding: OF_WORKSPACE })
    expect((await patchWorkspace({ name: "Renamed" }, made)).body).toMatchObject({ branding: OF_WORKSPACE })
    const cookie = made.owner.cookie
    const { workspaces } = (await api("GET", "/v1/workspaces", { key: undefined, cookie })).body
    const ofMade = ({ id }: Json): boolean => id === made.id
    expect(workspaces.find(ofMade)).toMatchObject({ branding: OF_WORKSPACE })
    const me = await api("GET", "/v1/accounts/me", { key: undefined, cookie })
    expect(me.body.workspaces.find(ofMade)).toMatchObject({ branding: OF_WORKSPACE })
    const { entries } = (await api("GET", `/v1/workspaces/${made.id}/audit`, { key: undefined, cookie })).body
    expect(entries.filter(({ action }: Json) => action === "workspace.changed")).toHaveLength(2)
    expect((await patchWorkspace({ branding: null }, { ...made, owner: other.owner })).status).toBe(404)
    expect((await patchWorkspace({ branding: null }, made)).body).toMatchObject({ branding: null })
  })

  test("is worn by each event where that has none, member by member", async () => {
    expect((await patchWorkspace({ branding: OF_WORKSPACE })).status).toBe(200)
    const { id } = await published({ title: "Launch" })
    const { accent, theme, logoUrl } = OF_WORKSPACE
    expect(await publicView(id)).toMatchObject({
      coverUrl: OF_WORKSPACE.coverUrl,
      workspace: { name: "Acme" },
      branding: { accent, theme, logoUrl, shades: { light: { accent: "#7f690a", onAccent: "#ffffff" } } },
    })
    await patch(id, {
      coverUrl: "https://cdn.example.com/own.jpg",
      branding: { logoUrl: null, accent: "#0b7a4b", theme: null },
    })
    for (const path of ["", "/recap", "/content"]) {
      const { body } = await api("GET", `/v1/public/events/${id}${path}`)
      expect(path === "" ? body : body.event, path).toMatchObject({
        coverUrl: "https://cdn.example.com/own.jpg",
        branding: { accent: "#0b7a4b", theme: "light", logoUrl, shades: { light: { accent: "#0b7a4b" } } },
      })
    }
    await patchWorkspace({ branding: null })
    expect(await publicView(id)).toMatchObject({ branding: { accent: "#0b7a4b", theme: null, logoUrl: null } })
    const bare = await published({})
    expect(await publicView(bare.id)).toMatchObject({
      coverUrl: null,
      branding: { accent: null, theme: null, logoUrl: null, shades: null },
    })
  })
})

const page = async (path: string, headers: { readonly [name: string]: string } = {}) => {
  const answer = await fetch(server.url + path, { headers: { "accept-language": "en", ...headers } })
  return { answer, html: await answer.text(), policy: answer.headers.get("content-security-policy") ?? "" }
}
/** The pages let the browser apply a style of theirs by its hash alone. */
const hashOf = (style: string): string => `'sha256-${createHash("sha256").update(style).digest("base64")}'`
const GREEN =
  ":root{--brand-color:#0b7a4b;--brand-accent:light-dark(#0b7a4b,#4aa876);--brand-on-accent:light-dark(#ffffff,#001c0d);--brand-soft:light-dark(#ddf3e5,#01381f)}"

describe("the pages of an event", () => {
  test("have the colours, the scheme and the logo in what the server sends, and allow no other style", async () => {
    const { id } = await published({ title: "Launch", branding: OWN })
    const { html, policy, answer } = await page(`/e/${id}`)
    expect(html).toContain(`<style id="branding">${GREEN}</style>`)
    expect(html).toContain('<html lang="en" data-theme="dark">')
    expect(html).toContain(
      '<header class="event-head"><img class="logo" src="https://cdn.example.com/logo.png" alt="Acme"><div class="cover cover-made" data-pattern="0"></div>',
    )
    expect(policy).toContain(`style-src 'self' ${hashOf(GREEN)};`)
    const again = await page(`/e/${id}`, { "if-none-match": answer.headers.get("etag") ?? "" })
    expect([again.answer.status, again.policy]).toEqual([304, policy])
    for (const path of [`/screen/${id}`, `/survey/${id}`, `/answers/${id}`]) {
      const worn = await page(path)
      expect(worn.html, path).toContain(`<style id="branding">${GREEN}</style></head>`)
      expect(worn.html, path).toContain('<html lang="en" data-theme="dark">')
      expect(worn.html, path).not.toContain("Launch")
      expect(worn.policy, path).toContain(`style-src 'self' ${hashOf(GREEN)};`)
    }
    const screen = await page(`/screen/${id}`)
    expect(screen.policy).toContain("img-src 'self' data: blob: https:;")
    expect(screen.policy).toContain("media-src 'self' blob:;")
  })

  test("have none of it without a branding, nor where the event is private", async () => {
    const bare = await published({})
    const hidden = await published({ branding: OWN, visibility: "private" })
    for (const path of [`/e/${bare.id}`, `/e/${hidden.id}`, `/screen/${hidden.id}`, `/survey/${bare.id}`]) {
      const { html, policy } = await page(path)
      expect(html, path).not.toMatch(/<style|data-theme|class="logo"/)
      expect(policy, path).toContain("style-src 'self';")
    }
  })

  test("run nothing that a name, a title or an address has", async () => {
    const made = await createWorkspace(server.url)
    const name = '"><script>alert(1)</script>'
    const branding = { ...OF_WORKSPACE, logoUrl: "https://cdn.example.com/?a=1&b=(alert)" }
    expect((await patchWorkspace({ name, branding }, made)).status).toBe(200)
    const { id } = await createEvent(server.url, made.key, { title: name })
    await call(server.url, "POST", `/v1/events/${id}/publish`, { key: made.key })
    const { html } = await page(`/e/${id}`)
    expect(html).not.toContain("<script>alert")
    expect(html).toContain('alt="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">')
    expect(html).toContain('src="https://cdn.example.com/?a=1&amp;b=(alert)"')
  })
})

test("the list of a workspace's public events wears its branding, and loads pictures from their hosts alone", async () => {
  const made = await createWorkspace(server.url)
  const slug = `brand-${made.id.slice(-8)}`
  await patchWorkspace({ slug, publicList: true }, made)
  const plain = await page(`/w/${slug}`)
  expect(plain.html).not.toContain("<img")
  expect(plain.policy).not.toContain("img-src")
  await patchWorkspace({ branding: { ...OF_WORKSPACE, logoUrl: "https://logos.example:8443/acme.png" } }, made)
  const { html, policy } = await page(`/w/${slug}`)
  expect(html).toContain(
    '<main><img class="logo" src="https://logos.example:8443/acme.png" alt="Acme"><img class="cover"',
  )
  expect(html).toContain(":root{color-scheme:light}")
  expect(html).toContain("a{color:light-dark(#7f690a,#ffd400)}")
  expect(policy).toContain("img-src https://logos.example:8443 https://cdn.example.com;")
})
