/** An encoder that sends by WebRTC (WHIP, RFC 9725): a peer that is in no room, and whose media go to a broadcast. */

import type { Timers } from "../../clock/timers.ts"
import { Malformed } from "../bytes.ts"
import type { Certificate } from "../dtls/certificate.ts"
import type { Layer } from "../forwarding/layer.ts"
import type { MediaKind } from "../rtp/packet.ts"
import type { AnswerFacts } from "../session/answer.ts"
import { type Codecs, type Offer, readOffer } from "../session/offer.ts"
import { Peer } from "../session/peer.ts"
import { EncoderMedia, type MediaPiece } from "./encoder-media.ts"

export interface EncoderEvents {
  readonly onPiece: (session: string, piece: MediaPiece) => void
  readonly onEncoderEnded: (session: string) => void
}

interface EncoderFacts {
  readonly id: string
  readonly offer: Offer
  readonly maxKbps: number
  readonly certificate: Certificate
  readonly timers: Timers
}

/** Codecs that broadcasts carry and each player of HLS plays. */
const CODECS: Codecs = { audio: "opus/48000", video: "h264/90000" }

export const ENCODER_FORMS: AnswerFacts["forms"] = {
  audio: { codec: "opus/48000/2", formatOf: () => "minptime=10;useinbandfec=1;stereo=1;maxaveragebitrate=128000" },
  video: { codec: "H264/90000", formatOf: ({ format }) => format },
}

/** An encoder that sends nothing a broadcast can take is let go. */
const SILENT_MS = 15_000
/** Packets of an encoder have some thousand bytes; those of sound are short. */
const SHORT_PACKET_BITS = 4000
const LEAST_PACKETS = 1000

/** The offer with the first sound and the first picture that are sent, each in one layer. @throws Malformed */
export const readEncoderOffer = (sdp: string): Offer => {
  const offer = readOffer(sdp, CODECS)
  const taken = new Set<MediaKind>()
  const sections = offer.sections.map((one) => {
    const { section } = one
    if (section === undefined || !section.isSent || taken.has(section.kind)) return { ...one, section: undefined }
    taken.add(section.kind)
    return { ...one, section: { ...section, rids: [] } }
  })
  if (taken.size === 0) throw new Malformed("The offer sends neither a picture in H.264 nor sound in Opus.")
  return { ...offer, sections }
}

export class EncoderSession {
  readonly peer: Peer
  readonly #media: EncoderMedia
  readonly #timers: Timers
  #picture: Layer | undefined

  constructor({ id, offer, maxKbps, certificate, timers }: EncoderFacts, events: EncoderEvents) {
    this.#timers = timers
    const bits = maxKbps * 1000
    const limits = { bits, packets: Math.max(LEAST_PACKETS, bits / SHORT_PACKET_BITS) }
    const kinds = new Set(offer.sections.flatMap(({ section }) => section?.kind ?? []))
    this.#media = new EncoderMedia(kinds, timers.elapsed(), { onPiece: (piece) => events.onPiece(id, piece) })
    this.peer = new Peer(
      { id, gen: 0, offer, certificate, timers, limits },
      {
        onClosed: () => events.onEncoderEnded(id),
        onPacket: ({ kind }, layer, packet, number) => {
          if (kind === "video") this.#picture = layer
          this.#media.add(kind, packet, number, layer.senderTime, timers.elapsed())
        },
        onKeyFrameAsked: () => undefined,
      },
    )
  }

  /** Whether nothing has come for so long that the encoder is gone. */
  get isOver(): boolean {
    return this.#media.silentFor(this.#timers.elapsed()) > SILENT_MS
  }

  /** Gives what waits for more. */
  finish(): void {
    this.#media.end()
  }

  tick(): void {
    const now = this.#timers.elapsed()
    this.#media.tick(now)
    if (this.#picture !== undefined && this.#media.wantsKeyFrame(now)) this.peer.askKeyFrame(this.#picture)
  }
}
