/** Gateway tokens: the participant and role that each credential gets on an event. */
import { Clock, Effect } from "effect"
import { type GatewayGrant, Tokens } from "../../../identity/tokens.ts"
import { Conflict, NotFound, SignInRequired, type Unauthorized, type Unavailable } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { newId } from "../../../model/ids.ts"
import { isStage } from "../../../model/modality.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { findEvent, listPhases } from "../../../store/events/events.ts"
import { whyNotReplayable } from "../../../store/live/kept-history.ts"
import { findRoleNow } from "../../../store/live/live-events.ts"
import { query } from "../../../store/query.ts"
import type { GatewayTokens } from "../../contract/events/gateway-tokens.ts"
import type { Handlers, Scopes } from "../../requests/call.ts"
import { grantTo, markBarred } from "../../requests/event-grants.ts"
import { HttpSettings } from "../../requests/settings.ts"

type Session = NonNullable<Scopes["optionalSession"]["session"]>
type Granting = Effect.Effect<GatewayGrant, NotFound | SignInRequired | Unauthorized | Unavailable>

/** Maximum lifetime of an anonymous viewer's socket before it needs a new token. */
const ANONYMOUS_SECONDS = 12 * 3600

const anyVisitor = (event: Event): Effect.Effect<GatewayGrant> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    participantId: `anon:${newId()}`,
    eventId: event.id,
    workspaceId: event.workspaceId,
    kind: "anonymous",
    userId: null,
    name: "Anonymous viewer",
    role: "viewer",
    sessionExpires: Math.floor(now / 1000) + ANONYMOUS_SECONDS,
  }))

const anonymous = (sql: Queryable, event: Event): Granting =>
  Effect.gen(function* () {
    if (event.visibility === "private") return yield* NotFound.of("event")
    const phases = yield* query(() => listPhases(sql, event.id))
    if (event.visibility !== "public" || !phases.some(({ modality }) => isStage(modality))) {
      return yield* new SignInRequired({ detail: "Sign in to join this event." })
    }
    return yield* anyVisitor(event)
  })

const grantOf = (sql: Queryable, event: Event, session: Session | null): Granting => {
  if (session === null) return anonymous(sql, event)
  return Effect.map(grantTo(sql, event, session), ({ grant }) => grant)
}

/** A viewer without a session, of an event that they may look at. */
const visitor = (event: Event): Granting =>
  event.visibility === "private" || event.status === "draft" ? NotFound.of("event") : anyVisitor(event)

/** Everybody who sees the recap may replay: a replay has nothing that is for participants alone. */
const replayGrant = (sql: Queryable, eventId: string, session: Session | null, days: number) =>
  Effect.gen(function* () {
    const event = yield* query(() => findEvent(sql, eventId))
    if (event === undefined) return yield* NotFound.of("event")
    const grant = yield* session === null
      ? visitor(event)
      : Effect.map(grantTo(sql, event, session), (granted) => granted.grant)
    const detail = whyNotReplayable(event, yield* Clock.currentTimeMillis, days)
    if (detail !== undefined) return yield* new Conflict({ detail })
    return { ...grant, replay: true }
  })

const grantFor = (sql: Queryable, eventId: string, session: Session | null) =>
  Effect.gen(function* () {
    const event = yield* query(() => findEvent(sql, eventId))
    if (event === undefined) return yield* NotFound.of("event")
    if (session === null && event.status === "draft") return yield* NotFound.of("event")
    const grant = yield* grantOf(sql, event, session)
    if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    if (session === null) return grant
    return yield* markBarred(sql, grant)
  })

export const gatewayTokens = {
  createGatewayToken: {
    access: "optionalSession",
    handle: ({ payload: { eventId, replay }, scope: { session } }) =>
      Effect.gen(function* () {
        const { publicUrl, keptHistoryDays } = yield* HttpSettings
        const { grant, role } = yield* (yield* Database).run((sql) =>
          Effect.gen(function* () {
            if (replay === true) {
              return { grant: yield* replayGrant(sql, eventId, session, keptHistoryDays), role: "viewer" as const }
            }
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
