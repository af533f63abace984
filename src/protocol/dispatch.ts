/**
 * Contract of a dispatch: its data, and the streams to which it may be published. A dispatch is ordered (it has a position in its stream
 * and is replayed after a reconnect), ephemeral (replaced by the next one of its kind and never replayed), or direct (to one connection).
 */
import { Schema } from "effect"
import type { EphemeralStreamKind, StreamKind } from "../model/live/streams.ts"

/** Wire names of the streams, and their receivers. */
export const STREAM_NAMES = {
  /** Everyone. */
  event: Schema.Literal("event"),
  /** Hosts and workspace admins. */
  staff: Schema.Literal("staff"),
  /** The participants in one room. */
  room: Schema.TemplateLiteral(["room:", Schema.String]),
  /** Everyone but anonymous viewers. */
  people: Schema.Literal("people"),
  /** Anonymous viewers. */
  stage: Schema.Literal("stage"),
  /** One participant, in all their tabs. */
  me: Schema.Literal("me"),
} as const satisfies { readonly [K in StreamKind]: Schema.Top }

/**
 * Parts of an event's state, as kept by a client. A dispatch names the parts that it changes; one that names none is passed to the
 * application unchanged.
 */
const STATE_PARTS = [
  "agenda",
  "announcements",
  "blocked",
  "breakout",
  "broadcast",
  "capture",
  "chat",
  "encoder",
  "hands",
  "hostAbsence",
  "lobby",
  "me",
  "media",
  "muted",
  "polls",
  "presence",
  "questions",
  "rotation",
  "signedOutVotes",
  "stage",
  "transcript",
] as const
type Changes = ReadonlyArray<(typeof STATE_PARTS)[number]>

/** Kinds of ephemeral dispatches that a socket may opt out of (`mute` of `identify`). */
export const OptOut = Schema.Literals(["reactions", "transcript"])
export type OptOut = typeof OptOut.Type

export interface OrderedDispatch<Data extends Schema.Top, K extends StreamKind> {
  readonly kind: "ordered"
  readonly data: Data
  readonly streams: ReadonlyArray<K>
  readonly changes: Changes
}

export interface EphemeralDispatch<Data extends Schema.Top, K extends EphemeralStreamKind> {
  readonly kind: "ephemeral"
  readonly data: Data
  readonly streams: ReadonlyArray<K>
  readonly changes: Changes
  readonly optOut?: OptOut
}

export interface DirectDispatch<Data extends Schema.Top> {
  readonly kind: "direct"
  readonly data: Data
  readonly changes: Changes
}

export type AnyDispatch =
  | OrderedDispatch<Schema.Top, StreamKind>
  | EphemeralDispatch<Schema.Top, EphemeralStreamKind>
  | DirectDispatch<Schema.Top>

export const ordered = <Data extends Schema.Top, K extends StreamKind>(
  streams: ReadonlyArray<K>,
  data: Data,
  changes: Changes,
): OrderedDispatch<Data, K> => ({ kind: "ordered", streams, data, changes })

export const ephemeral = <Data extends Schema.Top, K extends EphemeralStreamKind>(
  streams: ReadonlyArray<K>,
  data: Data,
  changes: Changes,
  options: { readonly optOut?: OptOut } = {},
): EphemeralDispatch<Data, K> => ({ kind: "ephemeral", streams, data, changes, ...options })

export const direct = <Data extends Schema.Top>(data: Data, changes: Changes): DirectDispatch<Data> => ({
  kind: "direct",
  data,
  changes,
})
