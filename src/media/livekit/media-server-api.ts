/**
 * API of the media server: its rooms and the people in them. Every call has a time limit. A missing room or participant is no failure,
 * because both may leave by themselves.
 */
import { Context, Effect, Redacted } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { MediaServer } from "../seats.ts"
import { asked, askedUnless, NOT_FOUND } from "./calls.ts"

/** A person in a room. */
export interface Connected {
  readonly identity: string
  /** Metadata of the token with which they joined. */
  readonly metadata: string
}

export interface MediaServerApi {
  /** Names of all rooms with somebody in them, including those of other programs. */
  readonly rooms: Effect.Effect<ReadonlyArray<string>, Unavailable>
  /** Lists the people in a room, without recorders and other programs. */
  readonly people: (room: string) => Effect.Effect<ReadonlyArray<Connected>, Unavailable>
  /**
   * Disconnects the participant. A server that supports it also refuses tokens in this room from before `decidedAt`, in Unix milliseconds.
   */
  readonly expel: (room: string, identity: string, decidedAt: number) => Effect.Effect<void, Unavailable>
  /** Disconnects everybody. */
  readonly close: (room: string) => Effect.Effect<void, Unavailable>
}

/** Null without a media server. */
export const MediaServerApi = Context.Reference<MediaServerApi | null>("gathercue/MediaServerApi", {
  defaultValue: () => null,
})

const WITHIN_SECONDS = 5
/** `ParticipantInfo.Kind` of a person; the library does not export its names. */
export const STANDARD = 0

/** Loaded only where there is a media server, because the library adds a tenth of a second to a start. */
export const mediaServerApiOf = ({ url, apiKey, apiSecret }: MediaServer): Effect.Effect<MediaServerApi> =>
  Effect.map(
    Effect.promise(() => import("livekit-server-sdk")),
    ({ RoomServiceClient }) => {
      // The caller retries. Other regions, which the library would try, take longer than the time limit.
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

/** The rooms of a copied database are those of the original: for the copy they are empty, and nobody is expelled. */
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
