/** The rights of API keys: the scope of each operation, keys for some events, what a key may give to others, and what ends with it. */
import { randomUUID } from "node:crypto"
import { HttpApi } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { SECURITY } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import { traitsOf } from "../../src/http/requests/endpoint-traits.ts"
import {
  type Account,
  type Answer,
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createWorkspace,
  type Json,
  signup,
  tokenIn,
} from "../support/api.ts"
import { newPartnerKey } from "../support/partner.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const SCOPES = ["read", "events:write", "live", "people", "media", "webhooks", "admin"] as const
type Scope = (typeof SCOPES)[number]

/** Written by hand: what each operation needs that a key may call. Answers that everybody gets need none. */
const NEEDS: { readonly [scope in Scope | "none"]: string } = {
  none: "getQrCode getPublicEvent getRecap getContent getAsset getCalendar",
  read: `listEvents getEvent listSeries getSeries listTemplates listQuestions listAttendance listRegistrations getForm previewEmail getFormResults listFormAnswers listChat listPolls listRounds listUsers listMemberships
    listGuestIntegrations listGuestRefusals listWebhooks listWebhookDeliveries getWebhookDelivery listOccurrences getBroadcast listRecordings getRecording listClips
    getClip getLiveState listParticipants listRooms getTranscript getEventTranscript draftTableSummary listInvites listBounces`,
  "events:write": `createEvent cloneEvent createTemplate createSeries patchSeries publishSeries endSeries patchEvent deleteEvent publishEvent cancelEvent reinstateEvent appendPhase orderPhases patchPhase deletePhase createJoinCode putForm`,
  live: `startEvent advanceEvent endEvent extendPhase patchQuestion startBroadcast pauseBroadcast resumeBroadcast stopBroadcast
    createIngest createUserSession sendCommand sendCommands`,
  people: `importRegistrations cancelRegistration resendRegistration approveRegistration declineRegistration approveRegistrations declineRegistrations upsertUser deleteUser createMembership deleteMembership exportUser exportRegistrant
    eraseRegistrant exportGuest eraseGuest exportNamedGuest eraseNamedGuest reportBounce deleteBounce createInvite revokeInvite resendInvite`,
  media: `createRecording addressParts completeRecording deleteRecording createClip deleteClip pushTranscript putTranscript putSummary
    putTableSummary`,
  webhooks: `createWebhook patchWebhook deleteWebhook rotateWebhookSecret pingWebhook redeliverWebhookDelivery sendWebhookExamples
    replayWebhook`,
  admin: `createKeyByKey createGuestIntegration deleteGuestIntegration listAudit`,
}
const needOf = (operation: string): string | undefined =>
  Object.entries(NEEDS).find(([, operations]) => operations.split(/\s+/).includes(operation))?.[0]

const OPERATIONS: { readonly name: string; readonly method: string; readonly path: string }[] = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const takesKeys = SECURITY[traitsOf(endpoint).access].some((scheme) => "apiKey" in scheme)
    if (takesKeys) OPERATIONS.push({ name: endpoint.identifier, method: endpoint.method, path: endpoint.path })
  },
})

const api = (method: string, path: string, key: string, body?: object): Promise<Answer> =>
  call(server.url, method, path, { key, ...(body === undefined ? {} : { body }) })
const makeKey = (body: object, key = acme.key): Promise<Answer> => api("POST", "/v1/api-keys", key, body)
const makeUser = async (name: string): Promise<Json> =>
  (await api("POST", "/v1/users", acme.key, { externalSub: `${name} ${randomUUID()}`, name })).body
const keyWith = async (body: object): Promise<string> => (await makeKey(body)).body.secret
const lacks = (scope: Scope) => ({
  status: 403,
  body: { code: "forbidden", detail: `The API key does not have the scope ${scope}.` },
})

