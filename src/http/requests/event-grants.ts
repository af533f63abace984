/** The participant and the role that a session gets on an event, for a gateway token and for a request. */
import { Effect } from "effect"
import type { GatewayGrant } from "../../identity/tokens.ts"
import { NotFound, Unauthorized, type Unavailable } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { accessOf } from "../../model/grants.ts"
import { guestRole } from "../../model/modality.ts"
import { findGrantState } from "../../store/accounts/grant-states.ts"
import type { Queryable } from "../../store/database.ts"
import { listPhases } from "../../store/events/events.ts"
import { isBlockedByAddress } from "../../store/live/live-events.ts"
import { query } from "../../store/query.ts"
import type { SessionPrincipal } from "./call.ts"

interface Granted {
  readonly grant: GatewayGrant
  /** The participant is an owner or admin of the workspace, whatever their role at the event. */
  readonly manages: boolean
}

type Granting = Effect.Effect<Granted, NotFound | Unauthorized | Unavailable>

const signedIn = (
  sql: Queryable,
  event: Event,
  { basis, workspaceId, expires }: Extract<SessionPrincipal, { kind: "session" }>,
): Granting =>
  Effect.gen(function* () {
    if (workspaceId !== event.workspaceId) return yield* NotFound.of("event")
    const state = yield* query(() => findGrantState(sql, basis, event.id))
    if (!state.userHolds) return yield* new Unauthorized({ detail: "The session's user no longer exists." })
    const access = accessOf(state)
    if (access === undefined) return yield* NotFound.of("event")
    const grant: GatewayGrant = {
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
    return { grant, manages: access.manages }
  })

/** An event session is valid for its one event, whatever the visibility; sessions outlive their integration. */
const attendee = (sql: Queryable, event: Event, session: Extract<SessionPrincipal, { kind: "attendee" }>): Granting =>
  Effect.gen(function* () {
    if (session.eventId !== event.id) return yield* NotFound.of("event")
    const phases = yield* query(() => listPhases(sql, event.id))
    const grant: GatewayGrant = {
      participantId: session.participantId,
      eventId: event.id,
      workspaceId: event.workspaceId,
      kind: session.as,
      userId: null,
      name: session.name,
      role: guestRole(phases.map(({ modality }) => modality)),
      sessionExpires: session.expires,
    }
    return { grant, manages: false }
  })

export const grantTo = (sql: Queryable, event: Event, session: SessionPrincipal): Granting =>
  session.kind === "attendee" ? attendee(sql, event, session) : signedIn(sql, event, session)

/** The grant, marked when the participant is refused for their address. */
export const markBarred = (sql: Queryable, grant: GatewayGrant): Effect.Effect<GatewayGrant, Unavailable> =>
  Effect.map(
    query(() => isBlockedByAddress(sql, grant.eventId, grant.participantId)),
    (barred) => (barred ? { ...grant, barred } : grant),
  )
