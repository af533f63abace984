/** The checks on which endpoint access is built: management rights, the limits of API keys, and the object that a path names. */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Tokens } from "../../identity/tokens.ts"
import {
  type Failure,
  Forbidden,
  FreshSignInRequired,
  MfaRequired,
  NotFound,
  SsoRequired,
  Unauthorized,
  type Unavailable,
} from "../../model/errors.ts"
import { parseId } from "../../model/ids.ts"
import { areWithin, type KeyRights, type KeyScope } from "../../model/key-rights.ts"
import type { Credential } from "../../store/accounts/credentials.ts"
import { isProvedSession } from "../../store/accounts/session-proofs.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { Agendas } from "../../store/events/agendas.ts"
import type { EventAgenda } from "../../store/events/events.ts"
import { findMember, type MemberRow } from "../../store/workspaces/workspaces.ts"
import { type Access, SECURITY } from "../contract/access.ts"
import type { HttpRequest } from "../transport/message.ts"
import type { Scopes } from "./call.ts"
import type { HttpSettings } from "./settings.ts"

export const signIn = new Unauthorized({
  detail:
    "Credentials are missing: an API key in x-api-key, a token in authorization (Bearer), or the cookie of a sign-in.",
})
export const forbidden = (detail: string) => new Forbidden({ detail })
/** `accessCheck` names the kinds that the endpoint takes. */
export const wrongKind = forbidden("This kind of credential may not be used here.")

/** The session of a member, who may manage the workspace; an integrator's user has none. */
const MEMBERS_SESSION = "the session token of a member (POST /v1/workspaces/{id}/session, as authorization: Bearer)"
const KINDS: { readonly [scheme: string]: string } = {
  apiKey: "an API key (x-api-key)",
  accountSession: "the session of an account (the cookie of a sign-in)",
  workspaceSession: "a session token (authorization: Bearer)",
  platformKey: "the operator's key (x-platform-key)",
}
const refusalOf = (access: Access): Forbidden => {
  const schemes = SECURITY[access].flatMap((one) => Object.keys(one))
  const isForMembers =
    access !== "liveEvent" && schemes.includes("apiKey") && SECURITY[access].every((one) => Object.keys(one).length > 0)
  const kinds = schemes.map((one) => (one === "workspaceSession" && isForMembers ? MEMBERS_SESSION : KINDS[one]))
  return kinds.length === 0
    ? wrongKind
    : forbidden(`This takes ${kinds.join(", or ")}, and no other kind of credential.`)
}

const refusals = new Map<Access, Forbidden>()
/** One error for each kind of access: hundreds of endpoints share them. */
export const kindRefused = (access: Access): Forbidden => {
  const refusal = refusals.get(access) ?? refusalOf(access)
  refusals.set(access, refusal)
  return refusal
}

export const run = <A>(body: (sql: Queryable) => Promise<A>): Effect.Effect<A, Unavailable, Database> =>
  Effect.flatMap(Database, (database) => database.run(body))

export const requireAccount = (
  principal: Principal,
): Effect.Effect<Extract<Principal, { kind: "account" }>, Unauthorized | Forbidden> => {
  if (principal.kind === "account") return Effect.succeed(principal)
  return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
}

export const requireKey = (
  principal: Principal,
): Effect.Effect<Extract<Principal, { kind: "key" }>, Unauthorized | Forbidden> => {
  if (principal.kind === "key") return Effect.succeed(principal)
  return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
}

const loginOf = (principal: Principal): string | undefined => {
  if (principal.kind === "account") return principal.sessionId
  return principal.kind === "session" ? principal.basis.login?.sessionId : undefined
}

/** Fails for a member whom the workspace keeps out. */
export const refuseKeptOut = ({ lacksSso, lacksFactor }: MemberRow): Effect.Effect<void, SsoRequired | MfaRequired> => {
  if (lacksSso) return Effect.fail(new SsoRequired())
  return lacksFactor ? Effect.fail(new MfaRequired()) : Effect.void
}

/** A member who is not kept out for lack of a second factor or of the required sign-in. */
export const requireMember = (
  workspaceId: string,
  login: { readonly accountId: string; readonly sessionId: string | null },
  what: string,
): Effect.Effect<MemberRow, Failure, Database> =>
  Effect.gen(function* () {
    const member = yield* run((sql) => findMember(sql, workspaceId, login))
    if (member === undefined) return yield* NotFound.of(what)
    yield* refuseKeptOut(member)
    return member
  })

export const onlyEvents = forbidden("The API key is for some events only, and this concerns the whole workspace.")

/** Subject of a request: one event, or, with null, the whole workspace. */
export type Subject = { readonly eventId: string | null }
export const WHOLE: Subject = { eventId: null }
export const ofWorkspace = (): Subject => WHOLE