describe("scopes", () => {
  test("every operation that takes keys is in the table", () => {
    expect(OPERATIONS.map(({ name }) => name).filter((name) => needOf(name) === undefined)).toEqual([])
  })

  test.each(SCOPES)("%s suffices for the operations of its row, and for no other one", async (scope) => {
    const key = await keyWith({ scopes: [scope] })
    const verdictOf = async ({ method, path }: (typeof OPERATIONS)[number]): Promise<string> => {
      const target = path.replaceAll(/:\w+/g, () => randomUUID()).replace(/^(\/v1\/workspaces\/)[^/]+/, `$1${acme.id}`)
      const { status, body } = await api(method, target, key, method === "GET" ? undefined : {})
      // A server that is too busy has not judged the key.
      expect([429, 503], body?.detail).not.toContain(status)
      return /does not have the scope (\S+)\.$/.exec(body?.detail ?? "")?.[1] ?? "enough"
    }
    // All at once they would wait for the database longer than a request may.
    const verdicts: Array<ReadonlyArray<string>> = []
    for (const one of OPERATIONS) verdicts.push([one.name, await verdictOf(one)])
    const expected = OPERATIONS.map(({ name }) => {
      const need = needOf(name)
      return [name, need === scope || need === "none" ? "enough" : need]
    })
    expect(verdicts).toEqual(expected)
  })

  test("a key has all of them unless it is made with some, and one that was made before has all", async () => {
    const { id, secret, scopes, eventIds } = (await makeKey({})).body
    expect([scopes, eventIds]).toEqual([SCOPES, null])
    await rows.run("update api_keys set scopes = null where id = $1", [id])
    expect((await api("GET", `/v1/workspaces/${acme.id}/audit`, secret)).status).toBe(200)
    const listed = await call(server.url, "GET", `/v1/workspaces/${acme.id}/api-keys`, { cookie: acme.owner.cookie })
    expect(listed.body.apiKeys.find((key: Json) => key.id === id).scopes).toEqual(SCOPES)
  })

  test("a private event is shown to a key that may read, and to no other", async () => {
    const event = await createEvent(server.url, acme.key, { visibility: "private" })
    await api("POST", `/v1/events/${event.id}/publish`, acme.key)
    const look = async (key: string) => (await api("GET", `/v1/public/events/${event.id}`, key)).status
    expect(await look(await keyWith({ scopes: ["read"] }))).toBe(200)
    expect(await look(await keyWith({ scopes: ["webhooks"] }))).toBe(404)
  })
})

describe("a key for some events", () => {
  test("reads and changes these, and sees no others", async () => {
    const [own, other] = [await createEvent(server.url, acme.key), await createEvent(server.url, acme.key)]
    const key = await keyWith({ eventIds: [own.id] })
    expect((await api("GET", "/v1/events", key)).body.events.map(({ id }: Json) => id)).toEqual([own.id])
    const phaseOf = async (id: string) => (await api("GET", `/v1/events/${id}`, acme.key)).body.phases[0].id
    for (const [id, status] of [
      [own.id, 200],
      [other.id, 404],
    ] as const) {
      expect((await api("GET", `/v1/events/${id}`, key)).status).toBe(status)
      expect((await api("PATCH", `/v1/events/${id}`, key, { title: "Mine" })).status).toBe(status)
      expect((await api("PATCH", `/v1/phases/${await phaseOf(id)}`, key, { config: {} })).status).toBe(status)
      expect((await api("GET", `/v1/events/${id}/recordings`, key)).status).toBe(status)
      expect((await api("POST", `/v1/events/${id}/publish`, key)).status).toBe(status)
    }
    expect((await api("GET", `/v1/events/${other.id}`, acme.key)).body.title).not.toBe("Mine")
  })

  test("does nothing that concerns the whole workspace", async () => {
    const event = await createEvent(server.url, acme.key)
    const key = await keyWith({ eventIds: [event.id] })
    const user = await makeUser("Ada")
    for (const [method, path, body] of [
      ["POST", "/v1/events", { type: "webinar", title: "Another" }],
      ["GET", "/v1/users"],
      ["POST", "/v1/users", { externalSub: "ada" }],
      ["POST", `/v1/users/${user.id}/session`],
      ["GET", "/v1/webhooks"],
      ["POST", "/v1/webhooks", { url: "https://example.com/" }],
      ["POST", `/v1/workspaces/${acme.id}/invites`, { email: "a@example.com" }],
      ["GET", `/v1/workspaces/${acme.id}/audit`],
    ] as const) {
      expect([path, (await api(method, path, key, body)).status]).toEqual([path, 403])
    }
    expect(
      (await api("POST", `/v1/events/${event.id}/memberships`, key, { userId: user.id, role: "host" })).status,
    ).toBe(201)
  })

  test("names no event of another workspace", async () => {
    const foreign = await createWorkspace(server.url)
    const event = await createEvent(server.url, foreign.key)
    expect(await makeKey({ eventIds: [event.id] })).toMatchObject({
      status: 400,
      body: { detail: "eventIds: must name events of the workspace." },
    })
  })
})

