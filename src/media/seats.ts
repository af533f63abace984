/**
 * Seats in the media server (LiveKit): a token admits one participant to one room of one live event. The audience has no seat:
 * it watches the broadcast. Without a media server there are no tokens, and browsers connect to each other. Tokens hold the rights of their holder and cannot be
 * revoked, and the media server gives whoever is connected further ones, of ten minutes. Each therefore names what it rests on, sealed, because the media
 * server shows it to the others in the room: it comes back with the message that somebody has come in, and is judged then.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { VideoGrant } from "livekit-server-sdk"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { Ground } from "../model/links.ts"
import { hasSeat, type Modality } from "../model/modality.ts"
import type { EventRole } from "../model/roles.ts"
import { openText, SealBroken, sealText } from "../store/sealing/sealed-text.ts"

export interface MediaServer {
  /** Where clients connect, such as `wss://media.example.com`. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: Redacted.Redacted<string>
}

export interface SeatRequest {
  readonly eventId: string
  /** The active phase. */
  readonly phaseId: string
  /** `null`: the main room of the phase. */
  readonly roomId: string | null
  readonly participantId: string
  readonly name: string
  /** As the phase narrows it; a stored role is narrowed here. */
  readonly role: EventRole
  readonly modality: Modality
  /** Absent for somebody without a name. */
  readonly ground: Ground | undefined
  /** The role that the live event gave, which precedes that of the ground. */
  readonly given: EventRole | null
}

/** What a seat rests on. */
export interface SeatBasis {
  readonly ground: Ground
  readonly given: EventRole | null
  /** Unix milliseconds. */
  readonly givenAt: number
}

export interface MediaToken {
  readonly provider: "livekit"
  readonly url: string
  readonly token: string
}

/** For the connect; the media server does not check the token again while its holder stays connected. */
const LIFETIME = "2m"

/**
 * The media server's name of a room. Each phase has a main room of its own: a seat in a call is not valid on the stage after it.
 */
export const mediaRoomOf = ({
  eventId,
  phaseId,
  roomId,
}: Pick<SeatRequest, "eventId" | "phaseId" | "roomId">): string => `${eventId}:${roomId ?? phaseId}`

/** The holder's rights in the room. Messages go through the gateway, where they can be moderated. */
const grantFor = (seat: SeatRequest): VideoGrant => ({
  room: mediaRoomOf(seat),
  roomJoin: true,
  canPublish: true,
  canSubscribe: true,
  canPublishData: false,
})

export class Media extends Context.Service<
  Media,
  {
    /** A media server is configured, so that participants may have seats. */
    readonly hasServer: boolean
    /** `null`: the participant has no seat, or there is no media server. */
    readonly tokenFor: (seat: SeatRequest) => Effect.Effect<MediaToken | null>
    /** The grant that a person's token rests on, by the token's metadata. `undefined`: the token has no metadata, as the token of a person without a name. */
    readonly basisOf: (room: string, participantId: string, metadata: string) => SeatBasis | "forged" | undefined
  }
>()("gathercue/Media") {
  /** `keys`: derived for this purpose alone. */
  static readonly layer = (server: MediaServer | null, keys: KeyRing): Layer.Layer<Media> =>
    server === null
      ? Layer.succeed(Media, { hasServer: false, tokenFor: () => Effect.succeed(null), basisOf: () => undefined })
      : seats(server, keys)
}

const ownerOf = (room: string, participantId: string): string => `${room} ${participantId}`

const basisOf =
  (keys: KeyRing) =>
  (room: string, participantId: string, metadata: string): SeatBasis | "forged" | undefined => {
    if (metadata === "") return undefined
    try {
      const text = openText(keys, ownerOf(room, participantId), Buffer.from(metadata, "base64url"))
      return JSON.parse(text) as SeatBasis
    } catch (cause) {
      if (cause instanceof SealBroken) return "forged"
      throw cause
    }
  }

/** The library is loaded where there is a media server only: it costs a start a tenth of a second. */
const seats = ({ url, apiKey, apiSecret }: MediaServer, keys: KeyRing): Layer.Layer<Media> =>
  Layer.effect(
    Media,
    Effect.map(
      Effect.promise(() => import("livekit-server-sdk")),
      ({ AccessToken }) => ({
        hasServer: true,
        basisOf: basisOf(keys),
        tokenFor: (seat) =>
          Effect.gen(function* () {
            if (!hasSeat(seat.role, seat.modality)) return null
            const { participantId: identity, name, ground, given } = seat
            const token = new AccessToken(apiKey, Redacted.value(apiSecret), { identity, name, ttl: LIFETIME })
            token.addGrant(grantFor(seat))
            if (ground !== undefined) {
              const basis: SeatBasis = { ground, given, givenAt: yield* Clock.currentTimeMillis }
              const sealed = sealText(keys, ownerOf(mediaRoomOf(seat), identity), JSON.stringify(basis))
              token.metadata = Buffer.from(sealed).toString("base64url")
            }
            const text = yield* Effect.promise(() => token.toJwt())
            return { provider: "livekit", url, token: text } satisfies MediaToken
          }),
      }),
    ),
  )
