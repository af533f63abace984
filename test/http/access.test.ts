/** Every principal on every route of the contract: a route that is added without a place here fails. */
import { randomUUID } from "node:crypto"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { beforeAll, expect, test } from "vitest"
import { type Access, EndpointAccess } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  signup,
  tokenIn,
} from "../support/api.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"

type Principal =
  | "nobody"
  | "wrongKey"
  | "revokedKey"
  | "foreignKey"
  | "ownKey"
  | "owner"
  | "admin"
  | "member"
  | "stranger"
  | "memberToken"
  | "userToken"
  | "entryToken"
  | "gatewayToken"
  | "platform"

const PRINCIPALS: ReadonlyArray<Principal> = [
  "nobody",
  "wrongKey",
  "revokedKey",
  "foreignKey",
  "ownKey",
  "owner",
  "admin",
  "member",
  "stranger",
  "memberToken",
  "userToken",
  "entryToken",
  "gatewayToken",
  "platform",
]

/** `in`: access is granted, with any answer to the empty body. */
type Verdict = "in" | 401 | 403 | 404

const row = (...verdicts: ReadonlyArray<Verdict>): ReadonlyArray<Verdict> => verdicts

/** Columns of the table below. */
const COLUMNS = PRINCIPALS.filter((principal) => principal !== "entryToken")

/** A registrant of one event is a user of the workspace, without access to any other event. */
const verdictFor = (access: Access, principal: Principal): Verdict | undefined => {
  if (principal !== "entryToken") return TABLE[access][COLUMNS.indexOf(principal)]
  return access.startsWith("audience") || access === "liveEvent" ? 404 : TABLE[access][COLUMNS.indexOf("userToken")]
}

const TABLE: { readonly [A in Access]: ReadonlyArray<Verdict> } = {
  //                  nobody wrong revoked foreign own   owner admin member stranger mToken uToken gToken platform
  public: row("in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in"),
  publicEvent: row("in", 401, 401, "in", "in", "in", "in", "in", "in", "in", "in", 401, "in"),
  publicAsset: row("in", 401, 401, "in", "in", "in", "in", "in", "in", "in", "in", 401, "in"),
  sharedEvent: row("in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in"),
  browser: row("in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in"),
  openEvent: row("in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in", "in"),
  optionalSession: row("in", 401, 401, 403, 403, "in", "in", "in", "in", "in", "in", 401, 403),
  audienceEvent: row("in", 401, 401, 403, 403, "in", "in", "in", "in", "in", "in", 401, 403),
  audienceQuestion: row("in", 401, 401, 403, 403, "in", "in", "in", "in", "in", "in", 401, 403),
  liveEvent: row(401, 401, 401, 404, "in", 401, 401, 401, 401, "in", "in", 401, 403),
  account: row(401, 401, 401, 403, 403, "in", "in", "in", "in", 403, 403, 401, 403),
  accountOrPlatform: row(401, 401, 401, 403, 403, "in", "in", "in", "in", 403, 403, 401, "in"),
  platform: row(401, 401, 401, 403, 403, 403, 403, 403, 403, 403, 403, 401, "in"),
  key: row(401, 401, 401, "in", "in", 403, 403, 403, 403, 403, 403, 401, 403),
  workspaceGuest: row(401, 401, 401, 403, 403, "in", "in", "in", 404, 403, 403, 401, 403),
  workspaceMember: row(401, 401, 401, 404, 403, "in", "in", "in", 404, 403, 403, 401, 403),
  workspaceOwner: row(401, 401, 401, 404, 403, "in", 403, 403, 404, 403, 403, 401, 403),
  workspaceAdmin: row(401, 401, 401, 404, 403, "in", "in", 403, 404, 403, 403, 401, 403),
  workspaceMemberOrKey: row(401, 401, 401, 404, "in", "in", "in", "in", 404, 403, 403, 401, 403),
  workspaceAdminOrKey: row(401, 401, 401, 404, "in", "in", "in", 403, 404, 403, 403, 401, 403),
  workspace: row(401, 401, 401, "in", "in", "in", "in", "in", 404, "in", 403, 401, 403),
  workspaceEvents: row(401, 401, 401, "in", "in", "in", "in", "in", 404, "in", 403, 401, 403),
  event: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  eventOfWorkspace: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  series: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  agenda: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  phase: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  question: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  webhook: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  webhookDelivery: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  clip: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  recording: row(401, 401, 401, 404, "in", "in", "in", "in", 404, "in", 403, 401, 403),
  user: row(401, 401, 401, 404, "in", "in", "in", 403, 404, 403, 403, 401, 403),
  keyUser: row(401, 401, 401, 404, "in", 403, 403, 403, 403, 403, 403, 401, 403),
}

