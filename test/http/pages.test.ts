/** The pages that links in emails lead to. */
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

const open = (path: string) => fetch(server.url + path)
const submit = (path: string, fields: { readonly [name: string]: string }) =>
  fetch(server.url + path, { method: "POST", body: new URLSearchParams(fields) })

const verifyToken = async (): Promise<{ readonly token: string; readonly email: string }> => {
  const email = `ada-${crypto.randomUUID()}@example.com`
  const body = { email, password: PASSWORD, name: "Ada" }
  const answer = await call(server.url, "POST", "/v1/accounts/signup", { body })
  return { token: tokenIn(answer.body.verifyUrl), email }
}

const resetToken = async () => {
  const account = await signup(server.url)
  const body = { email: account.email }
  const answer = await call(server.url, "POST", "/v1/accounts/request-password-reset", { body })
  return { account, token: tokenIn(answer.body.resetUrl) }
}

/** What the script of the page does with the token behind the `#`. */
const follow = (url: string) => submit(`${new URL(url).pathname}/open`, { token: tokenIn(url) })

describe("every page", () => {
  test.each(["/", "/verify?token=x", "/reset?token=x"])(
    "%s runs no script and sends no referrer to others",
    async (path) => {
      const answer = await open(path)
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(answer.headers.get("referrer-policy")).toBe("same-origin")
      const text = await answer.text()
      expect(text).toMatch(/<html lang="en">.*<main><h1>/s)
      expect(text).not.toContain("<script")
    },
  )

  test("escapes its input", async () => {
    const text = await (await open(`/verify?token=${encodeURIComponent('"><script>alert(1)</script>')}`)).text()
    expect(text).not.toContain("<script>")
  })

  test.each(["/verify", "/reset"])(
    "%s refuses a body that is no form, and bytes that are no text, in words",
    async (path) => {
      const json = await fetch(server.url + path, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      })
      expect([json.status, json.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"])
      expect((await submit(path, { token: "\0" })).status).toBe(400)
      const bytes = await fetch(server.url + path, {
        method: "POST",
        body: new Uint8Array([0xff, 0xfe]),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
      expect(bytes.status).toBe(400)
      const put = await fetch(server.url + path, { method: "PUT" })
      expect(put.status).toBe(405)
    },
  )
})

describe("a page behind a link whose token stands behind the #", () => {
  test.each(["/verify", "/reset", "/invite", `/events/${crypto.randomUUID()}/table-summary`])(
    "%s has one script, which alone may run, and a form for people without scripts",
    async (path) => {
      const answer = await open(path)
      const text = await answer.text()
      const [, script = ""] = /<script>(.*)<\/script>/s.exec(text) ?? []
      const hash = createHash("sha256").update(script).digest("base64")
      expect(answer.headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}';`)
      expect(text.match(/<script/g)).toHaveLength(1)
      expect(text).toContain(`<form method="post" action="${path}/open">`)
      expect(answer.headers.get("referrer-policy")).toBe("same-origin")
    },
  )

  test("an unknown token is told so, and bad bytes are", async () => {
    expect((await submit("/verify/open", { token: "x" })).status).toBe(400)
    expect((await submit("/reset/open", {})).status).toBe(400)
    expect((await submit("/invite/open", { token: "x" })).status).toBe(404)
    expect((await submit("/verify/open", { token: "\0" })).status).toBe(400)
  })
})

describe("the page that confirms an address", () => {
  test("changes nothing when it is opened, and confirms when its button is pressed", async () => {
    const { token, email } = await verifyToken()
    for (let visit = 0; visit < 2; visit++) {
      const shown = await submit("/verify/open", { token })
      expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(`value="${token}"`)])
    }
    const done = await submit("/verify", { token })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining(email)])
    expect((await submit("/verify", { token })).status).toBe(400)
    expect((await open(`/verify?token=${token}`)).status).toBe(400)
  })
})

