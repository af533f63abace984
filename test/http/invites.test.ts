/** Invites from both sides: who manages them, and who holds one. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type Account,
  type CallOptions,
  call,
  createEvent,
  createWorkspace,
  newEmail,
  PASSWORD,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts"

import { setUpTotp } from "../support/second-factor.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
let invites: string
beforeAll(() => {
  invites = `/v1/workspaces/${acme.id}/invites`
})

const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)
const invite = (body: object = {}) => api("POST", invites, { key: acme.key, body })
const accept = (token: string, { cookie }: Account) => api("POST", `/v1/invites/${token}/accept`, { cookie })
const roleIn = async ({ cookie }: Account): Promise<string | undefined> =>
  (await api("GET", "/v1/accounts/me", { cookie })).body.workspaces.find(({ id }: { id: string }) => id === acme.id)
    ?.role

describe("inviting to a workspace", () => {
  test("answers the invite with its link in dev mode, and nothing that a list could leak", async () => {
    const email = newEmail()
    const made = await invite({ email: ` ${email.toUpperCase()}`, role: "admin" })
    expect([made.status, made.headers.get("location")]).toEqual([201, null])
    expect(made.body).toEqual({
      id: expect.any(String),
      kind: "workspace",
      email,
      role: "admin",
      eventId: null,
      status: "pending",
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      acceptedAt: null,
      revokedAt: null,
      inviteUrl: expect.stringMatching(/\/invite#token=\w{43}$/),
    })
    expect(Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt)).toBeGreaterThan(6.9 * 86_400_000)
    const listed = await api("GET", invites, { cookie: acme.owner.cookie })
    expect(listed.body.invites[0]).toMatchObject({ id: made.body.id, status: "pending" })
    expect(JSON.stringify(listed.body)).not.toMatch(/inviteUrl|token/i)
    const stored = await rows.run("select * from invites where id = $1", [made.body.id])
    expect(JSON.stringify(stored)).not.toContain(tokenIn(made.body.inviteUrl))
  })

  test("makes the person who accepts a member, at any address, exactly once", async () => {
    const token = tokenIn((await invite({ email: newEmail(), role: "admin" })).body.inviteUrl)
    const people = await Promise.all([signup(server.url), signup(server.url), signup(server.url)])
    const answers = await Promise.all(people.map((person) => accept(token, person)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect((await Promise.all(people.map(roleIn))).filter((role) => role === "admin")).toHaveLength(1)
    const won = answers.find(({ status }) => status === 200)
    expect(won?.body).toEqual({
      invite: expect.objectContaining({ status: "accepted", acceptedAt: expect.any(String) }),
      workspace: { id: acme.id, name: "Acme", slug: expect.any(String) },
    })
  })

  test("for somebody who is a member is a conflict, when inviting and when accepting, and uses nothing up", async () => {
    const member = await signup(server.url)
    await accept(tokenIn((await invite()).body.inviteUrl), member)
    const again = await invite({ email: member.email })
    expect([again.status, again.body.code]).toEqual([409, "conflict"])
    const token = tokenIn((await invite()).body.inviteUrl)
    expect((await accept(token, member)).status).toBe(409)
    expect((await accept(token, await signup(server.url))).status).toBe(200)
  })

  test("an address again revokes the older invite, also for many at once", async () => {
    const email = newEmail()
    const made = await Promise.all([1, 2, 3, 4].map(() => invite({ email })))
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const open = await rows.run("select 1 from invites where email = $1 and status = 'pending'", [email])
    expect(open).toHaveLength(1)
  })

  test("refuses a role or an event that its kind has not", async () => {
    for (const [what, body] of [
      ["a role of events", { role: "host" }],
      ["an event kind without an event", { kind: "event" }],
      ["a workspace kind with an event", { kind: "workspace", eventId: randomUUID() }],
    ] as const) {
      const answer = await invite(body)
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
    }
  })
})

describe("inviting to an event", () => {
  test("makes the participant identity and the membership, and lets the guest take a workspace session", async () => {
    const event = await createEvent(server.url, acme.key)
    const made = await invite({ email: newEmail(), eventId: event.id, role: "speaker" })
    expect(made.body).toMatchObject({ kind: "event", eventId: event.id, role: "speaker" })
    const speaker = await signup(server.url)
    const session = () => api("POST", `/v1/workspaces/${acme.id}/session`, { cookie: speaker.cookie })
    expect((await session()).status).toBe(404)
    const accepted = await accept(tokenIn(made.body.inviteUrl), speaker)
    expect(accepted.body.event).toEqual({ id: event.id, title: "Launch", scheduledAt: null })
    expect(await roleIn(speaker)).toBeUndefined()
    const { body } = await session()
    expect(body.participant.email).toBe(speaker.email)
    const grant = await api("POST", "/v1/auth/gateway-token", {
      bearer: body.sessionToken,
      body: { eventId: event.id },
    })
    expect([grant.status, grant.body.role]).toEqual([200, "speaker"])
    expect((await api("GET", `/v1/events/${event.id}`, { bearer: body.sessionToken })).status).toBe(404)
  })

  test("takes a role that the event has, by default the plainest", async () => {
    const call_ = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting" }] })
    const show = await createEvent(server.url, acme.key)
    expect((await invite({ eventId: call_.id })).body.role).toBe("participant")
    expect((await invite({ eventId: show.id })).body.role).toBe("viewer")
    const wrong = await invite({ eventId: show.id, role: "participant" })
    expect([wrong.status, wrong.body.code]).toEqual([400, "role_not_on_event"])
    expect(wrong.body.acceptedRoles).toEqual(["workspace_admin", "host", "speaker", "viewer"])
  })

  test("without phases gives administrators' rights and no other, and never by default", async () => {
    const { id: eventId } = await createEvent(server.url, acme.key, { phases: [] })
    for (const role of [{}, { role: "host" }, { role: "participant" }, { role: "viewer" }]) {
      const { status, body } = await invite({ eventId, ...role })
      expect([status, body.code, body.acceptedRoles]).toEqual([400, "role_not_on_event", ["workspace_admin"]])
    }
    expect((await invite({ eventId, role: "workspace_admin" })).status).toBe(201)
  })

  test("of another workspace, or one that does not exist, or is over, is refused", async () => {
    const foreign = await createWorkspace(server.url)
    const theirs = await createEvent(server.url, foreign.key)
    expect((await invite({ eventId: theirs.id })).status).toBe(404)
    expect((await invite({ eventId: randomUUID() })).status).toBe(404)
    const over = await createEvent(server.url, acme.key)
    const open = tokenIn((await invite({ eventId: over.id })).body.inviteUrl)
    for (const verb of ["publish", "start", "end"])
      await api("POST", `/v1/events/${over.id}/${verb}`, { key: acme.key })
    expect((await invite({ eventId: over.id })).status).toBe(409)
    expect((await accept(open, await signup(server.url))).status).toBe(409)
  })

  test("goes with the event", async () => {
    const event = await createEvent(server.url, acme.key)
    const token = tokenIn((await invite({ eventId: event.id })).body.inviteUrl)
    await api("DELETE", `/v1/events/${event.id}`, { key: acme.key })
    expect((await api("GET", `/v1/invites/${token}`)).status).toBe(404)
  })
})

describe("an invite's states", () => {
  const open = async (): Promise<{ readonly id: string; readonly token: string }> => {
    const { body } = await invite({ email: newEmail() })
    return { id: body.id, token: tokenIn(body.inviteUrl) }
  }
  const settle = {
    accepted: async ({ token }: { token: string }) => void (await accept(token, await signup(server.url))),
    declined: ({ token }: { token: string }) => api("POST", `/v1/invites/${token}/decline`),
    revoked: ({ id }: { id: string }) => api("DELETE", `${invites}/${id}`, { key: acme.key }),
    expired: ({ id }: { id: string }) =>
      rows.run("update invites set expires_at = now() - interval '1 second' where id = $1", [id]),
  }

  test.each(["accepted", "declined", "revoked", "expired"] as const)(
    "%s: the page states it, and has no form",
    async (state) => {
      const made = await open()
      await settle[state](made)
      const preview = await api("GET", `/v1/invites/${made.token}`)
      expect([preview.status, preview.body.status]).toEqual([200, state])
      const attempts = [
        await accept(made.token, await signup(server.url)),
        await api("POST", `/v1/invites/${made.token}/decline`),
      ]
      expect(attempts.map(({ status, body }) => [status, body.code])).toEqual([
        [409, "conflict"],
        [409, "conflict"],
      ])
      const late = {
        revoke: (await api("DELETE", `${invites}/${made.id}`, { key: acme.key })).status,
        resend: (await api("POST", `${invites}/${made.id}/resend`, { key: acme.key })).status,
      }
      expect(late).toEqual({ revoke: 409, resend: 409 })
    },
  )

  test("a resend gives a new token and a new week, and the old token is worthless", async () => {
    const made = await open()
    const again = await api("POST", `${invites}/${made.id}/resend`, { key: acme.key })
    expect([again.status, again.body.status]).toEqual([200, "pending"])
    expect((await api("GET", `/v1/invites/${made.token}`)).status).toBe(404)
    expect((await accept(tokenIn(again.body.inviteUrl), await signup(server.url))).status).toBe(200)
  })

  test("the preview shows the workspace or event and masks the address", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: "2030-01-01T10:00:00Z" })
    const { body } = await invite({ email: "ada.lovelace@example.com", eventId: event.id })
    const preview = await api("GET", `/v1/invites/${tokenIn(body.inviteUrl)}`)
    expect(preview.body).toEqual({
      kind: "event",
      status: "pending",
      workspace: { name: "Acme", slug: expect.any(String) },
      event: { id: event.id, title: "Launch", scheduledAt: "2030-01-01T10:00:00.000Z" },
      role: "viewer",
      email: "a•••@example.com",
      expiresAt: body.expiresAt,
    })
  })

  test("an unknown token, and another workspace's invite, are not there", async () => {
    const foreign = await createWorkspace(server.url)
    const made = await open()
    const answers = [
      await api("GET", "/v1/invites/nonsense%00"),
      await accept("nonsense", await signup(server.url)),
      await api("POST", "/v1/invites/nonsense/decline"),
      await api("DELETE", `/v1/workspaces/${foreign.id}/invites/${made.id}`, { key: foreign.key }),
      await api("POST", `/v1/workspaces/${foreign.id}/invites/${made.id}/resend`, { key: foreign.key }),
      await api("DELETE", `${invites}/nonsense`, { key: acme.key }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect((await accept(made.token, await signup(server.url))).status).toBe(200)
  })
})

describe("emails and pages", () => {
  let mail: MailServer
  let strict: TestServer
  beforeAll(async () => {
    mail = await startMailServer()
    strict = await startTestServer({
      NODE_ENV: "production",
      PUBLIC_URL: "https://events.example.com",
      SMTP_URL: mail.url,
      MAIL_FROM: "Events <events@example.com>",
    })
  })
  afterAll(async () => {
    await strict.stop()
    await mail.close()
  })

  /** Of somebody who has confirmed their address. */
  const provedWorkspace = async (): Promise<Workspace> => {
    const owner = await signup(strict.url)
    const token = tokenIn(linkIn(await mail.next(owner.email)).href)
    await call(strict.url, "POST", "/v1/accounts/verify", { body: { token } })
    return createWorkspace(strict.url, owner)
  }

  test("in production the link of an address is in its email only; a link invite is answered once", async () => {
    const workspace = await provedWorkspace()
    const path = `/v1/workspaces/${workspace.id}/invites`
    const mailed = await call(strict.url, "POST", path, { key: workspace.key, body: { email: "grace@example.com" } })
    expect(mailed.body.inviteUrl).toBeUndefined()
    const link = linkIn(await mail.next("grace@example.com"))
    expect((await call(strict.url, "GET", `/v1/invites/${tokenIn(link.href)}`)).status).toBe(200)
    const open = await call(strict.url, "POST", path, { key: workspace.key, body: {} })
    expect(open.body.inviteUrl).toMatch(/^https:\/\/events\.example\.com\/invite#token=\w{43}$/)
  })

  test("one address gets at most three invitations a minute", async () => {
    const workspace = await provedWorkspace()
    const path = `/v1/workspaces/${workspace.id}/invites`
    const ask = () => call(strict.url, "POST", path, { key: workspace.key, body: { email: "often@example.com" } })
    expect([(await ask()).status, (await ask()).status, (await ask()).status, (await ask()).status]).toEqual([
      201, 201, 201, 429,
    ])
  })

  const page = async (token: string, fields?: { readonly [name: string]: string }, headers = {}) => {
    const post = fields === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) }
    const answer = await fetch(`${server.url}/invite/${token}`, { ...post, headers })
    return { status: answer.status, text: await answer.text(), cookie: answer.headers.get("set-cookie")?.split(";")[0] }
  }
  const link = async () => tokenIn((await invite({ email: newEmail() })).body.inviteUrl)

  test("a visitor who is signed in accepts with one button, but not from another site's page", async () => {
    const [token, person] = [await link(), await signup(server.url)]
    const headers = { cookie: person.cookie }
    expect((await page(token, undefined, headers)).text).toContain("Accept as Ada")
    const forged = await page(token, { action: "accept" }, { ...headers, origin: "https://evil.example" })
    expect([forged.status, await roleIn(person)]).toEqual([403, undefined])
    expect((await page(token, { action: "accept" }, headers)).status).toBe(200)
    expect(await roleIn(person)).toBe("member")
    expect((await page(token)).text).toContain("It is accepted.")
  })

  test("a visitor with an account signs in and accepts; a wrong password is reported and loses nothing", async () => {
    const [token, person] = [await link(), await signup(server.url)]
    const wrong = await page(token, { action: "signIn", email: person.email, password: "wrong" })
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('role="alert"')])
    const right = await page(token, { action: "signIn", email: person.email, password: PASSWORD })
    expect([right.status, right.cookie]).toEqual([200, expect.stringMatching(/^gc_session=/)])
    expect(await roleIn({ ...person, cookie: right.cookie ?? "" })).toBe("member")
  })

  test("a visitor without an account makes one and accepts; bad fields and a taken address are reported", async () => {
    const token = await link()
    const email = newEmail()
    expect((await page(token, { action: "signUp", name: "", email, password: PASSWORD })).status).toBe(400)
    expect(
      (await page(token, { action: "signUp", name: "A", email: acme.owner.email, password: PASSWORD })).status,
    ).toBe(409)
    const made = await page(token, { action: "signUp", name: "Grace", email, password: PASSWORD })
    expect(made.status).toBe(200)
    expect((await api("GET", "/v1/accounts/me", { cookie: made.cookie })).body.workspaces).toHaveLength(2)
  })

  test("a closed invite makes no account", async () => {
    const token = await link()
    await page(token, { action: "decline" })
    const email = newEmail()
    const late = await page(token, { action: "signUp", name: "Grace", email, password: PASSWORD })
    expect(late.text).toContain("It is declined.")
    expect((await api("POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })).status).toBe(401)
  })

  test("a visitor may decline; unknown tokens and actions get a page in words", async () => {
    const token = await link()
    expect((await page(token, { action: "constructor" })).status).toBe(200)
    expect((await page(token, { action: "decline" })).text).toContain("Declined")
    expect((await page(token, { action: "accept" })).status).toBe(200)
    expect((await page("nonsense")).status).toBe(404)
    expect((await page("nonsense", { action: "signIn", email: "a", password: "b" })).status).toBe(404)
  })
})

describe("a second factor", () => {
  const submit = (fields: { readonly [name: string]: string }) =>
    fetch(`${server.url}/invite`, { method: "POST", body: new URLSearchParams(fields) })

  test("an account with a second factor accepts an invitation after its code, and not with the password alone", async () => {
    const owner = await signup(server.url)
    const acme = await createWorkspace(server.url, owner)
    const invites = `/v1/workspaces/${acme.id}/invites`
    const { inviteUrl } = (await call(server.url, "POST", invites, { cookie: owner.cookie, body: { role: "member" } }))
      .body
    const token = tokenIn(inviteUrl)
    const bob = await signup(server.url, "Bob")
    const [code = "", later = ""] = (await setUpTotp(server.url, bob)).recoveryCodes

    const asked = await submit({ token, action: "signIn", email: bob.email, password: PASSWORD })
    const text = await asked.text()
    expect([asked.status, asked.headers.get("set-cookie"), text.includes("Your code")]).toEqual([200, null, true])
    const [, mfaToken = ""] = /name="mfaToken" value="([^"]+)"/.exec(text) ?? []

    const wrong = await submit({ token, action: "code", mfaToken, code: "000000" })
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null])
    expect((await submit({ token, action: "code", mfaToken: "unknown", code })).status).toBe(401)

    const done = await submit({ token, action: "code", mfaToken, code })
    const cookie = done.headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(done.status).toBe(200)
    const { workspaces } = (await call(server.url, "GET", "/v1/accounts/me", { cookie })).body
    expect(workspaces.map(({ id }: { id: string }) => id)).toContain(acme.id)
    // The step is used up.
    expect((await submit({ token, action: "code", mfaToken, code: later })).headers.get("set-cookie")).toBe(null)
  })
})
