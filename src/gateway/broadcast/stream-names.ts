/**
 * Streams by their names. Inside, a participant's own stream carries their id; on the wire each client knows one `me`.
 */
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import { isStaff } from "../../model/roles.ts"

/** `event`, `staff`, `people`, `stage`, `room:<id>`, or `me:<participantId>`. */
export type StreamName = string

const ME = "me:"
const ROOM = "room:"

export const ownStream = (participantId: string): StreamName => `${ME}${participantId}`
export const roomStream = (roomId: string): `room:${string}` => `${ROOM}${roomId}`

/** Whose own stream it is. */
export const ownerOf = (stream: StreamName): string | undefined =>
  stream.startsWith(ME) ? stream.slice(ME.length) : undefined

export const wireName = (stream: StreamName): string => (stream.startsWith(ME) ? "me" : stream)

/** Streams that somebody hears in this room. `role`: the stored one. */
export const streamsOf = (
  { participantId, role, kind }: { participantId: string; role: EventRole; kind: ParticipantKind },
  roomId: string | null,
): ReadonlyArray<StreamName> => [
  "event",
  // Nobody without a name is told the names of the audience.
  kind === "anonymous" ? "stage" : "people",
  ...(isStaff(role) ? ["staff"] : []),
  ...(roomId === null ? [] : [roomStream(roomId)]),
  ownStream(participantId),
]

/** What few people hear need not be kept longer than there is something to replay. */
export const isShared = (stream: StreamName): boolean => SHARED.has(stream)

const SHARED: ReadonlySet<StreamName> = new Set(["event", "staff", "people", "stage"])

/** May something of this stream be lost? `people` has only what is ordered. */
export const hasEphemerals = (stream: StreamName): boolean => stream !== "people"

/** Reactions and transcripts go to everyone, or to a room. */
export const hasOptOuts = (stream: StreamName): boolean => stream === "event" || stream.startsWith(ROOM)
