/** Whether a connection can continue without a loss from its cursors, or from the last read. */
import type { LiveSnapshot } from "../../actors/protocol.ts"
import { ownerOf, wireStream } from "../../model/live/streams.ts"
import { isStaff } from "../../model/roles.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import type { Connection } from "../connection/connection.ts"
import type { StreamCursors, StreamName } from "../streams/stream-names.ts"
import type { EventSubscriber } from "./event-subscriber.ts"
import { receivesStaffChat } from "./ready.ts"

/**
 * The reason why a client's cursors cannot be continued; `undefined` when a replay is exact. An unknown stream covers nothing: without a
 * read the reason is not final, and the next read makes the stream known.
 */
export const whyNoReplay = (
  { epoch: presentEpoch, buffers }: EventSubscriber,
  connection: Connection,
  { epoch, cursors }: Resume,
): ReadyReason | undefined => {
  if (epoch !== presentEpoch) return "epoch"
  const streams = connection.streams
  if ("staff" in cursors !== isStaff(connection.identity.role)) return "roleChanged"
  const own = new Set(streams.map(wireStream))
  const namesOthers = Object.keys(cursors).some((name) => !own.has(name))
  // Most participants have no dispatches on their own stream, and many clients omit such a cursor.
  const cursor = (stream: StreamName): number => cursors[wireStream(stream)] ?? (ownerOf(stream) === undefined ? -1 : 0)
  if (namesOthers) return "gap"
  const missing = streams.filter((stream) => !buffers.covers(stream, cursor(stream)))
  if (missing.length === 0) return undefined
  // The cursor was valid once; any other cursor never was.
  const isPast = (stream: StreamName): boolean => cursor(stream) >= 0 && cursor(stream) < buffers.head(stream)
  return missing.every(isPast) ? "expired" : "gap"
}

/** The last read for a participant, and the cursors of their streams after it. */
interface ReadingFor {
  readonly snapshot: LiveSnapshot
  /** The participant's personal state. */
  readonly state: { readonly [field: string]: unknown }
  readonly cursors: StreamCursors
}

/**
 * The last read, if it includes the participant, its personal state is at least of version `since`, and all later dispatches can be
 * replayed.
 */
export const readingFor = (
  { read, buffers }: EventSubscriber,
  connection: Connection,
  since: number,
): ReadingFor | undefined => {
  const own = read?.personal[connection.identity.participantId]
  if (read === undefined || own === undefined || read.version < since) return undefined
  const { snapshot } = read
  // Shared content on a participant's own stream continues from the snapshot's version, so the two versions must be equal.
  if (receivesStaffChat(connection.identity, snapshot.phase) && read.version !== snapshot.version) return undefined
  const head = (stream: StreamName): number =>
    ownerOf(stream) === undefined ? (snapshot.heads[stream] ?? 0) : own.head
  const streams = connection.streams
  if (!streams.every((stream) => buffers.covers(stream, head(stream)))) return undefined
  const cursors = Object.fromEntries(streams.map((stream) => [wireStream(stream), head(stream)]))
  return { snapshot, state: own.state, cursors }
}