describe("a key gives nothing that it does not have:", () => {
  test("no scope and no event to another key", async () => {
    const [own, other] = [await createEvent(server.url, acme.key), await createEvent(server.url, acme.key)]
    const key = await keyWith({ scopes: ["read", "admin"], eventIds: [own.id] })
    const refused = { status: 403, body: { code: "forbidden" } }
    expect(await makeKey({ scopes: ["read", "live"] }, key)).toMatchObject(refused)
    expect(await makeKey({ eventIds: [other.id] }, key)).toMatchObject(refused)
    expect(await makeKey({ eventIds: [own.id, other.id] }, key)).toMatchObject(refused)
    const same = { scopes: ["read", "admin"], eventIds: [own.id] }
    expect((await makeKey({}, key)).body).toMatchObject(same)
    expect((await makeKey({ eventIds: null }, key)).body).toMatchObject(same)
    expect((await makeKey({ scopes: ["read"] }, key)).body.scopes).toEqual(["read"])
  })

  test("no role above its scopes", async () => {
    const key = await keyWith({ scopes: ["people"] })
    const event = await createEvent(server.url, acme.key)
    const user = await makeUser("Ben")
    const invites = `/v1/workspaces/${acme.id}/invites`
    const give = (role: string) => api("POST", `/v1/events/${event.id}/memberships`, key, { userId: user.id, role })
    const invite = (body: object) => api("POST", invites, key, body)
    expect(await give("workspace_admin")).toMatchObject(lacks("admin"))
    expect(await give("host")).toMatchObject(lacks("live"))
    expect((await give("viewer")).status).toBe(201)
    expect(await invite({ role: "admin" })).toMatchObject(lacks("admin"))
    expect(await invite({ eventId: event.id, role: "host" })).toMatchObject(lacks("live"))
    expect((await invite({ role: "member" })).status).toBe(201)
    const byOwner = (await api("POST", invites, acme.key, { role: "admin" })).body
    expect(await api("POST", `${invites}/${byOwner.id}/resend`, key)).toMatchObject(lacks("admin"))
  })
})

test("a key ends after a year unless its maker says otherwise", async () => {
  const year = 365 * 86_400_000
  const before = Date.now()
  const makeByOwner = (body: object): Promise<Answer> =>
    call(server.url, "POST", `/v1/workspaces/${acme.id}/api-keys`, { cookie: acme.owner.cookie, body })
  const { expiresAt } = (await makeByOwner({})).body
  expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + year)
  expect(Date.parse(expiresAt)).toBeLessThan(before + year + 3_600_000)
  const endless = (await makeByOwner({ expiresAt: null })).body
  expect(endless.expiresAt).toBeNull()
  expect((await makeKey({ expiresAt: null }, endless.secret)).body.expiresAt).toBeNull()
  // A key makes none that lasts longer than itself.
  const soon = new Date(before + 3_600_000).toISOString()
  const short = (await makeKey({ expiresAt: soon })).body.secret
  expect((await makeKey({}, short)).body.expiresAt).toBe(soon)
  for (const later of [null, "2099-01-01T00:00:00.000Z"])
    expect((await makeKey({ expiresAt: later }, short)).status).toBe(403)
})