/** Written by hand: the access that each operation has. */
const OPERATIONS: { readonly [A in Access]: string } = {
  public: `askHelp declineInvite findByJoinCode findSso getIdp getProblem getSeriesCalendar getTableSummary
    listWebhookEventTypes login loginWithCode loginWithPasskey previewInvite registerForSeries requestPasswordReset
    resetPassword signup startPasskeyLogin verifyEmail`,
  publicEvent: "getCalendar getContent getPublicEvent getQrCode getRecap",
  publicAsset: "getAsset",
  sharedEvent: "acceptPlace answerForm enter getPlace getPublicForm leavePlace register",
  browser: "finishIdp finishSso startIdp startSso",
  openEvent: "createGuestSession",
  optionalSession: "createGatewayToken",
  audienceEvent: "askQuestion",
  audienceQuestion: "unvoteQuestion voteQuestion",
  liveEvent: "sendCommand sendCommands",
  account: `acceptInvite changePassword confirmTotp createPasskey createWorkspace deleteAccount deletePasskey endSession
    exportAccount getMfa getProof listSessions logout me patchPasskey prove removeTotp renewRecoveryCodes
    resendVerification startPasskey startTotp`,
  accountOrPlatform: "listWorkspaces",
  platform: "getPlatformLog getPlatformSettings getPlatformStatus inspectEvent promotePlatform testMail testWebhook",
  key: "createKeyByKey",
  workspaceGuest: "createWorkspaceSession",
  workspaceMember: "leaveWorkspace listMembers",
  workspaceOwner: "checkConnection createConnection deleteConnection deleteWorkspace makeOwner patchConnection",
  workspaceAdmin: `createApiKey deleteApiKey endLinks listApiKeys listConnections listLinks patchMember patchWorkspace removeMember`,
  workspaceMemberOrKey: "listGuestIntegrations listGuestRefusals listInvites",
  workspaceAdminOrKey: `createGuestIntegration createInvite deleteBounce deleteGuestIntegration eraseGuest eraseNamedGuest
    eraseRegistrant exportGuest exportNamedGuest exportRegistrant listAudit listBounces reportBounce resendInvite
    revokeInvite`,
  workspace: `createEvent createSeries createWebhook listOccurrences listSeries listTemplates listUsers listWebhooks
    upsertUser`,
  workspaceEvents: "listEvents",
  event: `advanceEvent appendPhase approveRegistration approveRegistrations cancelEvent cancelRegistration createJoinCode
    createMembership createRecording declineRegistration declineRegistrations deleteEvent deleteMembership
    draftTableSummary endEvent getEventTranscript getForm getFormResults getLiveState importRegistrations
    listAttendance listChat listClips listFormAnswers listMemberships listParticipants listPolls listQuestions
    listRecordings listRegistrations listRooms listRounds orderPhases patchEvent previewEmail publishEvent
    pushTranscript putForm putSummary putTableSummary reinstateEvent resendRegistration startEvent`,
  eventOfWorkspace: "cloneEvent createTemplate",
  series: "endSeries getSeries patchSeries publishSeries",
  agenda: "getEvent",
  phase: `createIngest deletePhase extendPhase getBroadcast patchPhase pauseBroadcast resumeBroadcast startBroadcast
    stopBroadcast`,
  question: "patchQuestion",
  webhook: `deleteWebhook listWebhookDeliveries patchWebhook pingWebhook replayWebhook rotateWebhookSecret
    sendWebhookExamples`,
  webhookDelivery: "getWebhookDelivery redeliverWebhookDelivery",
  clip: "deleteClip getClip",
  recording: "addressParts completeRecording createClip deleteRecording getRecording getTranscript putTranscript",
  user: "deleteUser exportUser",
  keyUser: "createUserSession",
}

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly access: Access
}

const ROUTES: Route[] = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    ROUTES.push({
      name: endpoint.identifier,
      method: endpoint.method,
      path: endpoint.path,
      access: Context.getUnsafe(endpoint.annotations, EndpointAccess),
    })
  },
})

