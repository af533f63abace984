/** The streams of a participant, and the topics of their ephemeral dispatches. */
import { kindOf, ownStream, roomStream, type Stream, type StreamKind, type StreamOf } from "../../model/live/streams.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import { isStaff } from "../../model/roles.ts"
import { DISPATCHES } from "../../protocol/contract.ts"
import type { AnyDispatch, OptOut } from "../../protocol/dispatch.ts"

/** `event`, `staff`, `people`, `stage`, `room:<id>`, or `me:<participantId>`. */
export type StreamName = string

/** Positions by the names on the wire. */
export type StreamCursors = { readonly [stream: string]: number }

interface Receiver {
  readonly participantId: string
  /** The stored role. */
  readonly role: EventRole
  readonly kind: ParticipantKind
}

/** The stream of each kind that a participant in this room receives. Null: none. */
const RECEIVED: { readonly [K in StreamKind]: (who: Receiver, roomId: string | null) => StreamOf<K> | null } = {
  event: () => "event",
  // Anonymous viewers do not receive the names of the audience.
  stage: ({ kind }) => (kind === "anonymous" ? "stage" : null),
  people: ({ kind }) => (kind === "anonymous" ? null : "people"),
  staff: ({ role }) => (isStaff(role) ? "staff" : null),
  room: (_who, roomId) => (roomId === null ? null : roomStream(roomId)),
  me: ({ participantId }) => ownStream(participantId),
}

/** The streams of a participant in this room. */
export const streamsOf = (who: Receiver, roomId: string | null): ReadonlyArray<Stream> =>
  Object.values(RECEIVED)
    .map((received) => received(who, roomId))
    .filter((stream) => stream !== null)

const ALL_DISPATCHES: ReadonlyArray<AnyDispatch> = Object.values(DISPATCHES)

/** By kind of stream: the opt-outs of the ephemeral dispatches that it carries, `undefined` for those without one. */
const EPHEMERAL: ReadonlyMap<string, ReadonlyArray<OptOut | undefined>> = ALL_DISPATCHES.reduce((byKind, dispatch) => {
  if (dispatch.kind !== "ephemeral") return byKind
  for (const kind of dispatch.streams) {
    byKind.set(kind, [...new Set(byKind.get(kind)).add(dispatch.optOut)])
  }
  return byKind
}, new Map<string, ReadonlyArray<OptOut | undefined>>())

const NO_TOPICS: ReadonlyArray<OptOut | undefined> = []

/**
 * The opt-outs that the stream has a topic of ephemeral dispatches for, `undefined` for the topic without one. They follow from the
 * contract, so that each ephemeral dispatch has its receivers subscribed.
 */
export const ephemeralTopicsOf = (stream: StreamName): ReadonlyArray<OptOut | undefined> =>
  EPHEMERAL.get(kindOf(stream)) ?? NO_TOPICS
