/**
 * Streams of a live event. Only this module knows their names; it is in the kernel because the store reads the heads of the shared streams.
 * The streams of each dispatch are in its contract (`protocol/messages`).
 */

/** Streams for everybody of a kind; all others belong to one room or one participant. */
export const SHARED_STREAMS = ["event", "people", "staff", "stage"] as const
type SharedStream = (typeof SHARED_STREAMS)[number]

/** Streams by their wire names. */
export type StreamKind = SharedStream | "room" | "me"
/** `poll` carries the tally of a poll to its voters. It has no positions. */
export type EphemeralStreamKind = StreamKind | "poll"

/** Name of a stream inside the server: streams of rooms, participants and polls contain their ids. */
export type StreamOf<K extends EphemeralStreamKind> = K extends SharedStream ? K : `${K}:${string}`
export type Stream = StreamOf<StreamKind>

const ME = "me:"
const ROOM = "room:"
const SHARED: ReadonlySet<string> = new Set(SHARED_STREAMS)

export const ownStream = (participantId: string): StreamOf<"me"> => `${ME}${participantId}`
export const roomStream = (roomId: string): StreamOf<"room"> => `${ROOM}${roomId}`
export const pollStream = (pollId: string): StreamOf<"poll"> => `poll:${pollId}`

/** The participant who owns the stream, if any. */
export const ownerOf = (stream: string): string | undefined =>
  stream.startsWith(ME) ? stream.slice(ME.length) : undefined

/** The room that owns the stream, if any. */
export const streamRoom = (stream: string): string | undefined =>
  stream.startsWith(ROOM) ? stream.slice(ROOM.length) : undefined

/** True for shared streams. Buffers of other streams are kept only while they have something to replay. */
export const isSharedStream = (stream: string): boolean => SHARED.has(stream)

/** The part of the name before the id. */
export const streamKind = (stream: string): string => {
  const end = stream.indexOf(":")
  return end === -1 ? stream : stream.slice(0, end)
}

/** Wire name of a stream: a participant's own stream has the same name for everyone. */
export const wireStream = (stream: string): string => (ownerOf(stream) === undefined ? stream : "me")
