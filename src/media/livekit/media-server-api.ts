/**
 * The media server's own interface: its rooms and the people in them. Every call has a time limit. A room or a participant that is
 * not there any more is no failure, because both leave by themselves.
 */
import { Context, Effect, Redacted } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { MediaServer } from "../seats.ts"
import { asked, askedUnless, NOT_FOUND } from "./calls.ts"

/** A person in a room. */
export interface Connected {
  readonly identity: string
  /** The metadata of the token that they came with. */
  readonly metadata: string
}

export interface MediaServerApi {
  /** The names of all rooms with somebody in them, also of other programs. */
  readonly rooms: Effect.Effect<ReadonlyArray<string>, Unavailable>
  /** Recorders and other programs are not people. */
  readonly people: (room: string) => Effect.Effect<ReadonlyArray<Connected>, Unavailable>
  /** Disconnects the participant. A server that knows how refuses tokens from before `decidedAt`, Unix milliseconds, in this room. */
  readonly expel: (room: string, identity: string, decidedAt: number) => Effect.Effect<void, Unavailable>
  /** Disconnects everybody. */
  readonly close: (room: string) => Effect.Effect<void, Unavailable>
}

/** Null: there is no media server. */
export const MediaServerApi = Context.Reference<MediaServerApi | null>("gathercue/MediaServerApi", {
  defaultValue: () => null,
})

const WITHIN_SECONDS = 5
/** `ParticipantInfo.Kind` of a person; the library does not export its names. */
export const STANDARD = 0

/** The library is loaded where there is a media server only: it costs a start a tenth of a second. */
export const mediaServerApiOf = ({ url, apiKey, apiSecret }: MediaServer): Effect.Effect<MediaServerApi> =>
  Effect.map(
    Effect.promise(() => import("livekit-server-sdk")),
    ({ RoomServiceClient }) => {
      // The caller tries again. Other regions, which the library would try, take longer than the time limit.
      const client = new RoomServiceClient(url, apiKey, Redacted.value(apiSecret), {
        requestTimeout: WITHIN_SECONDS,
        failover: false,
      })
      return {
        rooms: Effect.map(
          asked(() => client.listRooms()),
          (rooms) => rooms.map(({ name }) => name),
        ),
        people: (room) =>
          Effect.map(
            askedUnless([NOT_FOUND], Effect.succeed([]), () => client.listParticipants(room)),
            (found) =>
              found
                .filter(({ kind }) => Number(kind) === STANDARD)
                .map(({ identity, metadata }) => ({ identity, metadata })),
          ),
        expel: (room, identity, decidedAt) =>
          askedUnless([NOT_FOUND], Effect.void, () =>
            client.removeParticipant(room, identity, { revokeTokenTs: BigInt(Math.floor(decidedAt / 1000)) }),
          ),
        close: (room) => askedUnless([NOT_FOUND], Effect.void, () => client.deleteRoom(room)),
      }
    },
  )

/** The rooms of a database that is a copy are those of the original: for the copy nobody is in them, and nobody is sent out. */
export const untouchedWhile = (isQuiet: () => boolean, api: MediaServerApi): MediaServerApi => {
  const unless = <A, E>(work: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A, E> =>
    Effect.suspend(() => (isQuiet() ? Effect.succeed(otherwise) : work))
  return {
    rooms: unless(api.rooms, []),
    people: (room) => unless(api.people(room), []),
    expel: (room, identity, decidedAt) => unless(api.expel(room, identity, decidedAt), undefined),
    close: (room) => unless(api.close(room), undefined),
  }
}
