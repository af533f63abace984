/** The rights of API keys: the scope of each operation, keys for some events, and what a key may give to others. */
import { randomUUID } from "node:crypto"
import { HttpApi } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { SECURITY } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import { traitsOf } from "../../src/http/requests/endpoint-traits.ts"
import { type Answer, call, createEvent, createWorkspace, type Json } from "../support/api.ts"

import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

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