const requireManagementByKey = (
  { workspaceId: own, rights: { eventIds } }: Extract<Principal, { kind: "key" }>,
  workspaceId: string,
  what: string,
  { eventId }: Subject,
): Effect.Effect<void, NotFound | Forbidden> => {
  if (own !== workspaceId) return Effect.fail(NotFound.of(what))
  if (eventIds === null) return Effect.void
  if (eventId === null) return Effect.fail(onlyEvents)
  return eventIds.includes(eventId) ? Effect.void : Effect.fail(NotFound.of(what))
}

/** Fails unless the principal may manage this part of the workspace. Absent and foreign workspaces look alike. */
export const requireManagement = (
  principal: Principal,
  workspaceId: string,
  what: string,
  subject: Subject,
): Effect.Effect<void, Failure, Database> => {
  switch (principal.kind) {
    case "key":
      return requireManagementByKey(principal, workspaceId, what, subject)
    case "account":
    case "session": {
      const { accountId } = principal
      if (accountId === null) return Effect.fail(wrongKind)
      if (principal.kind === "session" && principal.workspaceId !== workspaceId) return Effect.fail(NotFound.of(what))
      return Effect.asVoid(requireMember(workspaceId, { accountId, sessionId: loginOf(principal) ?? null }, what))
    }
    case "attendee":
    case "platform":
      return Effect.fail(wrongKind)
    default:
      return Effect.fail(signIn)
  }
}

/** Credential of a principal that manages the workspace: a key, or the login of an owner or admin. */
export const requireAdmin = (principal: Principal, workspaceId: string): Effect.Effect<void, Failure, Database> => {
  const accountId = accountOf(principal)
  if (accountId === null) return Effect.void
  return Effect.flatMap(
    run((sql) => findMember(sql, workspaceId, { accountId, sessionId: null })),
    (member) =>
      member?.role === "owner" || member?.role === "admin"
        ? Effect.void
        : Effect.fail(forbidden("Only owners and admins of the workspace may do this.")),
  )
}

export const accountOf = (principal: Principal): string | null =>
  "accountId" in principal ? principal.accountId : null

/** Only management credentials may look up an object. */
export const requireManager = (principal: Principal): Effect.Effect<Credential, Unauthorized | Forbidden> => {
  switch (principal.kind) {
    case "key":
      return Effect.succeed({ keyId: principal.keyId, rights: principal.rights })
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

/** A login whose holder proved their identity within ten minutes. Other credentials have no holder to ask. */
export const requireFreshProof = (
  principal: Principal,
): Effect.Effect<void, FreshSignInRequired | Unavailable, Database> => {
  const sessionId = loginOf(principal)
  return sessionId === undefined ? Effect.void : requireProvedSession(sessionId)
}

export const requireProvedSession = (
  sessionId: string,
): Effect.Effect<void, FreshSignInRequired | Unavailable, Database> =>
  Effect.flatMap(
    run((sql) => isProvedSession(sql, sessionId)),
    (isProved) => (isProved ? Effect.void : Effect.fail(new FreshSignInRequired())),
  )

const lacks = (scope: KeyScope): Forbidden => new Forbidden({ detail: `The API key does not have the scope ${scope}.` })

/** Callers without a key are not limited by scopes. */
export const requireScope = (principal: Principal, scope: KeyScope | null): Effect.Effect<void, Forbidden> =>
  principal.kind !== "key" || scope === null || principal.rights.scopes.includes(scope)
    ? Effect.void
    : Effect.fail(lacks(scope))

/** A key gives roles only within its own scopes. */
export const requireGivable = (credential: Credential, scope: KeyScope): Effect.Effect<void, Forbidden> =>
  "keyId" in credential && !credential.rights.scopes.includes(scope) ? Effect.fail(lacks(scope)) : Effect.void

/** A key gives another key no right that it does not have. */
export const requireWithin = (asked: KeyRights, own: KeyRights): Effect.Effect<void, Forbidden> =>
  areWithin(asked, own)
    ? Effect.void
    : Effect.fail(new Forbidden({ detail: "An API key can give only scopes and events that it has itself." }))

export type Grant<A extends Access> = Effect.Effect<Scopes[A], Failure, Agendas | Database | HttpSettings | Tokens>

/** A check for each kind of access. */
export type Checks = { readonly [A in Access]: (principal: Principal, request: HttpRequest) => Grant<A> }

/** Access is decided before any transaction. */
export const withAgenda = (id: string): Effect.Effect<EventAgenda | undefined, Unavailable, Agendas> =>
  Effect.flatMap(Agendas, ({ find }) => find(id))

export const pathId = (request: HttpRequest, what: string): Effect.Effect<string, NotFound> => {
  const id = parseId(request.params["id"] ?? "")
  return id === undefined ? Effect.fail(NotFound.ofNoId(what)) : Effect.succeed(id)
}
