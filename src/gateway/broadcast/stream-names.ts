/** Stream names. Inside the server, a participant's own stream contains their id; on the wire each client has one `me`. */
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import { isStaff } from "../../model/roles.ts"

/** `event`, `staff`, `people`, `stage`, `room:<id>`, or `me:<participantId>`. */
export type StreamName = string

const ME = "me:"
const ROOM = "room:"

export const ownStream = (participantId: string): StreamName => `${ME}${participantId}`
export const roomStream = (roomId: string): `room:${string}` => `${ROOM}${roomId}`

/** The participant that owns the stream, if one does. */
export const ownerOf = (stream: StreamName): string | undefined =>
  stream.startsWith(ME) ? stream.slice(ME.length) : undefined

export const wireName = (stream: StreamName): string => (stream.startsWith(ME) ? "me" : stream)

/** Positions by the names on the wire. */
export type StreamCursors = { readonly [stream: string]: number }

/** The streams of a participant in this room. `role`: the stored one. */
export const streamsOf = (
  { participantId, role, kind }: { participantId: string; role: EventRole; kind: ParticipantKind },
  roomId: string | null,
): ReadonlyArray<StreamName> => [
  "event",
  // Anonymous viewers do not receive the names of the audience.
  kind === "anonymous" ? "stage" : "people",
  ...(isStaff(role) ? ["staff"] : []),
  ...(roomId === null ? [] : [roomStream(roomId)]),
  ownStream(participantId),
]

/** True for shared streams. Buffers of other streams are kept only while they have something to replay. */
export const isSharedStream = (stream: StreamName): boolean => SHARED.has(stream)

const SHARED: ReadonlySet<StreamName> = new Set(["event", "staff", "people", "stage"])

/** Can the stream carry ephemeral dispatches? `people` has only ordered ones. */
export const hasEphemerals = (stream: StreamName): boolean => stream !== "people"

/** Reactions and transcripts go to everyone, or to a room. */
export const hasOptOuts = (stream: StreamName): boolean => stream === "event" || stream.startsWith(ROOM)
