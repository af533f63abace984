/** One source as a browser sends it: its microphone, its screen, or one layer of its camera. */

import { CLOCK_RATES, type MediaKind, type RtpPacket } from "../rtp/packet.ts"
import type { Reception, SenderReport, SenderTime } from "../rtp/rtcp.ts"

/** Packets kept for repetition. At 1.5 Mbit/s they are three seconds, more than anybody waits for a lost packet. */
const KEPT = 512
const KEY_FRAME_EVERY_MS = 500
/** A packet is asked for again this often, and not more of them at once. */
const ASKED_AT_MOST = 4
const ASK_AGAIN_MS = 50
const MOST_MISSING = 64

interface Missing {
  asked: number
  askedAt: number
}

export class Layer {
  readonly ssrc: number
  /** Units of its timestamps in a second. */
  readonly #clock: number
  readonly #asksAgain: boolean
  readonly #kept: Array<{ readonly number: number; readonly packet: RtpPacket } | undefined> = []
  readonly #missing = new Map<number, Missing>()
  #top = -1
  #first = 0
  #received = 0
  #reported = { expected: 0, received: 0 }
  #jitter = 0
  #transit: number | undefined
  #senderReport = { ntp: 0, at: 0 }
  #senderTime: SenderTime | undefined
  #askedKeyFrameAt = Number.NEGATIVE_INFINITY
  #bytes = 0
  #countedAt = 0
  #bitsPerSecond = 0
  #heardAt = Number.NEGATIVE_INFINITY

  constructor(ssrc: number, kind: MediaKind) {
    this.ssrc = ssrc
    this.#clock = CLOCK_RATES[kind]
    // Lost sound is not worth the wait.
    this.#asksAgain = kind === "video"
  }

  /** Bits that arrived in the last second. */
  get bitsPerSecond(): number {
    return this.#bitsPerSecond
  }

  /** Browsers stop layers that they cannot afford. */
  isSent(now: number): boolean {
    return now - this.#heardAt < 2000
  }

  /** `number` is the packet's, which goes on where the sequence number begins again; `now` in milliseconds. */
  add(packet: RtpPacket, number: number, now: number): void {
    if (this.#top < 0) this.#first = number
    for (
      let lost = Math.max(this.#top + 1, number - MOST_MISSING);
      this.#asksAgain && this.#top >= 0 && lost < number;
      lost++
    )
      this.#missing.set(lost, { asked: 0, askedAt: now })
    this.#missing.delete(number)
    this.#top = Math.max(this.#top, number)
    this.#kept[number % KEPT] = { number, packet }
    this.#received += 1
    this.#count(packet.payload.length, now)
    this.#judgeJitter(packet.timestamp, now)
  }

  packetOf(number: number): RtpPacket | undefined {
    const kept = this.#kept[number % KEPT]
    return kept?.number === number ? kept.packet : undefined
  }

  /** Sequence numbers to ask for now, ascending. */
  missing(now: number): ReadonlyArray<number> {
    const asked: Array<number> = []
    for (const [number, one] of this.#missing) {
      if (one.asked === ASKED_AT_MOST || number < this.#top - KEPT) this.#missing.delete(number)
      else if (one.asked === 0 || now - one.askedAt >= ASK_AGAIN_MS) {
        one.asked += 1
        one.askedAt = now
        asked.push(number & 0xffff)
      }
    }
    return asked
  }

  /** Whether to ask for a key frame; a request is on its way otherwise. */
  mayAskKeyFrame(now: number): boolean {
    if (now - this.#askedKeyFrameAt < KEY_FRAME_EVERY_MS) return false
    this.#askedKeyFrameAt = now
    return true
  }

  /** From the latest report of the sender. */
  get senderTime(): SenderTime | undefined {
    return this.#senderTime
  }

  noteSenderReport({ ntp, time }: SenderReport, now: number): void {
    this.#senderTime = time
    this.#senderReport = { ntp, at: now }
  }

  /** The block of a receiver report (RFC 3550, 6.4.1); `undefined` before the first packet. */
  reception(now: number): Reception | undefined {
    if (this.#top < 0) return undefined
    const expected = this.#top - this.#first + 1
    const [expectedNow, receivedNow] = [expected - this.#reported.expected, this.#received - this.#reported.received]
    this.#reported = { expected, received: this.#received }
    const lostNow = Math.max(0, expectedNow - receivedNow)
    const { ntp, at } = this.#senderReport
    return {
      ssrc: this.ssrc,
      fractionLost: expectedNow === 0 ? 0 : Math.min(255, Math.floor((lostNow * 256) / expectedNow)),
      lost: Math.max(0, expected - this.#received),
      highest: this.#top % 0x1_0000_0000,
      jitter: Math.floor(this.#jitter),
      lastReport: ntp,
      delay: ntp === 0 ? 0 : Math.min(0xffff_ffff, Math.floor((now - at) * 65.536)),
    }
  }

  #count(bytes: number, now: number): void {
    this.#heardAt = now
    this.#bytes += bytes
    const passed = now - this.#countedAt
    if (passed < 1000) return
    this.#bitsPerSecond = passed > 3000 ? 0 : (this.#bytes * 8000) / passed
    this.#bytes = 0
    this.#countedAt = now
  }

  /** Interarrival jitter (RFC 3550, 6.4.1). */
  #judgeJitter(timestamp: number, now: number): void {
    const transit = (now * this.#clock) / 1000 - timestamp
    const difference = Math.abs(transit - (this.#transit ?? transit))
    this.#transit = transit
    // A timestamp that begins again, or a source that paused, is no jitter.
    if (difference < this.#clock) this.#jitter += (difference - this.#jitter) / 16
  }
}
