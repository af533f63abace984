/**
 * The `ready` dispatch. The shared part (event, agenda, timers, presence, activities) is encoded once per snapshot, and the staff part once
 * more. Only the personal part is written per connection.
 */
import type { LiveSnapshot } from "../../actors/protocol.ts"
import { narrowRole } from "../../model/modality.ts"
import { isStaff } from "../../model/roles.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { type CommandName, commandContract, isConnectionCommand } from "../../protocol/contract.ts"
import type { EncoderView, MediaSeat } from "../../protocol/messages/media.ts"
import { allowedChatTargets, allowedCommands, canChat } from "../../protocol/permissions.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import { type ActingRole, actingAs, type PhaseTraits } from "../../protocol/rule.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { StreamCursors } from "../streams/stream-names.ts"

type Fields = { readonly [field: string]: unknown }

type Who = Pick<Identity, "kind" | "role">

/** JSON members without the braces. */
const membersOf = (fields: Fields): string => JSON.stringify(fields).slice(1, -1)

interface Parts {
  readonly people: string
  readonly anonymous: string
  readonly staff: string
  /** Part for speakers, who write in the staff chat without being staff. */
  readonly stage: string
}

const encoded = new WeakMap<LiveSnapshot, Parts>()

const partsOf = (snapshot: LiveSnapshot): Parts => {
  const known = encoded.get(snapshot)
  if (known !== undefined) return known
  const { id, title, status, visibility, startedAt, endedAt } = snapshot.event
  const everyone = membersOf({ event: { id, title, status, visibility, startedAt, endedAt }, ...snapshot.everyone })
  const { staffChat = [] } = snapshot.staff
  const people = `${everyone},${membersOf(snapshot.people)}`
  const parts = {
    people,
    anonymous: `${everyone},${membersOf(snapshot.anonymous)}`,
    staff: `${people},${membersOf(snapshot.staff)}`,
    stage: `${people},${membersOf({ staffChat })}`,
  }
  encoded.set(snapshot, parts)
  return parts
}

/** The effective role, with its permitted commands and chat targets. */
export const rightsOf = (identity: Who, phase: PhaseTraits) => {
  const acting = actingAs(identity)
  return {
    role: narrowRole(identity.role, phase.modality),
    can: allowedCommands(acting, phase),
    chatTo: allowedChatTargets(acting, phase),
  }
}

/** Speakers take part in the staff chat through their own stream. */
export const receivesStaffChat = (identity: Who, phase: PhaseTraits): boolean =>
  !isStaff(identity.role) && canChat(actingAs(identity), phase, "staff") === "allowed"

const partFor = (identity: Who, snapshot: LiveSnapshot): string => {
  const { people, anonymous, staff, stage } = partsOf(snapshot)
  if (identity.kind === "anonymous") return anonymous
  if (isStaff(identity.role)) return staff
  return receivesStaffChat(identity, snapshot.phase) ? stage : people
}

const rightsByPhase = new WeakMap<PhaseTraits, Map<ActingRole, string>>()

/** JSON members of the rights, cached for equal acting roles. */
const rightsMembers = (identity: Who, phase: PhaseTraits): string => {
  const known = rightsByPhase.get(phase) ?? new Map<ActingRole, string>()
  rightsByPhase.set(phase, known)
  const acting = actingAs(identity)
  const members = known.get(acting) ?? membersOf(rightsOf(identity, phase))
  known.set(acting, members)
  return members
}

/** The phase that determines permissions, and the time in Unix milliseconds. */
export interface ReadyMoment {
  readonly phase: PhaseTraits
  readonly now: number
}

const personalPart = ({ identity, roomId, life }: Connection, { phase, now }: ReadyMoment): string => {
  const { participantId, name } = identity
  const me = `{${membersOf({ participantId, name, roomId })},${rightsMembers(identity, phase)}}`
  return `${membersOf({ serverTime: now, tokenExpiresAt: toTimestamp(life.sessionExpiresAt) })},"me":${me}`
}

/** Whether the command needs neither a participant nor a connection. */
const needsNobody = (name: CommandName): boolean =>
  commandContract(name).needs === undefined && !isConnectionCommand(name)

/** The parts of `ready` that every host gets, as JSON, for a reader without a connection. */
export const hostState = (snapshot: LiveSnapshot, now: number, encoder: EncoderView | null): string => {
  const { epoch, version: v, phase, event } = snapshot
  const can = event.status === "ended" ? [] : allowedCommands("workspace_admin", phase).filter(needsNobody)
  return `{${membersOf({ epoch, v, can, serverTime: now, encoder })},${partsOf(snapshot).staff}}`
}

/** `ready` of a replay: everybody is a viewer who may do nothing, whatever their role is at the event. */
export const readyOfReplay = (
  connection: Connection,
  snapshot: LiveSnapshot,
  personal: Fields,
  { now, cursors }: { readonly now: number; readonly cursors: StreamCursors },
): string => {
  const position = { resumed: false, reason: "new", epoch: snapshot.epoch, v: snapshot.version, cursors }
  const { participantId, name } = connection.identity
  const me = { participantId, name, role: "viewer", can: [], chatTo: [], roomId: null }
  const own = { serverTime: now, tokenExpiresAt: toTimestamp(connection.life.sessionExpiresAt), me, ...personal }
  return `{"op":0,"t":"ready","d":{${membersOf({ ...position, ...own })},${partsOf(snapshot).anonymous}}}`
}

interface ReadyPosition {
  readonly epoch: string
  readonly v: number
  readonly cursors: StreamCursors
}

/** `personal`: the participant's state at the snapshot's version. */
export const readyWithSnapshot = (
  connection: Connection,
  snapshot: LiveSnapshot,
  personal: Fields,
  given: ReadyMoment & { readonly reason: ReadyReason; readonly cursors: StreamCursors },
): string => {
  const { reason, cursors } = given
  const position = { resumed: false, reason, epoch: snapshot.epoch, v: snapshot.version, cursors }
  const shared = partFor(connection.identity, snapshot)
  const own = Object.keys(personal).length === 0 ? "" : `${membersOf(personal)},`
  return `{"op":0,"t":"ready","d":{${membersOf(position)},${personalPart(connection, given)},${own}${shared}}}`
}

/** `ready`, all missed dispatches, and `caughtUp`. `own`: the seat in the main room, and for staff the encoder. */
export const resumedFrames = (
  connection: Connection,
  position: ReadyPosition,
  moment: ReadyMoment,
  missed: ReadonlyArray<string>,
  own: { readonly media?: MediaSeat | null; readonly encoder?: EncoderView | null },
): ReadonlyArray<string> => [
  `{"op":0,"t":"ready","d":{${membersOf({ resumed: true, ...position, ...own })},${personalPart(connection, moment)}}}`,
  ...missed,
  JSON.stringify({ op: 0, t: "caughtUp", d: { v: position.v } }),
]
