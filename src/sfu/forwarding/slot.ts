/**
 * One source that the server sends to a browser. It stays while what it shows changes: numbers and times go on, so that the browser sees
 * one stream, and nothing is negotiated when people come, go or speak.
 */
import { CLOCK_RATES, type MediaKind, type RtpPacket, sendTimeOf, sentHead } from "../rtp/packet.ts"
import { isVp8KeyFrame, renumbered, type Vp8Numbers, vp8NumbersOf } from "../rtp/vp8.ts"
import type { Layer } from "./layer.ts"
import type { Publication } from "./publication.ts"

/** Session of the slot's browser, as far as a packet needs it. */
interface SlotWay {
  readonly payloadType: number
  readonly absSendTimeId: number | undefined
  readonly send: (head: Buffer, payload: ReadonlyArray<Buffer>, sequence: number) => void
}

const RESENT = 512
const RESEND_AFTER_MS = 30
const RESENT_PER_SECOND = 200

/** How a layer's numbers become those of the slot. */
interface Binding {
  readonly layer: Layer
  /** The first number of the layer that is forwarded. */
  readonly from: number
  readonly sequence: number
  readonly timestamp: number
  readonly vp8: Vp8Numbers
}

export class Slot {
  readonly mid: string
  readonly kind: MediaKind
  readonly ssrc: number
  readonly #way: SlotWay
  #publication: Publication | undefined
  #target: Layer | undefined
  #binding: Binding | undefined
  #sequence: number
  #timestamp = 0
  #sentAt = 0
  #vp8: Vp8Numbers = { pictureId: 0, tl0: 0 }
  /** The time when each sequence number was first sent. A packet goes again with the same bytes, because a nonce must not see others. */
  readonly #sendTimes = new Uint32Array(RESENT)
  readonly #resentAt = new Float64Array(RESENT).fill(Number.NEGATIVE_INFINITY)
  #resending = { since: 0, packets: 0 }

  constructor(mid: string, kind: MediaKind, ssrc: number, firstSequence: number, way: SlotWay) {
    this.mid = mid
    this.kind = kind
    this.ssrc = ssrc
    this.#sequence = firstSequence
    this.#way = way
  }

  get publication(): Publication | undefined {
    return this.#publication
  }

  /** Shows a publication; a picture begins with its next key frame. */
  show(publication: Publication | undefined, target: Layer | undefined): void {
    if (this.#publication !== publication) this.#binding = undefined
    this.#publication = publication
    this.#target = target
  }

  /** The layer whose key frame is awaited. */
  get awaited(): Layer | undefined {
    return this.kind === "video" && this.#binding?.layer !== this.#target ? this.#target : undefined
  }

  /** The layer that is shown now. */
  get shown(): Layer | undefined {
    return this.#binding?.layer
  }

  forward(layer: Layer, packet: RtpPacket, number: number, now: number): void {
    if (layer === this.#target && layer !== this.#binding?.layer) this.#bind(layer, packet, number, now)
    const binding = this.#binding
    if (binding?.layer !== layer || number < binding.from) return
    const sequence = number + binding.sequence
    // The time of sending is known no more for what is that late.
    if (sequence <= this.#sequence - RESENT) return
    this.#sendTimes[sequence % RESENT] = sendTimeOf(now)
    if (sequence >= this.#sequence) {
      this.#sequence = sequence
      this.#timestamp = (packet.timestamp + binding.timestamp) >>> 0
      this.#sentAt = now
      const numbers = this.kind === "video" ? vp8NumbersOf(packet.payload) : undefined
      if (numbers !== undefined)
        this.#vp8 = { pictureId: numbers.pictureId + binding.vp8.pictureId, tl0: numbers.tl0 + binding.vp8.tl0 }
    }
    this.#send(binding, packet, sequence)
  }

  /** Sends a packet again, if it is of what is shown now. `low`: its sequence number. */
  resend(low: number, now: number): void {
    const binding = this.#binding
    const sequence = this.#sequence - ((this.#sequence - low) & 0xffff)
    if (binding === undefined || sequence <= this.#sequence - RESENT || !this.#mayResend(sequence, now)) return
    const number = sequence - binding.sequence
    const packet = number < binding.from ? undefined : binding.layer.packetOf(number)
    if (packet !== undefined) this.#send(binding, packet, sequence)
  }

  /** A packet on its way is not sent once more, and a browser that asks for everything does not get it. */
  #mayResend(sequence: number, now: number): boolean {
    if (now - this.#resending.since >= 1000) this.#resending = { since: now, packets: 0 }
    if (now - (this.#resentAt[sequence % RESENT] ?? 0) < RESEND_AFTER_MS) return false
    this.#resentAt[sequence % RESENT] = now
    this.#resending.packets += 1
    return this.#resending.packets <= RESENT_PER_SECOND
  }

  #bind(layer: Layer, packet: RtpPacket, number: number, now: number): void {
    if (this.kind === "video" && !isVp8KeyFrame(packet.payload)) return
    const numbers = this.kind === "video" ? vp8NumbersOf(packet.payload) : undefined
    // The time that passed since the last packet stands for the times that the two sources do not share.
    const passed =
      this.#sentAt === 0 ? 0 : Math.max(1, Math.round(((now - this.#sentAt) * CLOCK_RATES[this.kind]) / 1000))
    this.#binding = {
      layer,
      from: number,
      sequence: this.#sequence + 1 - number,
      timestamp: this.#timestamp + passed - packet.timestamp,
      vp8: {
        pictureId: numbers === undefined ? 0 : this.#vp8.pictureId + 1 - numbers.pictureId,
        tl0: numbers === undefined ? 0 : this.#vp8.tl0 + 1 - numbers.tl0,
      },
    }
  }

  #send(binding: Binding, packet: RtpPacket, sequence: number): void {
    const { payloadType, absSendTimeId, send } = this.#way
    const head = sentHead({
      payloadType,
      hasMarker: packet.hasMarker,
      sequence: sequence & 0xffff,
      timestamp: (packet.timestamp + binding.timestamp) >>> 0,
      ssrc: this.ssrc,
      absSendTimeId,
      sendTime: this.#sendTimes[sequence % RESENT] ?? 0,
    })
    send(head, this.kind === "video" ? renumbered(packet.payload, binding.vp8) : [packet.payload], sequence)
  }
}
