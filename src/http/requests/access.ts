/**
 * Access to endpoints, decided before the body is read: 401 without a credential, 404 for an object of another workspace, 403
 * for an act that the caller may not do. Workspace membership decides, never the per-event role (specification §4).
 */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Tokens } from "../../identity/tokens.ts"
import { BadRequest, type Failure, type Forbidden, NotFound, type Unavailable } from "../../model/errors.ts"
import { type Event, isShared } from "../../model/event.ts"
import { accessOf } from "../../model/grants.ts"
import { parseId } from "../../model/ids.ts"
import type { KeyScope } from "../../model/key-rights.ts"
import { isShown } from "../../model/question.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Credential } from "../../store/accounts/credentials.ts"
import { findGrantState } from "../../store/accounts/grant-states.ts"
import type { Database } from "../../store/database.ts"
import { Agendas } from "../../store/events/agendas.ts"
import { type EventAgenda, findEvent, findPhaseOwner } from "../../store/events/events.ts"
import { findAsset } from "../../store/events/public-surfaces.ts"
import { findQuestionOwner } from "../../store/events/questions.ts"
import { findClipOwner } from "../../store/media/clips.ts"
import { findRecordingOwner } from "../../store/media/recordings.ts"
import { findWebhookDeliveryOwner } from "../../store/webhooks/webhook-delivery-log.ts"
import { findWebhookEndpointOwner } from "../../store/webhooks/webhook-endpoints.ts"
import { findUser, mayEnterWorkspace } from "../../store/workspaces/users.ts"
import { findMember, listAccountWorkspaces } from "../../store/workspaces/workspaces.ts"
import type { Access } from "../contract/access.ts"
import { type HttpRequest, queryOf } from "../transport/message.ts"
import { allowSignedOut, participantOf, signedOut, signedOutVoter } from "./audience.ts"
import type { Scopes } from "./call.ts"
import { cookieValue, isFromOwnPage } from "./credentials.ts"
import { requireScope } from "./key-rights.ts"
import {
  accountOf,
  forbidden,
  kindRefused,
  ofWorkspace,
  onlyEvents,
  refuseKeptOut,
  requireAccount,
  requireAdmin,
  requireFreshProof,
  requireKey,
  requireManagement,
  requireManager,
  requireMember,
  run,
  type Subject,
  signIn,
  WHOLE,
  wrongKind,
} from "./management.ts"
import { HttpSettings } from "./settings.ts"
import { visitorOf } from "./visitors.ts"

type Grant<A extends Access> = Effect.Effect<Scopes[A], Failure, Agendas | Database | HttpSettings | Tokens>

/** Access is decided before any transaction. */
const withAgenda = (id: string): Effect.Effect<EventAgenda | undefined, Unavailable, Agendas> =>
  Effect.flatMap(Agendas, ({ find }) => find(id))

const pathId = (request: HttpRequest, what: string): Effect.Effect<string, NotFound> => {
  const id = parseId(request.params["id"] ?? "")
  return id === undefined ? Effect.fail(NotFound.ofNoId(what)) : Effect.succeed(id)
}

/** Looks up the object named by the path and checks that the caller manages its workspace. */
const managed = <Found extends { readonly workspaceId: string }, R = Database>(
  principal: Principal,
  request: HttpRequest,
  what: string,
  find: (id: string) => Effect.Effect<Found | undefined, Unavailable, R>,
  subjectOf: (found: Found) => Subject,
): Effect.Effect<Found & { readonly pathId: string; readonly credential: Credential }, Failure, Database | R> =>
  Effect.gen(function* () {
    const credential = yield* requireManager(principal)
    const id = yield* pathId(request, what)
    const found = yield* find(id)
    if (found === undefined) return yield* NotFound.of(what)
    yield* requireManagement(principal, found.workspaceId, what, subjectOf(found))
    return { ...found, pathId: id, credential }
  })

/** The workspace of a collection route: the key's or token's, the requested one, or the account's only one. */
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
        : Effect.fail(
            BadRequest.ofHeader("x-workspace-id", "send it, because you belong to several workspaces or none"),
          )
    }),
  )
}

