/** Where a connection goes on, from what it held or from what was read: exactly, or not at all. */
import type { LiveSnapshot } from "../actors/protocol.ts"
import { isStaff } from "../model/roles.ts"
import type { Connection } from "./connection.ts"
import type { Follower } from "./follower.ts"
import type { ReadyReason } from "./protocol/dispatches.ts"
import type { Resume } from "./protocol/frames.ts"
import type { Cursors } from "./ready.ts"
import { ownerOf, type StreamName, wireName } from "./streams.ts"
import { heardBy } from "./whereabouts.ts"

/** Why what the client held cannot be continued; `undefined` when a replay is exact. */
export const whyNoReplay = (
  { history, rings }: Follower,
  connection: Connection,
  { epoch, cursors }: Resume,
): ReadyReason | undefined => {
  if (epoch !== history) return "epoch"
  const streams = heardBy(connection)
  if ("staff" in cursors !== isStaff(connection.identity.role)) return "roleChanged"
  const heard = new Set(streams.map(wireName))
  const hearsOthers = Object.keys(cursors).some((name) => !heard.has(name))
  // Most participants are never told anything of their own, and many clients do not count what is not there.
  const cursor = (stream: StreamName): number => cursors[wireName(stream)] ?? (ownerOf(stream) === undefined ? -1 : 0)
  const covered = streams.every((stream) => rings.covers(stream, cursor(stream)))
  return covered && !hearsOthers ? undefined : "gap"
}

/** Where the streams of a connection go on after a reading; undefined when they cannot, because it is too old. */
export const cursorsAfter = (
  { rings }: Follower,
  connection: Connection,
  { snapshot, head: ownHead }: { readonly snapshot: LiveSnapshot; readonly head: number },
): Cursors | undefined => {
  const streams = heardBy(connection)
  const head = (stream: StreamName): number => (ownerOf(stream) === undefined ? (snapshot.heads[stream] ?? 0) : ownHead)
  const canGoOn = streams.every((stream) => rings.covers(stream, head(stream)))
  return canGoOn ? Object.fromEntries(streams.map((stream) => [wireName(stream), head(stream)])) : undefined
}
