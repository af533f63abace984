/**
 * The contract of a dispatch: its data, and the streams it may be published to. A dispatch is ordered (it has a position in its
 * stream and is replayed after a reconnect), ephemeral (replaced by the next one of its kind and never replayed), or direct (to
 * one connection).
 */
import { Schema } from "effect"

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
} as const satisfies { readonly [stream: string]: Schema.Top }

/** Streams as the wire names them. */
export type StreamKind = keyof typeof STREAM_NAMES
/** `poll`: the voters of a poll receive its tally there. It has no positions. */
export type EphemeralStreamKind = StreamKind | "poll"

/** The name of a stream inside the server: streams of rooms and participants contain their ids. */
export type StreamOf<K extends EphemeralStreamKind> = K extends "room" | "me" | "poll" ? `${K}:${string}` : K
export type Stream = StreamOf<StreamKind>

/** Kinds of ephemeral dispatches that a socket may opt out of (`mute` of `identify`). */
export type OptOut = "reactions" | "transcript"

export interface OrderedDispatch<Data extends Schema.Top, K extends StreamKind> {
  readonly kind: "ordered"
  readonly data: Data
  readonly streams: ReadonlyArray<K>
}

export interface EphemeralDispatch<Data extends Schema.Top, K extends EphemeralStreamKind> {
  readonly kind: "ephemeral"
  readonly data: Data
  readonly streams: ReadonlyArray<K>
  readonly optOut?: OptOut
}

export interface DirectDispatch<Data extends Schema.Top> {
  readonly kind: "direct"
  readonly data: Data
}

export type AnyDispatch =
  | OrderedDispatch<Schema.Top, StreamKind>
  | EphemeralDispatch<Schema.Top, EphemeralStreamKind>
  | DirectDispatch<Schema.Top>

export const ordered = <Data extends Schema.Top, K extends StreamKind>(
  streams: ReadonlyArray<K>,
  data: Data,
): OrderedDispatch<Data, K> => ({ kind: "ordered", streams, data })

export const ephemeral = <Data extends Schema.Top, K extends EphemeralStreamKind>(
  streams: ReadonlyArray<K>,
  data: Data,
  options: { readonly optOut?: OptOut } = {},
): EphemeralDispatch<Data, K> => ({ kind: "ephemeral", streams, data, ...options })

export const direct = <Data extends Schema.Top>(data: Data): DirectDispatch<Data> => ({ kind: "direct", data })
