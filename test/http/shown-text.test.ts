/** Text of one person on other people's screens: stored and sent without what cannot be seen, and refused where nothing is left. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  PASSWORD,
  type Workspace,
} from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let acme: Workspace
beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const HIDDEN = "\u202eAda\u200b \u2066Lovelace\ufeff 👩‍🚀\u200d می‌خواهم"
const SHOWN = "Ada Lovelace 👩‍🚀 می‌خواهم"
const NOTHING = "\u200b\u202e\u3164"

const api = (method: string, path: string, body: object, key: string | undefined = acme.key) =>
  call(server.url, method, path, { key, body })

const signup = (name: string) =>
  call(server.url, "POST", "/v1/accounts/signup", {
    body: { email: `${randomUUID()}@example.com`, password: PASSWORD, name },
  })

test("names and titles are taken without it", async () => {
  expect((await signup(HIDDEN)).body.account.name).toBe(SHOWN)
  expect((await api("POST", "/v1/users", { externalSub: randomUUID(), name: HIDDEN })).body.name).toBe(SHOWN)
  const { cookie } = acme.owner
  const renamed = await call(server.url, "PATCH", `/v1/workspaces/${acme.id}`, { cookie, body: { name: HIDDEN } })
  expect(renamed.body.name).toBe(SHOWN)
  const event = await api("POST", "/v1/events", { type: HIDDEN, title: HIDDEN, metadata: { description: HIDDEN } })
  expect(event.body).toMatchObject({ type: SHOWN, title: SHOWN, metadata: { description: HIDDEN } })
  expect((await api("PATCH", `/v1/events/${event.body.id}`, { title: `${HIDDEN}!` })).body.title).toBe(`${SHOWN}!`)
  await api("POST", `/v1/events/${event.body.id}/publish`, {})
  const page = await call(server.url, "GET", `/v1/public/events/${event.body.id}`)
  expect(page.body).toMatchObject({ title: `${SHOWN}!`, description: SHOWN })
})

test("what is empty without it is refused as empty is", async () => {
  expect((await signup(NOTHING)).body.code).toBe("bad_request")
  for (const body of [
    { type: "t", title: NOTHING },
    { type: NOTHING, title: "t" },
  ]) {
    expect((await api("POST", "/v1/events", body)).body.code).toBe("bad_request")
  }
  expect((await api("POST", "/v1/users", { externalSub: randomUUID(), name: NOTHING })).body.name).toBeNull()
})

test("a live event's chat, questions, polls and announcements hold none of it, and line breaks stay", async () => {
  const featureSet = ["chat", "qa", "polls"]
  const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "meeting", featureSet }] })
  const { session } = await createPerson(server.url, acme.key, event.id, "host", HIDDEN)
  const { token, url } = await gatewayToken(server.url, event.id, session)
  const host = new Client(url)
  expect((await host.identify(token)).d.me.name).toBe(SHOWN)
  const text = `${HIDDEN}\n${HIDDEN}`
  expect((await host.command("chat.send", { to: "event", text })).d.message.text).toBe(`${SHOWN}\n${SHOWN}`)
  expect((await host.command("question.ask", { text: HIDDEN })).d.question.text).toBe(SHOWN)
  const poll = { question: HIDDEN, kind: "single", options: [HIDDEN, "b"] }
  expect((await host.command("poll.create", poll)).d.poll).toMatchObject({
    question: SHOWN,
    options: [{ text: SHOWN }, {}],
  })
  await host.command("announce", { text: HIDDEN })
  expect((await host.dispatch("announcement")).d.text).toBe(SHOWN)
  for (const [t, d] of [
    ["chat.send", { to: "event", text: NOTHING }],
    ["question.ask", { text: NOTHING }],
    ["announce", { text: NOTHING }],
  ] as const) {
    expect((await host.command(t, d)).e.code).toBe("bad_request")
  }
  await host.cut()
  const asked = await call(server.url, "POST", `/v1/public/events/${event.id}/questions`, {
    bearer: session,
    body: { text: HIDDEN },
  })
  expect(asked.body.text).toBe(SHOWN)
})
