/**
 * The `ready` dispatch. What is the same for everyone (event, agenda, timers, presence) is encoded once per snapshot and
 * what depends on the streams once per role level; only `me` and the session's end are written per connection.
 */
import type { LiveSnapshot } from "../actors/protocol.ts"
import { allowedCommands, type PhaseTraits } from "../model/permissions.ts"
import { type EventRole, isStaff, narrowRole } from "../model/roles.ts"
import { toTimestamp } from "../model/timestamp.ts"
import type { Connection } from "./connection.ts"
import { STREAMS, type StreamName } from "./follower.ts"
import type { ReadyReason } from "./protocol/dispatches.ts"

/** Streams that a stored role hears. */
export const streamsOf = (role: EventRole): ReadonlyArray<StreamName> => (isStaff(role) ? STREAMS : ["event"])

export type Cursors = { readonly [stream: string]: number }

/** The part that is the same for everyone, by snapshot: JSON members without the braces. */
const shared = new WeakMap<LiveSnapshot, string>()

const sharedPart = (snapshot: LiveSnapshot): string => {
  let text = shared.get(snapshot)
  if (text === undefined) {
    const { id, title, status, visibility, startedAt, endedAt } = snapshot.event
    text = JSON.stringify({
      event: { id, title, status, visibility, startedAt, endedAt },
      phase: snapshot.phases.find((phase) => phase["id"] === snapshot.activePhaseId) ?? null,
      phases: snapshot.phases,
      timers: snapshot.timers,
      presence: snapshot.presence,
    }).slice(1, -1)
    shared.set(snapshot, text)
  }
  return text
}

/** The role as it reads now, and the commands that go with it. */
export const standingOf = (role: EventRole, phase: PhaseTraits | null) => ({
  role: narrowRole(role, phase?.modality ?? null),
  can: allowedCommands(role, phase),
})

const personalPart = (connection: Connection, phase: PhaseTraits | null): string => {
  const { participantId, name, role } = connection.identity
  const me = { participantId, name, ...standingOf(role, phase) }
  const tokenExpiresAt = toTimestamp(connection.sessionExpiresAt)
  return JSON.stringify({ serverTime: Date.now(), tokenExpiresAt, me }).slice(1, -1)
}

/** Of some positions, those of the streams the connection hears. */
export const cursorsOf = ({ identity }: Connection, positions: Cursors): Cursors =>
  Object.fromEntries(streamsOf(identity.role).map((stream) => [stream, positions[stream] ?? 0]))

export const readyWithSnapshot = (
  connection: Connection,
  snapshot: LiveSnapshot,
  phase: PhaseTraits | null,
  reason: ReadyReason,
): string => {
  const cursors = cursorsOf(connection, snapshot.heads)
  const place = { resumed: false, reason, epoch: snapshot.history, v: snapshot.version, cursors }
  return `{"op":0,"t":"ready","d":{${JSON.stringify(place).slice(1, -1)},${personalPart(connection, phase)},${sharedPart(snapshot)}}}`
}

export const readyResumed = (
  connection: Connection,
  place: { readonly epoch: string; readonly v: number; readonly cursors: Cursors },
  phase: PhaseTraits | null,
): string =>
  `{"op":0,"t":"ready","d":{${JSON.stringify({ resumed: true, ...place }).slice(1, -1)},${personalPart(connection, phase)}}}`