describe("the page that sets a new password", () => {
  test("reports the fault of the password and keeps the link, then sets it", async () => {
    const { account, token } = await resetToken()
    // A link from before has its token in the query.
    for (const shown of [await open(`/reset?token=${token}`), await submit("/reset/open", { token })])
      expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(`value="${token}"`)])
    const short = await submit("/reset", { token, password: "short" })
    expect([short.status, await short.text()]).toEqual([400, expect.stringContaining('role="alert"')])
    expect((await submit("/reset", { token, password: "a new password" })).status).toBe(200)
    const body = { email: account.email, password: "a new password" }
    expect((await call(server.url, "POST", "/v1/accounts/login", { body })).status).toBe(200)
    expect((await submit("/reset", { token, password: "a new password" })).status).toBe(400)
  })
})

describe("the page behind an entry link", () => {
  const event = async (fields: object = {}) => {
    const acme = await createWorkspace(server.url)
    const made = await createEvent(server.url, acme.key, { title: "Talks & <more>", ...fields })
    await call(server.url, "POST", `/v1/events/${made.id}/publish`, { key: acme.key })
    return made.id
  }

  test("greets the holder of the link, and has the time and state of the event", async () => {
    const place = { timeZone: "Asia/Kolkata", location: "Town hall & garden" }
    const id = await event({ scheduledAt: "2030-05-01T10:00:00Z", ...place })
    const email = `${crypto.randomUUID()}@example.com`
    await call(server.url, "POST", `/v1/public/events/${id}/register`, { body: { name: "Ada", email } })
    const { mails } = (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body
    const link = new URL(mails[0].links[0])
    expect([link.search, link.hash]).toEqual(["", expect.stringMatching(/^#token=\w{43}$/)])
    const shown = await follow(link.href)
    const text = await shown.text()
    expect(shown.status).toBe(200)
    const when = "1 May 2030 at 15:30 (Asia/Kolkata, GMT+5:30)"
    const where = "<p>Town hall &amp; garden</p>"
    for (const part of ["Welcome, Ada", "Talks &amp; &lt;more&gt;", when, where, "calendar.ics", "has not begun"])
      expect(text).toContain(part)
    expect((await open(`${link.pathname}?token=${tokenIn(link.href)}`)).status).toBe(200)
    expect((await open(`${link.pathname}?token=wrong`)).status).toBe(401)
    expect((await submit(`${link.pathname}/open`, { token: "wrong" })).status).toBe(401)
    expect(await (await open(link.pathname)).text()).toContain("personal link")
  })

  test("is not there for drafts, private events, and absent events", async () => {
    const hidden = await event({ visibility: "private" })
    for (const id of [hidden, crypto.randomUUID(), "nonsense"]) expect((await open(`/enter/${id}`)).status).toBe(404)
  })
})

describe("the page with a table's notes", () => {
  test("shows them to the holder of the link", async () => {
    const acme = await createWorkspace(server.url)
    const { id } = await createEvent(server.url, acme.key)
    const summary = {
      tldr: "We <agreed>",
      themes: [{ title: "Tools", summary: "Fewer" }],
      ideas: ["Meet again"],
      questions: [],
      perQuestion: [{ ordinal: 1, question: "Why?", discussed: true, summary: "Because" }],
    }
    const body = {
      table: { number: 1, label: "Table 1" },
      summary,
      stats: null,
      people: [],
      recipients: [{ userId: "u" }],
    }
    const stored = await call(server.url, "PUT", `/v1/events/${id}/tables/t/summary`, { key: acme.key, body })
    const link = new URL(stored.body.recipients[0].url)
    const text = await (await follow(link.href)).text()
    for (const part of ["We &lt;agreed&gt;", "Tools", "Meet again", "Because"]) expect(text).toContain(part)
    expect((await open(`${link.pathname}?t=wrong`)).status).toBe(404)
    expect((await open(`${link.pathname}?t=${tokenIn(link.href)}`)).status).toBe(200)
    expect((await submit("/events/nonsense/table-summary/open", { token: tokenIn(link.href) })).status).toBe(404)
  })
})
