/** The streams of a participant, and the topics of their ephemeral dispatches. */
import {
  ownStream,
  roomStream,
  type Stream,
  type StreamKind,
  type StreamOf,
  streamKind,
} from "../../model/live/streams.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import { isStaff } from "../../model/roles.ts"
import { DISPATCHES } from "../../protocol/contract.ts"
import type { AnyDispatch, OptOut } from "../../protocol/dispatch.ts"

/** `event`, `staff`, `people`, `stage`, `room:<id>`, or `me:<participantId>`. */
export type StreamName = string

/** Positions, keyed by the wire names of streams. */
export type StreamCursors = { readonly [stream: string]: number }

interface Receiver {
  readonly participantId: string
  /** The role stored by the workspace. */
  readonly role: EventRole
  readonly kind: ParticipantKind
}

/** The stream of each kind that a participant in this room receives; null: none. */
const RECEIVED: { readonly [K in StreamKind]: (who: Receiver, roomId: string | null) => StreamOf<K> | null } = {
  event: () => "event",
  // Anonymous viewers do not receive the names of the audience.
  stage: ({ kind }) => (kind === "anonymous" ? "stage" : null),
  people: ({ kind }) => (kind === "anonymous" ? null : "people"),
  staff: ({ role }) => (isStaff(role) ? "staff" : null),
  room: (_who, roomId) => (roomId === null ? null : roomStream(roomId)),
  me: ({ participantId }) => ownStream(participantId),
}

/** The streams that a participant in this room receives. */
export const streamsOf = (who: Receiver, roomId: string | null): ReadonlyArray<Stream> =>
  Object.values(RECEIVED)
    .map((received) => received(who, roomId))
    .filter((stream) => stream !== null)

const ALL_DISPATCHES: ReadonlyArray<AnyDispatch> = Object.values(DISPATCHES)

/** Opt-outs of the ephemeral dispatches of each kind of stream; `undefined` for dispatches without one. */
const EPHEMERAL: ReadonlyMap<string, ReadonlyArray<OptOut | undefined>> = ALL_DISPATCHES.reduce((byKind, dispatch) => {
  if (dispatch.kind !== "ephemeral") return byKind
  for (const kind of dispatch.streams) {
    byKind.set(kind, [...new Set(byKind.get(kind)).add(dispatch.optOut)])
  }
  return byKind
}, new Map<string, ReadonlyArray<OptOut | undefined>>())

const NO_TOPICS: ReadonlyArray<OptOut | undefined> = []

/**
 * The opt-outs for which the stream has a topic of ephemeral dispatches; `undefined` for the topic without one. They are derived from the
 * contract, so that the receivers of each ephemeral dispatch are subscribed.
 */
export const ephemeralTopicsOf = (stream: StreamName): ReadonlyArray<OptOut | undefined> =>
  EPHEMERAL.get(streamKind(stream)) ?? NO_TOPICS
