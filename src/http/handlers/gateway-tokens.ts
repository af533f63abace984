/** Gateway tokens by all their rules (specification §4): who becomes whom on which event. */
import { Effect } from "effect"
import { type MemberStanding, memberStandingAt } from "../../identity/participants.ts"
import { type GatewayGrant, Tokens } from "../../identity/tokens.ts"
import { Conflict, NotFound, SignInRequired, Unauthorized } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { newId } from "../../model/ids.ts"
import { acceptedRoles, guestRole, nearestRole } from "../../model/roles.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { findEvent, listPhases } from "../../store/events.ts"
import { findUser } from "../../store/users.ts"
import type { Handlers, Scopes } from "../call.ts"
import type { GatewayTokens } from "../contract/gateway-tokens.ts"
import { HttpSettings } from "../settings.ts"

type Session = NonNullable<Scopes["optionalSession"]["session"]>
type Refusals = NotFound | Conflict | SignInRequired | Unauthorized

/** An anonymous viewer's socket may live this long before it wants a new token. */
const ANONYMOUS_SECONDS = 12 * 3600

const accountOf = (
  { accountId, credentialsVersion }: Extract<Session, { kind: "session" }>,
  standing: MemberStanding | undefined,
): Partial<GatewayGrant> => {
  if (accountId === null || credentialsVersion === null) return {}
  const workspaceRole = standing?.from ?? null
  return { account: { id: accountId, credentialsVersion, ...(workspaceRole === null ? {} : { workspaceRole }) } }
}

const signedIn = async (
  sql: Queryable,
  event: Event,
  session: Extract<Session, { kind: "session" }>,
): Promise<GatewayGrant> => {
  if (session.workspaceId !== event.workspaceId) throw NotFound.of("event")
  const user = await findUser(sql, session.userId)
  if (user === undefined) throw new Unauthorized({ detail: "The session's user no longer exists." })
  const [standing, phases] = await Promise.all([
    memberStandingAt(sql, event, user.id, session.accountId),
    listPhases(sql, event.id),
  ])
  const role = standing?.role
  // An account's session token outlives its memberships; without any it opens nothing that is private.
  if (role === undefined && session.accountId !== null && event.visibility === "private") throw NotFound.of("event")
  return {
    participantId: user.id,
    eventId: event.id,
    workspaceId: event.workspaceId,
    ...accountOf(session, standing),
    kind: "user",
    userId: user.id,
    ...(role === undefined ? { walkIn: true } : {}),
    name: user.name ?? "Participant",
    role: nearestRole(role ?? "participant", acceptedRoles(phases.map(({ modality }) => modality))),
    sessionExpires: session.expires,
  }
}

/** An event session is for its one event, whoever may see that; minted ones outlive their integration (specification §3). */
const attendee = async (
  sql: Queryable,
  event: Event,
  session: Extract<Session, { kind: "attendee" }>,
): Promise<GatewayGrant> => {
  if (session.eventId !== event.id) throw NotFound.of("event")
  const phases = await listPhases(sql, event.id)
  return {
    participantId: session.participantId,
    eventId: event.id,
    workspaceId: event.workspaceId,
    kind: session.as,
    userId: null,
    name: session.name,
    role: guestRole(phases.map(({ modality }) => modality)),
    sessionExpires: session.expires,
  }
}

const anonymous = async (sql: Queryable, event: Event): Promise<GatewayGrant> => {
  if (event.visibility === "private") throw NotFound.of("event")
  const phases = await listPhases(sql, event.id)
  if (event.visibility !== "public" || !phases.some(({ modality }) => modality === "broadcast")) {
    throw new SignInRequired({ detail: "Sign in to join this event." })
  }
  return {
    participantId: `anon:${newId()}`,
    eventId: event.id,
    workspaceId: event.workspaceId,
    kind: "anonymous",
    userId: null,
    name: "Anonymous viewer",
    role: "viewer",
    sessionExpires: Math.floor(Date.now() / 1000) + ANONYMOUS_SECONDS,
  }
}

const grantOf = (sql: Queryable, event: Event, session: Session | null): Promise<GatewayGrant> => {
  if (session === null) return anonymous(sql, event)
  return session.kind === "attendee" ? attendee(sql, event, session) : signedIn(sql, event, session)
}

const grantFor = async (sql: Queryable, eventId: string, session: Session | null): Promise<GatewayGrant> => {
  const event = await findEvent(sql, eventId)
  if (event === undefined) throw NotFound.of("event")
  if (session === null && event.status === "draft") throw NotFound.of("event")
  const grant = await grantOf(sql, event, session)
  if (event.status === "ended") throw new Conflict({ detail: "The event has ended." })
  return grant
}

export const gatewayTokens: Handlers<typeof GatewayTokens> = {
  createGatewayToken: {
    access: "optionalSession",
    handle: ({ payload: { eventId }, scope: { session } }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const grant = yield* (yield* Database).run<GatewayGrant, Refusals>((sql) => grantFor(sql, eventId, session))
        const { token, expiresAt } = yield* (yield* Tokens).issue("gateway", grant)
        return {
          token,
          expiresAt,
          url: `${publicUrl.replace(/^http/, "ws")}/v1/gateway`,
          eventId,
          role: grant.role,
          participantId: grant.participantId,
          anonymous: grant.kind === "anonymous",
        }
      }),
  },
}