test("each operation has the access that was agreed on", () => {
  const found = Object.keys(OPERATIONS).map((access) => [
    access,
    ROUTES.filter((route) => route.access === access)
      .map(({ name }) => name)
      .toSorted(),
  ])
  const agreed = Object.entries(OPERATIONS).map(([access, names]) => [access, names.split(/\s+/).toSorted()])
  expect(found).toEqual(agreed)
})

const server = sharedServer()
const rows = sharedRows(server)
let callers: { readonly [P in Principal]: CallOptions }
let workspaceId: string
let key: string

beforeAll(async () => {
  const acme = await createWorkspace(server.url)
  const foreign = await createWorkspace(server.url)
  workspaceId = acme.id
  key = acme.key
  const join = async (role: string) => {
    const account = await signup(server.url, role)
    await rows.run(`insert into workspace_members (id, workspace_id, account_id, role)
      values ('${randomUUID()}', '${workspaceId}', '${account.id}', '${role}')`)
    return { ...account, headers: { "x-workspace-id": workspaceId } }
  }
  const admin = await join("admin")
  const member = await join("member")
  const revoked = await call(server.url, "POST", "/v1/api-keys", { key, body: {} })
  const path = `/v1/workspaces/${workspaceId}/api-keys/${revoked.body.id}`
  await call(server.url, "DELETE", path, { cookie: acme.owner.cookie })
  const session = await call(server.url, "POST", `/v1/workspaces/${workspaceId}/session`, { cookie: member.cookie })
  const event = await createEvent(server.url, key)
  const user = await createPerson(server.url, key, event.id, "viewer")
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key })
  const email = `${randomUUID()}@example.com`
  await call(server.url, "POST", `/v1/public/events/${event.id}/register`, { body: { name: "R", email } })
  const { mails } = (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body
  const token = tokenIn(mails[0].links[0])
  const entry = await call(server.url, "POST", `/v1/public/events/${event.id}/enter`, { body: { token } })
  const headers = { "x-workspace-id": workspaceId }
  callers = {
    nobody: {},
    wrongKey: { key: "gck_wrong" },
    revokedKey: { key: revoked.body.secret },
    foreignKey: { key: foreign.key },
    ownKey: { key },
    owner: { cookie: acme.owner.cookie, headers },
    admin: { cookie: admin.cookie, headers },
    member: { cookie: member.cookie, headers },
    stranger: { cookie: (await signup(server.url)).cookie, headers },
    memberToken: { bearer: session.body.sessionToken },
    userToken: { bearer: user.session },
    entryToken: { bearer: entry.body.sessionToken },
    gatewayToken: { bearer: (await gatewayToken(server.url, event.id, user.session)).token },
    platform: { headers: { "x-platform-key": PLATFORM_KEY } },
  }
})

const kept = new Map<Access, Promise<string> | undefined>()
/** One for all, until a request has changed or deleted it. */
const keptObject = (access: Access): Promise<string> | undefined => {
  if (!kept.has(access)) kept.set(access, OBJECTS[access]?.())
  return kept.get(access)
}

const post = async (path: string, body?: object): Promise<string> =>
  (await call(server.url, "POST", path, { key, ...(body === undefined ? {} : { body }) })).body.id

const publish = async (fields: object = {}): Promise<string> => {
  const { id } = await createEvent(server.url, key, { ...fields })
  await call(server.url, "POST", `/v1/events/${id}/publish`, { key })
  return id
}
const publishWithQuestions = () =>
  publish({
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
    phases: [{ modality: "meeting", featureSet: ["qa"] }],
  })
const ask = async (): Promise<string> => {
  const path = `/v1/public/events/${await publishWithQuestions()}/questions`
  return (await call(server.url, "POST", path, { body: { text: "Why?" } })).body.id
}
const register = async () => {
  for (const access of ["webhook", "webhookDelivery"] as const) kept.delete(access)
  await rows.run("delete from webhook_endpoints")
  return post("/v1/webhooks", { url: "http://127.0.0.1:9/" })
}
const newEvent = async (): Promise<string> => (await createEvent(server.url, key)).id

