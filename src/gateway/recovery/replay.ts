/** Can a connection go on from what it held, or from what was read: exactly, or not at all. */
import type { LiveSnapshot } from "../../actors/protocol.ts"
import { isStaff } from "../../model/roles.ts"
import type { Resume } from "../../protocol/frames.ts"
import type { ReadyReason } from "../../protocol/state.ts"
import { ownerOf, type StreamName, wireName } from "../broadcast/stream-names.ts"
import type { Connection } from "../connection/connection.ts"
import { subscribedStreams } from "../event/membership-sync.ts"
import type { EventSubscriber } from "./event-subscriber.ts"
import { type Cursors, hearsStaffChat } from "./ready.ts"

/**
 * A caller that waits for a reading. `fresh`: some are told in their own stream of what many see, so that what concerns them and what
 * many see have to be of one version.
 */
export const readersOf = (
  { phase, read }: EventSubscriber,
  waiting: ReadonlyArray<{ readonly connection: Connection }>,
): { readonly participants: ReadonlyArray<string>; readonly fresh: boolean } => {
  const identities = waiting.map(({ connection }) => connection.identity)
  const phases = [phase, read?.snapshot.phase ?? phase]
  return {
    participants: identities.map(({ participantId }) => participantId),
    fresh: identities.some((identity) => phases.some((one) => hearsStaffChat(identity, one))),
  }
}

/**
 * Why what the client held cannot be continued; `undefined` when a replay is exact. Of a stream that is not known here
 * nothing is covered: without a reading that is no verdict, and with the next one the stream is known.
 */
export const whyNoReplay = (
  { history, buffers: rings }: EventSubscriber,
  connection: Connection,
  { epoch, cursors }: Resume,
): ReadyReason | undefined => {
  if (epoch !== history) return "epoch"
  const streams = subscribedStreams(connection)
  if ("staff" in cursors !== isStaff(connection.identity.role)) return "roleChanged"
  const heard = new Set(streams.map(wireName))
  const hearsOthers = Object.keys(cursors).some((name) => !heard.has(name))
  // Most participants are never told anything of their own, and many clients do not count what is not there.
  const cursor = (stream: StreamName): number => cursors[wireName(stream)] ?? (ownerOf(stream) === undefined ? -1 : 0)
  if (hearsOthers) return "gap"
  const missing = streams.filter((stream) => !rings.covers(stream, cursor(stream)))
  if (missing.length === 0) return undefined
  // It was there once; anything else never was.
  const isPast = (stream: StreamName): boolean => cursor(stream) >= 0 && cursor(stream) < rings.head(stream)
  return missing.every(isPast) ? "expired" : "gap"
}

/** What was read for somebody, and where each stream they hear goes on after it. */
export interface ReadingFor {
  readonly snapshot: LiveSnapshot
  /** What concerns the participant. */
  readonly state: { readonly [field: string]: unknown }
  readonly cursors: Cursors
}

/**
 * The last reading, when it is of a participant and no older than the version `since` in what concerns them, and what came
 * after it can be replayed.
 */
export const readingFor = (
  { read, buffers: rings }: EventSubscriber,
  connection: Connection,
  since: number,
): ReadingFor | undefined => {
  const own = read?.personal[connection.identity.participantId]
  if (read === undefined || own === undefined || read.version < since) return undefined
  const { snapshot } = read
  // What is told to one person of what many see goes on where what many see was looked at.
  if (hearsStaffChat(connection.identity, snapshot.phase) && read.version !== snapshot.version) return undefined
  const head = (stream: StreamName): number =>
    ownerOf(stream) === undefined ? (snapshot.heads[stream] ?? 0) : own.head
  const streams = subscribedStreams(connection)
  if (!streams.every((stream) => rings.covers(stream, head(stream)))) return undefined
  const cursors = Object.fromEntries(streams.map((stream) => [wireName(stream), head(stream)]))
  return { snapshot, state: own.state, cursors }
}
