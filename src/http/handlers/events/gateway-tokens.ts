/** Gateway tokens (specification §4): the participant and role that each credential gets on an event. */
import { Clock, Effect } from "effect"
import { type GatewayGrant, Tokens } from "../../../identity/tokens.ts"
import { Conflict, NotFound, SignInRequired, Unauthorized, type Unavailable } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { accessOf } from "../../../model/grants.ts"
import { newId } from "../../../model/ids.ts"
import { guestRole, isStage } from "../../../model/modality.ts"
import { findGrantState } from "../../../store/accounts/grant-states.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { findEvent, listPhases } from "../../../store/events/events.ts"
import { findRoleNow, isBlockedByAddress } from "../../../store/live/live-events.ts"
import { query } from "../../../store/query.ts"
import type { GatewayTokens } from "../../contract/events/gateway-tokens.ts"
import type { Handlers, Scopes } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"

type Session = NonNullable<Scopes["optionalSession"]["session"]>
type Granting = Effect.Effect<GatewayGrant, NotFound | SignInRequired | Unauthorized | Unavailable>

/** Maximum lifetime of an anonymous viewer's socket before it needs a new token. */
const ANONYMOUS_SECONDS = 12 * 3600

const signedIn = (
  sql: Queryable,
  event: Event,
  { basis, workspaceId, expires }: Extract<Session, { kind: "session" }>,
): Granting =>
  Effect.gen(function* () {
    if (workspaceId !== event.workspaceId) return yield* NotFound.of("event")
    const state = yield* query(() => findGrantState(sql, basis, event.id))
    if (!state.userHolds) return yield* new Unauthorized({ detail: "The session's user no longer exists." })
    const access = accessOf(state)
    if (access === undefined) return yield* NotFound.of("event")
    return {
      participantId: basis.userId,
      eventId: event.id,
      workspaceId: event.workspaceId,
      basis,
      kind: "user",
      userId: basis.userId,
      ...(access.walkIn ? { walkIn: true } : {}),
      name: state.name ?? "Participant",
      role: access.role,
      sessionExpires: expires,
    }
  })

/** An event session is valid for its one event, whatever the visibility; sessions outlive their integration (specification §3). */
const attendee = (sql: Queryable, event: Event, session: Extract<Session, { kind: "attendee" }>): Granting =>
  Effect.gen(function* () {
    if (session.eventId !== event.id) return yield* NotFound.of("event")
    const phases = yield* query(() => listPhases(sql, event.id))
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
  })

const anonymous = (sql: Queryable, event: Event): Granting =>
  Effect.gen(function* () {
    if (event.visibility === "private") return yield* NotFound.of("event")
    const phases = yield* query(() => listPhases(sql, event.id))
    if (event.visibility !== "public" || !phases.some(({ modality }) => isStage(modality))) {
      return yield* new SignInRequired({ detail: "Sign in to join this event." })
    }
    return {
      participantId: `anon:${newId()}`,
      eventId: event.id,
      workspaceId: event.workspaceId,
      kind: "anonymous",
      userId: null,
      name: "Anonymous viewer",
      role: "viewer",
      sessionExpires: Math.floor((yield* Clock.currentTimeMillis) / 1000) + ANONYMOUS_SECONDS,
    }
  })

const grantOf = (sql: Queryable, event: Event, session: Session | null): Granting => {
  if (session === null) return anonymous(sql, event)
  return session.kind === "attendee" ? attendee(sql, event, session) : signedIn(sql, event, session)
}

const grantFor = (sql: Queryable, eventId: string, session: Session | null) =>
  Effect.gen(function* () {
    const event = yield* query(() => findEvent(sql, eventId))
    if (event === undefined) return yield* NotFound.of("event")
    if (session === null && event.status === "draft") return yield* NotFound.of("event")
    const grant = yield* grantOf(sql, event, session)
    if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    if (session === null) return grant
    const barred = yield* query(() => isBlockedByAddress(sql, eventId, grant.participantId))
    return barred ? { ...grant, barred } : grant
  })

export const gatewayTokens = {
  createGatewayToken: {
    access: "optionalSession",
    handle: ({ payload: { eventId }, scope: { session } }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const { grant, role } = yield* (yield* Database).run((sql) =>
          Effect.gen(function* () {
            const grant = yield* grantFor(sql, eventId, session)
            return { grant, role: yield* query(() => findRoleNow(sql, grant)) }
          }),
        )
        const { token, expiresAt } = yield* (yield* Tokens).issue("gateway", grant)
        return {
          token,
          expiresAt,
          url: `${publicUrl.replace(/^http/, "ws")}/v1/gateway`,
          eventId,
          role,
          participantId: grant.participantId,
          anonymous: grant.kind === "anonymous",
        }
      }),
  },
} satisfies Handlers<typeof GatewayTokens>
