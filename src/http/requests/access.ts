/**
 * Access to endpoints, decided before the body is read: 401 without a credential, 404 for an object of another workspace, 403
 * for an act that the caller may not do. Workspace membership decides, never the per-event role (specification §4).
 */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Tokens } from "../../identity/tokens.ts"
import { BadRequest, type Failure, Forbidden, NotFound, Unauthorized, type Unavailable } from "../../model/errors.ts"
import { type Event, isShared } from "../../model/event.ts"
import { accessOf } from "../../model/grants.ts"
import { parseId } from "../../model/ids.ts"
import { isShown } from "../../model/question.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Credential } from "../../store/accounts/credentials.ts"
import { findGrantState } from "../../store/accounts/grant-states.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { Agendas } from "../../store/events/agendas.ts"
import { type EventAgenda, findEvent, findPhaseOwner } from "../../store/events/events.ts"
import { findAsset } from "../../store/events/public-surfaces.ts"
import { findQuestionOwner } from "../../store/events/questions.ts"
import { findClipOwner } from "../../store/media/clips.ts"
import { findRecordingOwner } from "../../store/media/recordings.ts"
import { findWebhookDeliveryOwner } from "../../store/webhooks/webhook-delivery-log.ts"
import { findWebhookEndpointOwner } from "../../store/webhooks/webhook-endpoints.ts"
import { findUser, mayEnterWorkspace } from "../../store/workspaces/users.ts"
import { findMemberRole, listAccountWorkspaces } from "../../store/workspaces/workspaces.ts"
import type { Access } from "../contract/access.ts"
import type { HttpRequest } from "../transport/message.ts"
import { allowSignedOut, participantOf, signedOut, signedOutVoter } from "./audience.ts"
import type { Scopes } from "./call.ts"
import { cookieValue } from "./credentials.ts"
import type { HttpSettings } from "./settings.ts"

type Grant<A extends Access> = Effect.Effect<Scopes[A], Failure, Agendas | Database | HttpSettings | Tokens>

const signIn = new Unauthorized({ detail: "Credentials are missing." })
const forbidden = (detail: string) => new Forbidden({ detail })
const wrongKind = forbidden("This kind of credential may not be used here.")

const run = <A>(body: (sql: Queryable) => Promise<A>): Effect.Effect<A, Unavailable, Database> =>
  Effect.flatMap(Database, (database) => database.run(body))

/** The decision about access comes before any transaction. */
const withAgenda = (id: string): Effect.Effect<EventAgenda | undefined, Unavailable, Agendas> =>
  Effect.flatMap(Agendas, ({ find }) => find(id))

const requireAccount = (
  principal: Principal,
): Effect.Effect<Extract<Principal, { kind: "account" }>, Unauthorized | Forbidden> => {
  if (principal.kind === "account") return Effect.succeed(principal)
  return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
}

const requireKey = (
  principal: Principal,
): Effect.Effect<Extract<Principal, { kind: "key" }>, Unauthorized | Forbidden> => {
  if (principal.kind === "key") return Effect.succeed(principal)
  return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
}

/** May the principal manage this workspace? Absent or foreign workspaces look alike. */
const requireManagement = (
  principal: Principal,
  workspaceId: string,
  what: string,
): Effect.Effect<void, Failure, Database> => {
  switch (principal.kind) {
    case "key":
      return principal.workspaceId === workspaceId ? Effect.void : Effect.fail(NotFound.of(what))
    case "account":
    case "session": {
      const { accountId } = principal
      if (accountId === null) return Effect.fail(wrongKind)
      if (principal.kind === "session" && principal.workspaceId !== workspaceId) return Effect.fail(NotFound.of(what))
      return run((sql) => findMemberRole(sql, workspaceId, accountId)).pipe(
        Effect.flatMap((role) => (role === undefined ? Effect.fail(NotFound.of(what)) : Effect.void)),
      )
    }
    case "attendee":
    case "platform":
      return Effect.fail(wrongKind)
    default:
      return Effect.fail(signIn)
  }
}

