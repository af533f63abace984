/** SRTP and SRTCP of one peer in both directions. */
import { Malformed, uint } from "../bytes.ts"
import { rtpHeadSize } from "../rtp/packet.ts"
import type { SrtpKeys } from "./keys.ts"
import { type Protection, protectionOf } from "./protection.ts"
import { ReplayWindow } from "./replay.ts"

/** A peer has few sources: its microphone, the layers of its camera, its screen. */
const MOST_SOURCES = 24
const ENCRYPTED = 0x8000_0000
const ROUND = 0x1_0000

/** The number that continues `top` with the sequence number, which has its low 16 bits (RFC 3711, 3.3.1). */
const extendedSequence = (top: number, sequence: number): number => {
  if (top < 0) return sequence
  const rounds = Math.floor(top / ROUND)
  const near = rounds * ROUND + sequence
  if (near < top - ROUND / 2) return near + ROUND
  return near > top + ROUND / 2 && rounds > 0 ? near - ROUND : near
}

export class SrtpSession {
  readonly #rtp: { readonly sent: Protection; readonly received: Protection }
  readonly #rtcp: { readonly sent: Protection; readonly received: Protection }
  readonly #received = new Map<number, ReplayWindow>()
  readonly #reports = new Map<number, ReplayWindow>()
  #reportsSent = 0

  constructor({ profile, sent, received }: SrtpKeys) {
    const both = (kind: "rtp" | "rtcp") => ({
      sent: protectionOf(profile, sent[kind], kind),
      received: protectionOf(profile, received[kind], kind),
    })
    this.#rtp = both("rtp")
    this.#rtcp = both("rtcp")
  }

  /** The payload, and the number of the packet in full. @throws Malformed also for a packet that came before. */
  openRtp(packet: Buffer): { readonly payload: Buffer; readonly number: number } {
    const headSize = rtpHeadSize(packet)
    if (packet.length < headSize + this.#rtp.received.tagSize) throw new Malformed("The packet is too short.")
    const ssrc = packet.readUInt32BE(8)
    const window = windowOf(this.#received, ssrc)
    const number = extendedSequence(window.top, packet.readUInt16BE(2))
    if (!window.isNew(number)) throw new Malformed("The packet came before.")
    const [high, low] = [Math.floor(number / ROUND), number % ROUND]
    const payload = this.#rtp.received.open(
      { ssrc, high, low },
      packet.subarray(0, headSize),
      packet.subarray(headSize),
      uint(high, 4),
    )
    window.take(number)
    this.#received.set(ssrc, window)
    return { payload, number }
  }

  /** `sequence` in full: what the packet has of it, and the rounds before. */
  sealRtp(head: Buffer, payload: ReadonlyArray<Buffer>, sequence: number): Buffer {
    const [high, low] = [Math.floor(sequence / ROUND), sequence % ROUND]
    const number = { ssrc: head.readUInt32BE(8), high, low }
    return Buffer.concat([head, this.#rtp.sent.seal(number, head, payload, uint(high, 4))])
  }

  /** The compound packet in the clear. @throws Malformed */
  openRtcp(packet: Buffer): Buffer {
    const { received } = this.#rtcp
    if (packet.length < 12 + received.tagSize) throw new Malformed("The report is too short.")
    const head = packet.subarray(0, 8)
    const ssrc = packet.readUInt32BE(4)
    // The word with the index stands after the tag of GCM (RFC 7714, 9.3), and before that of the HMAC (RFC 3711, 3.4).
    const isLast = received.tagSize === 16
    const at = isLast ? packet.length - 4 : packet.length - 4 - received.tagSize
    const word = packet.subarray(at, at + 4)
    const index = word.readUInt32BE(0) & 0x7fff_ffff
    if ((word.readUInt32BE(0) & ENCRYPTED) === 0) throw new Malformed("The report is not encrypted.")
    const window = windowOf(this.#reports, ssrc)
    if (!window.isNew(index)) throw new Malformed("The report came before.")
    const sealed = isLast ? packet.subarray(8, at) : Buffer.concat([packet.subarray(8, at), packet.subarray(at + 4)])
    const body = received.open({ ssrc, high: 0, low: index }, head, sealed, word)
    window.take(index)
    this.#reports.set(ssrc, window)
    return Buffer.concat([head, body])
  }

  sealRtcp(compound: Buffer): Buffer {
    const { sent } = this.#rtcp
    const index = ++this.#reportsSent
    const word = uint(ENCRYPTED + index, 4)
    const head = compound.subarray(0, 8)
    const sealed = sent.seal({ ssrc: head.readUInt32BE(4), high: 0, low: index }, head, [compound.subarray(8)], word)
    const [body, tag] = [sealed.subarray(0, -sent.tagSize), sealed.subarray(-sent.tagSize)]
    return sent.tagSize === 16 ? Buffer.concat([head, body, tag, word]) : Buffer.concat([head, body, word, tag])
  }
}

/** A window is kept once a packet was authentic, so that forged sources leave nothing. */
const windowOf = (windows: ReadonlyMap<number, ReplayWindow>, ssrc: number): ReplayWindow => {
  const window = windows.get(ssrc)
  if (window === undefined && windows.size >= MOST_SOURCES) throw new Malformed("The peer has too many sources.")
  return window ?? new ReplayWindow()
}