/** Makes the object that an access is about; resolves to its id. */
const OBJECTS: { readonly [A in Access]?: () => Promise<string> } = {
  event: newEvent,
  eventOfWorkspace: newEvent,
  series: async () => {
    const event = { type: "webinar", title: "Launch", scheduledAt: "2099-10-20T16:00:00Z" }
    const body = { rrule: "FREQ=DAILY;COUNT=1", timeZone: "UTC", event }
    return (await call(server.url, "POST", "/v1/series", { key, body })).body.id
  },
  agenda: newEvent,
  liveEvent: publish,
  publicEvent: publish,
  sharedEvent: publish,
  openEvent: publish,
  publicAsset: async () => {
    const id = randomUUID()
    await rows.run(
      `insert into recordings (id, event_id, workspace_id, kind, status)
         values ('${id}', '${await publish()}', '${workspaceId}', 'upload', 'ready')`,
    )
    return id
  },
  platform: () => publish(),
  phase: async () => (await call(server.url, "GET", `/v1/events/${await newEvent()}`, { key })).body.phases[0].id,
  audienceEvent: publishWithQuestions,
  audienceQuestion: ask,
  question: ask,
  webhook: register,
  webhookDelivery: async () => post(`/v1/webhooks/${await register()}/ping`),
  clip: async () => {
    const [recording, clip] = [randomUUID(), randomUUID()]
    await rows.run(
      `insert into recordings (id, event_id, workspace_id, kind, status)
         values ('${recording}', '${await publish()}', '${workspaceId}', 'upload', 'ready')`,
    )
    await rows.run(
      `insert into clips (id, recording_id, status, start_ms, end_ms) values ('${clip}', '${recording}', 'ready', 0, 1000)`,
    )
    return clip
  },
  recording: async () => post(`/v1/events/${await publish()}/recordings`, {}),
  keyUser: () => post("/v1/users", { externalSub: randomUUID() }),
  user: () => post("/v1/users", { externalSub: randomUUID() }),
}

/** The path with ids of objects that exist in the workspace. */
const fill = async ({ path, access }: Route): Promise<string> => {
  const isOfWorkspace = access.startsWith("workspace") && access !== "workspace"
  const id = isOfWorkspace ? workspaceId : await keptObject(access)
  return path
    .replace(":id", id ?? randomUUID())
    .replace(":code", "conflict")
    .replace(":form", "registration")
    .replace(":kind", "confirmation")
    .replace(/:\w+Id/, randomUUID())
}

const verdictOf = (status: number, code: string | undefined): Verdict | number => {
  if (status === 401 && code === "unauthorized") return 401
  if (status === 403) return 403
  // What is absent is answered like a refusal of access; the detail distinguishes them.
  return status === 404 ? 404 : "in"
}

const ABSENT: ReadonlyArray<string> = [
  "No such API key.",
  "No such member.",
  "No such membership.",
  "No such registration.",
  "No such session.",
  "No such invite.",
  "No such link.",
  "No such guest integration.",
  "No such table summary.",
  "No such authenticator app.",
  "No such passkey.",
  "No such connection.",
  "No such captions of the table.",
  "No such transcript.",
  "No such broadcast.",
  "No such public series.",
  "The event has no date yet.",
  "No event has this code.",
]

/** Sign-in answers 401 itself, and after logging out or leaving the caller would not be who the next row takes it for. */
const NOT_CALLED: ReadonlyArray<string> = ["login", "loginWithPasskey", "logout", "leaveWorkspace"]

test.each(ROUTES)("$method $path ($access)", async (route) => {
  const expected = PRINCIPALS.map((principal) => `${principal}: ${verdictFor(route.access, principal)}`)
  expect(expected.join()).not.toContain("undefined")
  if (NOT_CALLED.includes(route.name)) return
  const body = route.method === "GET" || route.method === "DELETE" ? {} : { raw: "[]" }
  const found: string[] = []
  const answers: string[] = []
  for (const principal of PRINCIPALS) {
    const answer = await call(server.url, route.method, await fill(route), { ...callers[principal], ...body })
    if (route.method !== "GET" && answer.status < 300) kept.delete(route.access)
    const isAbsent = ABSENT.includes(answer.body?.detail)
    // Who has no access learns nothing of what there is: an id of nobody is answered with the same words.
    if (principal === "foreignKey" && answer.status === 404 && !isAbsent && route.path.includes(":id")) {
      const absent = await call(
        server.url,
        route.method,
        route.path.replaceAll(/:\w+/g, () => randomUUID()),
        {
          ...callers[principal],
          ...body,
        },
      )
      expect([absent.status, absent.body], "the answer to an id of nobody").toEqual([404, answer.body])
    }
    const verdict = isAbsent ? "in" : verdictOf(answer.status, answer.body?.code)
    found.push(`${principal}: ${verdict}`)
    answers.push(`${principal}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  expect(found, answers.join("\n")).toEqual(expected)
})