/** A signed-in member of the workspace in the path who has one of these roles; strangers see no such workspace. */
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
    const { role } = yield* requireMember(workspaceId, { accountId, sessionId }, "workspace")
    if (!roles.includes(role)) return yield* forbidden(`Only ${roles.join("s and ")}s of the workspace may do this.`)
    return { workspaceId, accountId, sessionId, role }
  })

/** Like `memberOf`, or a key of the workspace. */
const memberOrKeyOf = (
  principal: Principal,
  request: HttpRequest,
  roles: ReadonlyArray<WorkspaceRole>,
): Grant<"workspaceAdminOrKey"> =>
  principal.kind === "key"
    ? Effect.flatMap(pathId(request, "workspace"), (workspaceId) =>
        Effect.as(requireManagement(principal, workspaceId, "workspace", WHOLE), {
          workspaceId,
          accountId: null,
          keyId: principal.keyId,
          rights: principal.rights,
        }),
      )
    : memberOf(principal, request, roles)

/**
 * Whether the caller may see private events: with the workspace's key, as a member, with a session of a user, or as a guest of this event.
 */
const isInsider = (
  principal: Principal,
  event: Pick<Event, "id" | "workspaceId">,
): Effect.Effect<boolean, Unavailable, Database> => {
  switch (principal.kind) {
    case "attendee":
      return Effect.succeed(principal.eventId === event.id)
    case "key": {
      const { workspaceId, rights } = principal
      const isListed = rights.eventIds === null || rights.eventIds.includes(event.id)
      return Effect.succeed(workspaceId === event.workspaceId && isListed && rights.scopes.includes("read"))
    }
    case "session":
      if (principal.workspaceId !== event.workspaceId) return Effect.succeed(false)
      return Effect.map(
        run((sql) => findGrantState(sql, principal.basis, event.id)),
        (footing) => accessOf(footing) !== undefined,
      )
    case "account":
      return Effect.map(
        run((sql) => findMember(sql, event.workspaceId, principal)),
        (member) => member?.lacksFactor === false && !member.lacksSso,
      )
    default:
      return Effect.succeed(false)
  }
}

/** Drafts are visible to nobody here and private events to insiders only; an invisible event is answered as absent. */
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

