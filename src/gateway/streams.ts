/**
 * Streams by their names. Inside, a participant's own stream carries their id; on the wire each client knows one `me`.
 */
import type { EventRole } from "../model/roles.ts"
import { isStaff } from "../model/roles.ts"

/** `event`, `staff`, `room:<id>`, or `me:<participantId>`. */
export type StreamName = string

const ME = "me:"

export const ownStream = (participantId: string): StreamName => `${ME}${participantId}`
export const roomStream = (roomId: string): StreamName => `room:${roomId}`

/** Whose own stream it is. */
export const ownerOf = (stream: StreamName): string | undefined =>
  stream.startsWith(ME) ? stream.slice(ME.length) : undefined

export const wireName = (stream: StreamName): string => (stream.startsWith(ME) ? "me" : stream)

/** Streams somebody with this stored role hears in this room. */
export const streamsOf = (participantId: string, role: EventRole, roomId: string | null): ReadonlyArray<StreamName> => [
  "event",
  ...(isStaff(role) ? ["staff"] : []),
  ...(roomId === null ? [] : [roomStream(roomId)]),
  ownStream(participantId),
]

/** What few people hear need not be kept longer than there is something to replay. */
export const isShared = (stream: StreamName): boolean => stream === "event" || stream === "staff"
