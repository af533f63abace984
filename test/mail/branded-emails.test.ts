/** Emails of a workspace with a branding, as an SMTP server receives them. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createWorkspace, signup, tokenIn, type Workspace } from "../support/api.ts"
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from "../support/mail-server.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let mail: MailServer
let server: TestServer
let acme: Workspace
beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({
    NODE_ENV: "production",
    PUBLIC_URL: "https://events.example.com",
    APP_URL: "https://app.example.com",
    SMTP_URL: mail.url,
    MAIL_FROM: "Events <events@example.com>",
  })
  const owner = await signup(server.url)
  const token = tokenIn(linkIn(await mail.next(owner.email)).href)
  await call(server.url, "POST", "/v1/accounts/verify", { body: { token } })
  acme = await createWorkspace(server.url, owner)
})
afterAll(async () => {
  await server.stop()
  await mail.close()
})

/** The parts of an email in text and in HTML, without their transfer encoding (RFC 2045, section 6). */
const partsOf = ({ raw }: ReceivedMail) => {
  const partOf = (type: string): string => {
    const [, head = "", body = ""] =
      new RegExp(`(Content-Type: text/${type}[^\\r]*\\r\\n(?:[^\\r]+\\r\\n)*)\\r\\n([\\s\\S]*?)\\r\\n--`, "u").exec(
        raw,
      ) ?? []
    if (/base64/.test(head)) return Buffer.from(body, "base64").toString("utf8")
    return body.replaceAll(/=\r\n/gu, "").replaceAll("=3D", "=").replaceAll("=20", " ")
  }
  return { text: partOf("plain"), html: partOf("html") }
}

const register = async (fields: object, email: string) => {
  const { id } = await createEvent(server.url, acme.key, { ...fields })
  await call(server.url, "POST", `/v1/events/${id}/publish`, { key: acme.key })
  const answer = await call(server.url, "POST", `/v1/public/events/${id}/register`, { body: { name: "Zoe", email } })
  expect(answer.status).toBe(200)
  return partsOf(await mail.next(email))
}

const BRANDING = {
  logoUrl: "https://cdn.example.com/logo.png?a=1&b=2",
  accent: "#ffd400",
  theme: "dark",
  coverUrl: "https://cdn.example.com/cover.jpg",
}

test("an email has the workspace's logo with its name for who sees no pictures, its cover, and a button in its colour", async () => {
  const answer = await call(server.url, "PATCH", `/v1/workspaces/${acme.id}`, {
    cookie: acme.owner.cookie,
    body: { branding: BRANDING },
  })
  expect(answer.status).toBe(200)
  const { text, html } = await register({ title: "Launch" }, "a@example.com")
  const logo = '<img src="https://cdn.example.com/logo.png?a=1&amp;b=2" alt="Acme" height="40">'
  expect(html).toContain(`<td bgcolor="#ffffff"><font color="#15161d">${logo}</font></td>`)
  expect(html).toContain('<p><img src="https://cdn.example.com/cover.jpg" alt="" width="100%"></p>')
  // A readable shade of the yellow, with a text of its own colour: a mail program that darkens the page leaves both as they are.
  expect(html).toMatch(
    /<td bgcolor="#7f690a"><font color="#ffffff"><a href="https:\/\/app\.example\.com\/enter\/[^"]+"><font color="#ffffff"><b>Enter the event<\/b>/,
  )
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  expect(html.match(/bgcolor/g)).toHaveLength(2)
  expect(text).toContain("Enter the event:\nhttps://app.example.com/enter/".replaceAll("\n", "\r\n"))
  expect(text).not.toMatch(/cdn\.example|#7f690a|Acme/)
})

test("an event's own logo and colour win over the workspace's, and a name is text", async () => {
  const name = '"><img src=x onerror=alert(1)>'
  await call(server.url, "PATCH", `/v1/workspaces/${acme.id}`, { cookie: acme.owner.cookie, body: { name } })
  const branding = { logoUrl: "https://cdn.example.com/own.png", accent: "#0b7a4b", theme: null }
  const { html } = await register({ branding, coverUrl: "https://cdn.example.com/own.jpg" }, "b@example.com")
  expect(html).toContain(
    'src="https://cdn.example.com/own.png" alt="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" height="40"',
  )
  expect(html).toContain('<img src="https://cdn.example.com/own.jpg" alt=""')
  expect(html).toContain('<td bgcolor="#0b7a4b">')
  expect(html).not.toContain("<img src=x")
})
