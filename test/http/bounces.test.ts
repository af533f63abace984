/** Addresses that take no emails: they are reported, get none, are shown and counted, and are forgotten with their person. */
import { expect, test } from "vitest"
import { type CallOptions, createEvent, createWorkspace, type Json, newEmail } from "../support/api.ts"
import { apiOf, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const ask = apiOf(server)
const api = (method: string, path: string, options: CallOptions = {}) =>
  ask(method, path, { key: acme.key, ...options })

const subjectsOf = async (email: string): Promise<ReadonlyArray<string>> => {
  const { mails } = (await api("GET", `/v1/dev/outbox?to=${email}`, { key: undefined })).body
  return mails.map(({ subject }: Json) => subject).toReversed()
}
const published = async (fields: object = {}, key = acme.key): Promise<string> => {
  const { id } = await createEvent(server.url, key, { title: "Launch", ...fields })
  await api("POST", `/v1/events/${id}/publish`, { key })
  return id
}
const register = (id: string, email: string) =>
  api("POST", `/v1/public/events/${id}/register`, { key: undefined, body: { name: "Zoe", email } })
const registrationOf = async (id: string, email: string): Promise<Json> =>
  (await api("GET", `/v1/events/${id}/registrations?q=${email}`)).body.registrations[0]
const bounces = () => `/v1/workspaces/${acme.id}/bounces`
const report = (email: string, reason?: string) =>
  api("POST", bounces(), { body: { email, ...(reason === undefined ? {} : { reason }) } })

test("a reported address gets no emails, whatever sends them, until its reports are taken back", async () => {
  const [email, other] = [newEmail(), newEmail()]
  const id = await published({ capacity: 1, waitingList: { offerHours: 24 } })
  await register(id, email)
  await register(id, other)
  expect(await subjectsOf(email)).toEqual(["Your place at Launch"])
  expect(await registrationOf(id, email)).toMatchObject({ bouncedAt: null })
  const { status, body } = await report(email.toUpperCase(), "550 No such mailbox")
  expect([status, body]).toEqual([
    200,
    {
      id: expect.any(String),
      email,
      reason: "550 No such mailbox",
      reports: 1,
      createdAt: expect.any(String),
      lastAt: expect.any(String),
    },
  ])
  const known = await registrationOf(id, email)
  expect(known.bouncedAt).toBe(body.createdAt)
  const again = await api("POST", `/v1/events/${id}/registrations/${known.id}/resend`)
  expect([again.status, again.body.code]).toEqual([409, "conflict"])
  // A second event confirms and invites nobody there, and the inviter gets the link.
  const second = await published()
  await register(second, email)
  const invited = await api("POST", `/v1/workspaces/${acme.id}/invites`, {
    body: { email, eventId: second, role: "speaker" },
  })
  expect(invited.body).toMatchObject({ mailed: false, inviteUrl: expect.any(String) })
  expect(await subjectsOf(email)).toEqual(["Your place at Launch"])
  expect(await subjectsOf(other)).toEqual(["Waiting list: Launch"])

  expect((await api("DELETE", `${bounces()}?email=${email}`)).status).toBe(204)
  expect(await registrationOf(id, email)).toMatchObject({ bouncedAt: null })
  expect((await api("POST", `/v1/events/${id}/registrations/${known.id}/resend`)).status).toBe(200)
  expect(await subjectsOf(email)).toEqual(["Your place at Launch", "Your place at Launch"])
  expect((await api("DELETE", `${bounces()}?email=${email}`)).status).toBe(404)
})

test("a place is offered without an email to a person whose address takes none", async () => {
  const [holder, waiting] = [newEmail(), newEmail()]
  const id = await published({ capacity: 1, waitingList: { offerHours: 24 } })
  for (const email of [holder, waiting]) await register(id, email)
  await report(waiting)
  await api("DELETE", `/v1/events/${id}/registrations/${(await registrationOf(id, holder)).id}`)
  await eventually(async () => (await registrationOf(id, waiting)).state === "offered", "the place is offered")
  expect(await subjectsOf(waiting)).toEqual(["Waiting list: Launch"])
})

test("reports are counted by address, and listed page by page with the newest address first", async () => {
  const [first, second] = [newEmail(), newEmail()]
  const id = await published()
  for (const email of [first, second]) await register(id, email)
  await report(first, "Full")
  await report(second)
  const repeated = (await report(first)).body
  expect(repeated).toMatchObject({ email: first, reason: "Full", reports: 2 })
  expect(repeated.lastAt > repeated.createdAt).toBe(true)
  const page = (await api("GET", `${bounces()}?limit=1`)).body
  expect(page.bounces).toMatchObject([{ email: second, reason: null, reports: 1 }])
  const next = (await api("GET", `${bounces()}?limit=1&cursor=${page.nextCursor}`)).body
  expect(next.bounces).toEqual([repeated])
  const file = await api("GET", `/v1/events/${id}/registrations?format=csv`)
  const [names, ...rows] = String(file.body).trim().split("\r\n")
  expect(names).toBe("id,name,email,createdAt,state,position,offerEndsAt,declineReason,bouncedAt")
  expect(rows.find((row) => row.includes(first))).toMatch(new RegExp(`,${repeated.createdAt}$`))
})

test("a report concerns its own workspace alone, and an address that the workspace knows", async () => {
  const email = newEmail()
  expect((await report(email)).status).toBe(404)
  await register(await published(), email)
  expect((await report(email)).status).toBe(200)
  const house = await createWorkspace(server.url)
  await register(await published({ title: "Elsewhere" }, house.key), email)
  expect(await subjectsOf(email)).toEqual(["Your place at Launch", "Your place at Elsewhere"])
  const foreign = await api("POST", bounces(), { key: house.key, body: { email } })
  expect(foreign.status).toBe(404)
  const theirs = await api("GET", `/v1/workspaces/${house.id}/bounces`, { key: house.key })
  expect(theirs.body.bounces).toEqual([])
})

test("a report of the address of a user with an account is taken", async () => {
  const { id, key, owner } = await createWorkspace(server.url)
  const reportOwner = () => api("POST", `/v1/workspaces/${id}/bounces`, { key, body: { email: owner.email } })
  expect((await reportOwner()).status).toBe(404)
  const session = await api("POST", `/v1/workspaces/${id}/session`, { key: undefined, cookie: owner.cookie })
  expect(session.status).toBe(200)
  expect((await reportOwner()).status).toBe(200)
})

test("the report is exported and erased with the person, also after their registrations are gone", async () => {
  const email = newEmail()
  const id = await published()
  await register(id, email)
  await report(email, "Full")
  await api("DELETE", `/v1/events/${id}/registrations/${(await registrationOf(id, email)).id}`)
  const person = `/v1/workspaces/${acme.id}/registrants`
  const { items } = (await api("GET", `${person}/export?email=${email}`)).body
  expect(items.filter(({ kind }: Json) => kind === "bounce")).toEqual([
    {
      kind: "bounce",
      id: expect.any(String),
      eventId: null,
      at: expect.any(String),
      data: { email, reason: "Full", reports: 1, lastAt: expect.any(String) },
    },
  ])
  expect((await api("DELETE", `${person}?email=${email}`)).status).toBe(204)
  const { bounces: left } = (await api("GET", bounces())).body
  expect(left.map((one: Json) => one.email)).not.toContain(email)
  await register(id, email)
  expect(await subjectsOf(email)).toHaveLength(2)
})

test("the report of a user's address is erased with the user", async () => {
  const email = newEmail()
  const { body: user } = await api("POST", "/v1/users", { body: { externalSub: email, name: "Zoe", email } })
  expect((await report(email)).status).toBe(200)
  expect((await api("DELETE", `/v1/users/${user.id}`)).status).toBe(204)
  const { bounces: left } = (await api("GET", bounces())).body
  expect(left.map((one: Json) => one.email)).not.toContain(email)
})