describe("the end of a key", () => {
  const api = apiOf(server)
  const at = (rest: string, workspace = acme) => `/v1/workspaces/${workspace.id}/${rest}`
  const asOwner = () => ({ cookie: acme.owner.cookie })
  const newKey = async (options: CallOptions = asOwner(), name = "leaked") => {
    const { body } = await api("POST", "/v1/api-keys", { ...options, body: { name } })
    return { id: body.id as string, key: body.secret as string }
  }
  const leaked = () => newKey({ key: acme.key })
  const invite = async (key: string, body: object) => {
    const made = await api("POST", at("invites"), { key, body })
    return { id: made.body.id as string, token: tokenIn(made.body.inviteUrl) }
  }
  const accept = ({ token }: { readonly token: string | undefined }, { cookie }: Account) =>
    api("POST", `/v1/invites/${token}/accept`, { cookie })
  const statusOf = async ({ token }: { readonly token: string | undefined }) =>
    (await api("GET", `/v1/invites/${token}`)).body.status
  const end = (id: string, query = "", options: CallOptions = asOwner()) =>
    api("DELETE", at(`api-keys/${id}${query}`), options)
  const shownKey = (id: string, key: string, name: string) => ({
    id,
    name,
    prefix: key.slice(0, 8),
    last4: key.slice(-4),
  })
  const isMember = async ({ cookie }: Account): Promise<boolean> =>
    (await api("GET", "/v1/accounts/me", { cookie })).body.workspaces.some(({ id }: { id: string }) => id === acme.id)

  describe("revoking an API key", () => {
    test("revokes its open invites and leaves those of others, its webhooks, and people who came by it", async () => {
      const { id, key } = await leaked()
      const [open, used, others] = [
        await invite(key, { role: "admin" }),
        await invite(key, { role: "member" }),
        await invite(acme.key, { role: "member" }),
      ]
      const came = await signup(server.url)
      expect((await accept(used, came)).status).toBe(200)
      const hook = { url: "https://hooks.example/a", events: ["event.started"] }
      const { body: webhook } = await api("POST", "/v1/webhooks", { key, body: hook })
      expect(await end(id)).toMatchObject({ status: 204, body: "" })
      expect(await Promise.all([open, used, others].map(statusOf))).toEqual(["revoked", "accepted", "pending"])
      expect((await accept(open, await signup(server.url))).status).toBe(409)
      expect(await isMember(came)).toBe(true)
      const { webhooks } = (await api("GET", "/v1/webhooks", { key: acme.key })).body
      expect(webhooks.map((one: { id: string }) => one.id)).toContain(webhook.id)
    })

    test("ends the invites of a key that has expired, too", async () => {
      const { id, key } = await leaked()
      const open = await invite(key, { role: "admin" })
      await rows.run("update api_keys set expires_at = now() - interval '1 minute' where id = $1", [id])
      expect(await statusOf(open)).toBe("expired")
      expect((await accept(open, await signup(server.url))).status).toBe(409)
    })

    test("lets no invite of the key be accepted after its answer, however close they are", async () => {
      for (let round = 0; round < 10; round++) {
        const { id, key } = await leaked()
        const open = await invite(key, { role: "admin" })
        const stranger = await signup(server.url)
        const ending = end(id)
        const [late] = await Promise.all([ending.then(() => accept(open, stranger)), accept(open, stranger)])
        expect(late.status).toBe(409)
      }
    })
  })

  describe("revoking an API key with all that was made with it", () => {
    test("ends keys, invites, members, roles, webhooks and integrations, and lists them", async () => {
      const { id, key } = await leaked()
      const event = await createLiveEvent(server.url, acme.key)
      const below = await newKey({ key }, "below")
      const open = await invite(below.key, { role: "admin" })
      const [admin, guest] = [await signup(server.url), await signup(server.url)]
      expect((await accept(await invite(key, { role: "admin" }), admin)).status).toBe(200)
      const toEvent = { kind: "event", eventId: event.id, role: "speaker" }
      expect((await accept(await invite(key, toEvent), guest)).status).toBe(200)
      const hook = { url: "https://hooks.example/b", events: ["event.started"] }
      const { body: webhook } = await api("POST", "/v1/webhooks", { key, body: hook })
      const { body: others } = await api("POST", "/v1/webhooks", { key: acme.key, body: hook })
      const trust = { issuer: "https://partner.example", publicKeyPem: newPartnerKey().pem }
      const { body: integration } = await api("POST", at("guest-integrations"), { key, body: trust })
      const { body: recording } = await api("POST", `/v1/events/${event.id}/recordings`, { key, body: {} })
      const members = (await api("GET", at("members"), asOwner())).body.members
      const { id: memberId } = members.find(({ accountId }: { accountId: string }) => accountId === admin.id)
      const made = (await api("GET", `/v1/events/${event.id}/memberships`, { key: acme.key })).body.memberships[0]

      const answer = await end(id, "?cascade=true")
      expect(answer).toMatchObject({ status: 200 })
      expect(answer.body).toEqual({
        apiKeys: [shownKey(id, key, "leaked"), shownKey(below.id, below.key, "below")],
        invites: [{ id: open.id, email: null, role: "admin" }],
        members: [{ id: memberId, name: "Ada", email: admin.email }],
        memberships: [{ id: made.id, eventId: event.id, userId: made.userId, name: "Ada" }],
        webhooks: [{ id: webhook.id, url: hook.url }],
        integrations: [{ id: integration.id, issuer: trust.issuer }],
        links: [{ id: expect.any(String), kind: "upload", eventId: event.id }],
      })
      expect((await api("GET", "/v1/events", { key: below.key })).status).toBe(401)
      expect([await isMember(admin), await isMember(acme.owner)]).toEqual([false, true])
      expect(await statusOf(open)).toBe("revoked")
      const left = (await api("GET", "/v1/webhooks", { key: acme.key })).body.webhooks
      const stateOf = (wanted: string) => left.find((one: { id: string }) => one.id === wanted).status
      expect([stateOf(webhook.id), stateOf(others.id)]).toEqual(["disabled", "active"])
      const trusted = (await api("GET", at("guest-integrations"), { key: acme.key })).body.integrations
      expect(trusted.map((one: { id: string }) => one.id)).not.toContain(integration.id)
      const roles = await api("GET", `/v1/events/${event.id}/memberships`, { key: acme.key })
      expect(roles.body.memberships).toEqual([])
      const bytes = { method: "PUT", body: Buffer.alloc(100) }
      await expect.poll(async () => (await fetch(recording.uploadUrl, bytes)).status).toBe(401)
      const { entries } = (await api("GET", at("audit"), asOwner())).body
      const actions = entries.slice(0, 7).map(({ action }: { action: string }) => action)
      expect(actions.toSorted()).toEqual([
        "api_key.deleted",
        "api_key.deleted",
        "guest_integration.revoked",
        "invite.revoked",
        "member.removed",
        "membership.deleted",
        "webhook.changed",
      ])
    })

    test("ends what was made with a key below, also one that was revoked alone before", async () => {
      const { id, key } = await leaked()
      const below = await newKey({ key }, "below")
      const last = await newKey({ key: below.key }, "last")
      const came = await signup(server.url)
      expect((await accept(await invite(below.key, { role: "admin" }), came)).status).toBe(200)
      const { body: webhook } = await api("POST", "/v1/webhooks", {
        key: below.key,
        body: { url: "https://hooks.example/c" },
      })
      expect((await end(below.id)).status).toBe(204)
      const { body } = await end(id, "?cascade=true")
      expect(body.apiKeys).toEqual([shownKey(id, key, "leaked"), shownKey(last.id, last.key, "last")])
      expect(body.webhooks).toEqual([{ id: webhook.id, url: "https://hooks.example/c" }])
      expect(await isMember(came)).toBe(false)
    })

    test("ends a webhook that the key turned to another address, and not one that a member turned after it", async () => {
      const { id, key } = await leaked()
      const made = async () =>
        (await api("POST", "/v1/webhooks", { key: acme.key, body: { url: "https://hooks.example/own" } })).body.id
      const [stolen, saved, kept] = [await made(), await made(), await made()]
      const change = (webhookId: string, who: CallOptions, body: object) =>
        api("PATCH", `/v1/webhooks/${webhookId}`, { ...who, body })
      const thiefs = { url: "https://hooks.example/thief" }
      for (const webhookId of [stolen, saved]) expect((await change(webhookId, { key }, thiefs)).status).toBe(200)
      const asMember = { cookie: acme.owner.cookie, headers: { "x-workspace-id": acme.id } }
      expect((await change(saved, asMember, { url: "https://hooks.example/own" })).status).toBe(200)
      expect((await change(kept, { key }, { eventTypes: ["event.ended"] })).status).toBe(200)
      expect((await end(id, "?cascade=true")).body.webhooks).toEqual([{ id: stolen, url: thiefs.url }])
    })

    test("keeps owners and whoever asks, and a member whom somebody else invited", async () => {
      const { id, key } = await leaked()
      const [asking, owner] = [await signup(server.url), await signup(server.url)]
      expect((await accept(await invite(key, { role: "admin" }), asking)).status).toBe(200)
      expect((await accept(await invite(key, { role: "admin" }), owner)).status).toBe(200)
      await rows.run("update workspace_members set role = 'owner' where account_id = $1 and workspace_id = $2", [
        owner.id,
        acme.id,
      ])
      const answer = await end(id, "?cascade=true", { cookie: asking.cookie })
      expect([answer.status, answer.body.members]).toEqual([200, []])
      expect([await isMember(asking), await isMember(owner)]).toEqual([true, true])
    })

    test("is of admins alone, and of keys of their own workspace", async () => {
      const { id, key } = await leaked()
      const other = await createWorkspace(server.url)
      expect((await end(id, "?cascade=true", {})).status).toBe(401)
      expect((await end(id, "?cascade=true", { cookie: other.owner.cookie })).status).toBe(404)
      const elsewhere = `/v1/workspaces/${other.id}/api-keys/${id}?cascade=true`
      expect((await api("DELETE", elsewhere, { cookie: other.owner.cookie })).status).toBe(404)
      expect((await end(id, "?cascade=perhaps")).status).toBe(400)
      expect((await end(randomUUID(), "?cascade=true")).status).toBe(404)
      expect((await api("GET", "/v1/events", { key })).status).toBe(200)
    })

    test("ends what a key makes at the same moment, or refuses it", async () => {
      for (let round = 0; round < 10; round++) {
        const { id, key } = await leaked()
        const making = Promise.all(
          Array.from({ length: 4 }, () => api("POST", at("invites"), { key, body: { role: "admin" } })),
        )
        expect((await end(id, "?cascade=true")).status).toBe(200)
        for (const { status, body } of await making) {
          expect([201, 401]).toContain(status)
          if (status !== 201) continue
          const token = tokenIn(body.inviteUrl)
          expect((await api("GET", `/v1/invites/${token}`)).body.status).toBe("revoked")
        }
      }
    })
  })
})
