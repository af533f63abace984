/**
 * Seats in the media server (LiveKit): a token admits one participant to one room of one live event. The audience has no seat:
 * it watches the broadcast. Without a media server there are no tokens, and browsers connect to each other. Tokens hold the rights of their holder and cannot be
 * revoked, so they are short-lived; the media server keeps a connected participant beyond the token's end.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import type { VideoGrant } from "livekit-server-sdk"
import type { Modality } from "../model/phase.ts"
import { type EventRole, isStaff, narrowRole } from "../model/roles.ts"

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
}

export interface MediaToken {
  readonly provider: "livekit"
  readonly url: string
  readonly token: string
}

/** For the connect; the media server does not check the token again while its holder stays connected. */
const LIFETIME = "10m"

/**
 * The media server's name of a room. Each phase has a main room of its own: a seat in a call is not valid on the stage after it.
 */
export const mediaRoomOf = ({
  eventId,
  phaseId,
  roomId,
}: Pick<SeatRequest, "eventId" | "phaseId" | "roomId">): string => `${eventId}:${roomId ?? phaseId}`

/** The kind of a participant's seat in a room of a phase; `null`: none. */
export const seatKind = ({ role, modality }: Pick<SeatRequest, "role" | "modality">): "staff" | "voice" | null => {
  const narrowed = narrowRole(role, modality)
  if (narrowed === "viewer") return null
  return isStaff(narrowed) ? "staff" : "voice"
}

/** The holder's rights in the room; `null`: no seat. Messages go through the gateway, where they can be moderated. */
const grantFor = (seat: SeatRequest): VideoGrant | null => {
  const kind = seatKind(seat)
  if (kind === null) return null
  return {
    room: mediaRoomOf(seat),
    roomJoin: true,
    canPublish: true,
    canSubscribe: true,
    canPublishData: false,
    ...(kind === "staff" ? { roomAdmin: true } : {}),
  }
}

export class Media extends Context.Service<
  Media,
  {
    /** A media server is configured, so that participants may have seats. */
    readonly hasServer: boolean
    /** `null`: the participant has no seat, or there is no media server. */
    readonly tokenFor: (seat: SeatRequest) => Effect.Effect<MediaToken | null>
  }
>()("gathercue/Media") {
  static readonly layer = (server: MediaServer | null): Layer.Layer<Media> =>
    server === null ? Layer.succeed(Media, { hasServer: false, tokenFor: () => Effect.succeed(null) }) : seats(server)
}

/** The library is loaded where there is a media server only: it costs a start a tenth of a second. */
const seats = ({ url, apiKey, apiSecret }: MediaServer): Layer.Layer<Media> =>
  Layer.effect(
    Media,
    Effect.map(
      Effect.promise(() => import("livekit-server-sdk")),
      ({ AccessToken }) => ({
        hasServer: true,
        tokenFor: (seat) => {
          const grant = grantFor(seat)
          if (grant === null) return Effect.succeed(null)
          const { participantId: identity, name } = seat
          const token = new AccessToken(apiKey, Redacted.value(apiSecret), { identity, name, ttl: LIFETIME })
          token.addGrant(grant)
          return Effect.map(
            Effect.promise(() => token.toJwt()),
            (text): MediaToken => ({ provider: "livekit", url, token: text }),
          )
        },
      }),
    ),
  )