/** Of a principal that manages the workspace: a key, or the login of an owner or admin. */
const requireAdmin = (principal: Principal, workspaceId: string): Effect.Effect<void, Failure, Database> => {
  const accountId = accountOf(principal)
  if (accountId === null) return Effect.void
  return Effect.flatMap(
    run((sql) => findMemberRole(sql, workspaceId, accountId)),
    (role) =>
      role === "owner" || role === "admin"
        ? Effect.void
        : Effect.fail(forbidden("Only owners and admins of the workspace may do this.")),
  )
}

const accountOf = (principal: Principal): string | null => ("accountId" in principal ? principal.accountId : null)

/** Only management credentials get as far as looking an object up. */
const requireManager = (principal: Principal): Effect.Effect<Credential, Unauthorized | Forbidden> => {
  switch (principal.kind) {
    case "key":
      return Effect.succeed({ keyId: principal.keyId })
    case "account":
      return Effect.succeed({ sessionId: principal.sessionId })
    case "session": {
      const { login } = principal.basis
      return login === null ? Effect.fail(wrongKind) : Effect.succeed({ sessionId: login.sessionId })
    }
    default:
      return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
  }
}

const pathId = (request: HttpRequest, what: string): Effect.Effect<string, NotFound> => {
  const id = parseId(request.params["id"] ?? "")
  return id === undefined ? Effect.fail(NotFound.of(what)) : Effect.succeed(id)
}

/** Looks up the object that the path names and checks that the caller manages its workspace. */
const managed = <Found extends { readonly workspaceId: string }, R = Database>(
  principal: Principal,
  request: HttpRequest,
  what: string,
  find: (id: string) => Effect.Effect<Found | undefined, Unavailable, R>,
): Effect.Effect<Found & { readonly pathId: string; readonly credential: Credential }, Failure, Database | R> =>
  Effect.gen(function* () {
    const credential = yield* requireManager(principal)
    const id = yield* pathId(request, what)
    const found = yield* find(id)
    if (found === undefined) return yield* NotFound.of(what)
    yield* requireManagement(principal, found.workspaceId, what)
    return { ...found, pathId: id, credential }
  })

/** The workspace of a collection route: the key's or token's, the one asked for, or the only one of the account. */
const workspaceOf = (principal: Principal, request: HttpRequest): Effect.Effect<string, Failure, Database> => {
  if (principal.kind === "key" || principal.kind === "session") return Effect.succeed(principal.workspaceId)
  if (principal.kind !== "account") return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
  const asked = request.headers["x-workspace-id"]
  if (asked !== undefined) {
    const id = parseId(asked)
    return id === undefined ? Effect.fail(NotFound.of("workspace")) : Effect.succeed(id)
  }
  return run((sql) => listAccountWorkspaces(sql, principal.accountId)).pipe(
    Effect.flatMap((workspaces) => {
      const [only] = workspaces
      return only !== undefined && workspaces.length === 1
        ? Effect.succeed(only.id)
        : Effect.fail(new BadRequest({ detail: "You belong to several workspaces or none; send x-workspace-id." }))
    }),
  )
}

/** A signed-in member of the workspace in the path whose role is one of these; strangers see no such workspace. */
const memberOf = (
  principal: Principal,
  request: HttpRequest,
  roles: ReadonlyArray<WorkspaceRole>,
): Grant<"workspaceMember"> =>
  Effect.gen(function* () {
    if (principal.kind === "anonymous") return yield* signIn
    const workspaceId = yield* pathId(request, "workspace")
    if (principal.kind === "key" && principal.workspaceId !== workspaceId) return yield* NotFound.of("workspace")
    const { accountId, sessionId } = yield* requireAccount(principal)
    const role = yield* run((sql) => findMemberRole(sql, workspaceId, accountId))
    if (role === undefined) return yield* NotFound.of("workspace")
    if (!roles.includes(role)) return yield* forbidden(`Only ${roles.join("s and ")}s of the workspace may do this.`)
    return { workspaceId, accountId, sessionId, role }
  })

/** The same, or a key of the workspace. */
const memberOrKeyOf = (
  principal: Principal,
  request: HttpRequest,
  roles: ReadonlyArray<WorkspaceRole>,
): Grant<"workspaceAdminOrKey"> =>
  principal.kind === "key"
    ? Effect.flatMap(pathId(request, "workspace"), (workspaceId) =>
        Effect.as(requireManagement(principal, workspaceId, "workspace"), {
          workspaceId,
          accountId: null,
          keyId: principal.keyId,
        }),
      )
    : memberOf(principal, request, roles)

