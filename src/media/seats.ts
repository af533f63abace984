/**
 * Seats in the media server (LiveKit): a token admits one participant to one room of one live event. The audience has no seat: it watches
 * the broadcast. Without a media server there are no tokens, and browsers connect to each other. Tokens carry the rights of their holder
 * and cannot be revoked, and the media server issues further tokens of ten minutes to connected people. Each token therefore names its
 * basis, sealed, because the media server shows it to the others in the room: the join message returns it, and it is judged then.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { VideoGrant } from "livekit-server-sdk"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { Ground } from "../model/links.ts"
import { hasSeat, type Modality } from "../model/modality.ts"
import type { EventRole } from "../model/roles.ts"
import { openText, SealBroken, sealText } from "../store/sealing/sealed-text.ts"

export interface MediaServer {
  /** Address for clients, such as `wss://media.example.com`. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: Redacted.Redacted<string>
}

export interface SeatRequest {
  readonly eventId: string
  /** Id of the active phase. */
  readonly phaseId: string
  /** `null` for the main room of the phase. */
  readonly roomId: string | null
  readonly participantId: string
  readonly name: string
  /** Stored role, whether or not the phase has narrowed it. */
  readonly role: EventRole
  readonly modality: Modality
  /** Absent for an anonymous person. */
  readonly ground: Ground | undefined
  /** Role given by the live event, which precedes that of the ground. */
  readonly given: EventRole | null
}

/** Basis of a seat. */
export interface SeatBasis {
  readonly ground: Ground
  readonly given: EventRole | null
  /** Time in Unix milliseconds. */
  readonly givenAt: number
}

export interface MediaToken {
  readonly provider: "livekit"
  readonly url: string
  readonly token: string
}

/** Lifetime for connecting; the media server does not check the token again while its holder stays connected. */
const LIFETIME = "2m"

/** Room name in the media server. Each phase has its own main room: a seat in a call is not valid on the stage after it. */
export const mediaRoomOf = ({
  eventId,
  phaseId,
  roomId,
}: Pick<SeatRequest, "eventId" | "phaseId" | "roomId">): string => `${eventId}:${roomId ?? phaseId}`

/** Rights of the holder in the room. Messages go through the gateway, where they can be moderated. */
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
    /** Whether a media server is configured, so that participants may have seats. */
    readonly hasServer: boolean
    /** `null` when the participant has no seat, or there is no media server. */
    readonly tokenFor: (seat: SeatRequest) => Effect.Effect<MediaToken | null>
    /**
     * Basis of a person's token, from the token's metadata. `undefined` for a token without metadata, such as that of an anonymous person.
     */
    readonly basisOf: (room: string, participantId: string, metadata: string) => SeatBasis | "forged" | undefined
  }
>()("gathercue/Media") {
  /** `keys` are derived for this purpose alone. */
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

/** Loaded only where there is a media server, because the library adds a tenth of a second to a start. */
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