/** Access checks by kind. */
const ACCESS: { readonly [A in Access]: (principal: Principal, request: HttpRequest) => Grant<A> } = {
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
    Effect.map(HttpSettings, (site) => ({
      isFromOwnPage: isFromOwnPage(request, site),
      cookie: (name: string) => cookieValue(request.headers["cookie"], name),
      queryString: request.query,
    })),
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
  liveEvent: (principal, request) =>
    Effect.gen(function* () {
      const { find } = yield* Agendas
      const found = Effect.flatMap(pathId(request, "event"), find)
      const { event, visitor } = yield* visitorOf(principal, request, found)
      return { workspaceId: event.workspaceId, event, visitor }
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
      const member = yield* run((sql) => findMember(sql, workspaceId, { accountId, sessionId }))
      if (member !== undefined) yield* refuseKeptOut(member)
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
      yield* requireManagement(principal, workspaceId, "workspace", WHOLE)
      return { workspaceId, accountId: accountOf(principal), credential }
    }),
  workspaceEvents: (principal, request) =>
    Effect.gen(function* () {
      yield* requireManager(principal)
      const workspaceId = yield* workspaceOf(principal, request)
      const eventIds = principal.kind === "key" ? principal.rights.eventIds : null
      if (eventIds === null) yield* requireManagement(principal, workspaceId, "workspace", WHOLE)
      return { workspaceId, eventIds }
    }),
  event: (principal, request) =>
    managed(
      principal,
      request,
      "event",
      (id) => run((sql) => findEvent(sql, id)),
      ({ id }) => ({ eventId: id }),
    ).pipe(
      Effect.map(({ pathId: _, credential, ...event }) => ({
        workspaceId: event.workspaceId,
        accountId: accountOf(principal),
        credential,
        event,
      })),
    ),
  agenda: (principal, request) =>
    managed(principal, request, "event", withAgenda, ({ id }) => ({ eventId: id })).pipe(
      Effect.map(({ pathId: _, credential: __, ...event }) => ({ workspaceId: event.workspaceId, event })),
    ),
  phase: (principal, request) =>
    managed(
      principal,
      request,
      "phase",
      (id) => run((sql) => findPhaseOwner(sql, id)),
      (phase) => phase,
    ).pipe(Effect.map(({ workspaceId, eventId, pathId: phaseId }) => ({ workspaceId, eventId, phaseId }))),
  question: (principal, request) =>
    managed(
      principal,
      request,
      "question",
      (id) => run((sql) => findQuestionOwner(sql, id)),
      (question) => question,
    ).pipe(Effect.map(({ workspaceId, eventId, pathId: questionId }) => ({ workspaceId, eventId, questionId }))),
  recording: (principal, request) =>
    managed(
      principal,
      request,
      "recording",
      (id) => run((sql) => findRecordingOwner(sql, id)),
      ({ recording }) => recording,
    ).pipe(Effect.map(({ workspaceId, recording }) => ({ workspaceId, recording }))),
  clip: (principal, request) =>
    managed(
      principal,
      request,
      "clip",
      (id) => run((sql) => findClipOwner(sql, id)),
      ({ clip }) => clip,
    ).pipe(Effect.map(({ workspaceId, clip }) => ({ workspaceId, clip }))),
  keyUser: (principal, request) =>
    Effect.gen(function* () {
      const { workspaceId, keyId, rights } = yield* requireKey(principal)
      if (rights.eventIds !== null) return yield* onlyEvents
      const id = yield* pathId(request, "user")
      const user = yield* run((sql) => findUser(sql, id))
      if (user === undefined || user.workspaceId !== workspaceId) return yield* NotFound.of("user")
      return { workspaceId, keyId, user }
    }),
  user: (principal, request) =>
    Effect.gen(function* () {
      const found = yield* managed(principal, request, "user", (id) => run((sql) => findUser(sql, id)), ofWorkspace)
      const { workspaceId, sessionVersion: _, pathId: __, credential, ...user } = found
      yield* requireAdmin(principal, workspaceId)
      return { workspaceId, credential, user }
    }),
  webhook: (principal, request) =>
    managed(principal, request, "webhook", (id) => run((sql) => findWebhookEndpointOwner(sql, id)), ofWorkspace).pipe(
      Effect.map(({ workspaceId, pathId: webhookId, credential }) => ({ workspaceId, webhookId, credential })),
    ),
  webhookDelivery: (principal, request) =>
    managed(principal, request, "delivery", (id) => run((sql) => findWebhookDeliveryOwner(sql, id)), ofWorkspace).pipe(
      Effect.map(({ workspaceId, pathId: deliveryId, credential }) => ({ workspaceId, deliveryId, credential })),
    ),
}

const asksForFile = (request: HttpRequest): boolean => queryOf(request)["format"] === "csv"

/**
 * Access check of an endpoint: the scope of a key, the access that the endpoint declares, and then a fresh proof of the session's holder.
 */
export const accessCheck = ({
  access,
  scope,
  freshSignIn,
}: {
  readonly access: Access
  readonly scope: KeyScope | null
  readonly freshSignIn: "always" | "file" | undefined
}) => {
  const establish = ACCESS[access] as (typeof ACCESS)["public"]
  const refused = kindRefused(access)
  return (principal: Principal, request: HttpRequest): ReturnType<typeof establish> => {
    const named = request.headers["x-workspace-id"]
    // A credential of one workspace grants nothing in another.
    if (named !== undefined && "workspaceId" in principal && parseId(named) !== principal.workspaceId)
      return Effect.fail(NotFound.of("workspace"))
    const established = Effect.andThen(requireScope(principal, scope), establish(principal, request)).pipe(
      Effect.mapError((failure) => (failure === wrongKind ? refused : failure)),
    )
    const needsProof = freshSignIn === "always" || (freshSignIn === "file" && asksForFile(request))
    return needsProof ? Effect.tap(established, () => requireFreshProof(principal)) : established
  }
}