/** May the caller see private events: with the workspace's key, as a member, with a session of a user, or as a guest here? */
const isInsider = (
  principal: Principal,
  event: Pick<Event, "id" | "workspaceId">,
): Effect.Effect<boolean, Unavailable, Database> => {
  switch (principal.kind) {
    case "attendee":
      return Effect.succeed(principal.eventId === event.id)
    case "key":
      return Effect.succeed(principal.workspaceId === event.workspaceId)
    case "session":
      if (principal.workspaceId !== event.workspaceId) return Effect.succeed(false)
      return Effect.map(
        run((sql) => findGrantState(sql, principal.basis, event.id)),
        (footing) => accessOf(footing) !== undefined,
      )
    case "account":
      return Effect.map(
        run((sql) => findMemberRole(sql, event.workspaceId, principal.accountId)),
        (role) => role !== undefined,
      )
    default:
      return Effect.succeed(false)
  }
}

/** Drafts are visible to no caller here, private events to insiders only; an invisible event is answered as absent. */
const seen = <Found extends Pick<Event, "id" | "status" | "visibility" | "workspaceId">>(
  principal: Principal,
  event: Found | undefined,
  what: string,
): Effect.Effect<Found, Failure, Database> =>
  Effect.gen(function* () {
    if (event === undefined || event.status === "draft") return yield* NotFound.of(what)
    if (event.visibility === "private" && !(yield* isInsider(principal, event))) {
      return yield* NotFound.of(what)
    }
    return event
  })

/** The holder of a session token, or null; other credentials name no viewer and are refused. */
const viewerOf = (principal: Principal): Effect.Effect<Scopes["optionalSession"], Forbidden> => {
  if (principal.kind === "session" || principal.kind === "attendee") return Effect.succeed({ session: principal })
  return principal.kind === "anonymous" ? Effect.succeed({ session: null }) : Effect.fail(wrongKind)
}

/** How each kind of access is established. */
export const ACCESS: { readonly [A in Access]: (principal: Principal, request: HttpRequest) => Grant<A> } = {
  public: () => Effect.succeed({}),
  publicEvent: (principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      return { event: yield* seen(principal, yield* withAgenda(id), "event") }
    }),
  publicAsset: (principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "asset")
      const asset = yield* run((sql) => findAsset(sql, id))
      if (asset === undefined) return yield* NotFound.of("asset")
      return { asset, event: yield* seen(principal, yield* run((sql) => findEvent(sql, asset.eventId)), "asset") }
    }),
  sharedEvent: (_, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      const event = yield* run((sql) => findEvent(sql, id))
      return event === undefined || !isShared(event) ? yield* NotFound.of("event") : { event }
    }),
  browser: (_, request) =>
    Effect.succeed({
      cookie: (name: string) => cookieValue(request.headers["cookie"], name),
      queryString: request.query,
    }),
  openEvent: (_principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      const event = yield* run((sql) => findEvent(sql, id))
      return event === undefined || event.status === "draft" ? yield* NotFound.of("event") : { event }
    }),
  optionalSession: viewerOf,
  audienceEvent: (principal, request) =>
    Effect.gen(function* () {
      const { session } = yield* viewerOf(principal)
      const id = yield* pathId(request, "event")
      const event = yield* seen(principal, yield* withAgenda(id), "event")
      if (session !== null) return { event, participant: yield* participantOf(event, session, "event") }
      yield* allowSignedOut(event, "allowAnonymousQuestions")
      return { event, participant: null }
    }),
  audienceQuestion: (principal, request) =>
    Effect.gen(function* () {
      const { session } = yield* viewerOf(principal)
      const id = yield* pathId(request, "question")
      const question = yield* run((sql) => findQuestionOwner(sql, id))
      if (question === undefined || !isShown(question.status)) return yield* NotFound.of("question")
      const found = yield* withAgenda(question.eventId)
      const event = yield* seen(principal, found, "question")
      if (session !== null) {
        return { event, question, voter: yield* participantOf(event, session, "question") }
      }
      yield* allowSignedOut(event, "allowAnonymousVoting")
      const voterId = yield* signedOutVoter(request)
      return { event, question, voter: voterId === null ? null : signedOut(voterId, request.client) }
    }),
  account: requireAccount,
  accountOrPlatform: (principal) =>
    principal.kind === "platform" ? Effect.succeed({ accountId: null }) : requireAccount(principal),
  platform: (principal) => {
    if (principal.kind === "platform") return Effect.succeed({})
    return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
  },
  key: requireKey,
  workspaceGuest: (principal, request) =>
    Effect.gen(function* () {
      const { accountId, sessionId } = yield* requireAccount(principal)
      const workspaceId = yield* pathId(request, "workspace")
      if (!(yield* run((sql) => mayEnterWorkspace(sql, workspaceId, accountId)))) return yield* NotFound.of("workspace")
      return { workspaceId, accountId, sessionId }
    }),
  workspaceMember: (principal, request) => memberOf(principal, request, ["owner", "admin", "member"]),
  workspaceAdmin: (principal, request) => memberOf(principal, request, ["owner", "admin"]),
  workspaceOwner: (principal, request) => memberOf(principal, request, ["owner"]),
  workspaceMemberOrKey: (principal, request) => memberOrKeyOf(principal, request, ["owner", "admin", "member"]),
  workspaceAdminOrKey: (principal, request) => memberOrKeyOf(principal, request, ["owner", "admin"]),
  workspace: (principal, request) =>
    Effect.gen(function* () {
      const credential = yield* requireManager(principal)
      const workspaceId = yield* workspaceOf(principal, request)
      yield* requireManagement(principal, workspaceId, "workspace")
      return { workspaceId, accountId: accountOf(principal), credential }
    }),
  event: (principal, request) =>
    managed(principal, request, "event", (id) => run((sql) => findEvent(sql, id))).pipe(
      Effect.map(({ pathId: _, credential, ...event }) => ({
        workspaceId: event.workspaceId,
        accountId: accountOf(principal),
        credential,
        event,
      })),
    ),
  agenda: (principal, request) =>
    managed(principal, request, "event", withAgenda).pipe(
      Effect.map(({ pathId: _, credential: __, ...event }) => ({ workspaceId: event.workspaceId, event })),
    ),
  phase: (principal, request) =>
    managed(principal, request, "phase", (id) => run((sql) => findPhaseOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, eventId, pathId: phaseId }) => ({ workspaceId, eventId, phaseId })),
    ),
  question: (principal, request) =>
    managed(principal, request, "question", (id) => run((sql) => findQuestionOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, eventId, pathId: questionId }) => ({ workspaceId, eventId, questionId })),
    ),
  recording: (principal, request) =>
    managed(principal, request, "recording", (id) => run((sql) => findRecordingOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, recording }) => ({ workspaceId, recording })),
    ),
  clip: (principal, request) =>
    managed(principal, request, "clip", (id) => run((sql) => findClipOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, clip }) => ({ workspaceId, clip })),
    ),
  keyUser: (principal, request) =>
    Effect.gen(function* () {
      const { workspaceId, keyId } = yield* requireKey(principal)
      const id = yield* pathId(request, "user")
      const user = yield* run((sql) => findUser(sql, id))
      if (user === undefined || user.workspaceId !== workspaceId) return yield* NotFound.of("user")
      return { workspaceId, keyId, user }
    }),
  user: (principal, request) =>
    Effect.gen(function* () {
      const found = yield* managed(principal, request, "user", (id) => run((sql) => findUser(sql, id)))
      const { workspaceId, sessionVersion: _, pathId: __, credential, ...user } = found
      yield* requireAdmin(principal, workspaceId)
      return { workspaceId, credential, user }
    }),
  webhook: (principal, request) =>
    managed(principal, request, "webhook", (id) => run((sql) => findWebhookEndpointOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, pathId: webhookId, credential }) => ({ workspaceId, webhookId, credential })),
    ),
  webhookDelivery: (principal, request) =>
    managed(principal, request, "delivery", (id) => run((sql) => findWebhookDeliveryOwner(sql, id))).pipe(
      Effect.map(({ workspaceId, pathId: deliveryId }) => ({ workspaceId, deliveryId })),
    ),
}
