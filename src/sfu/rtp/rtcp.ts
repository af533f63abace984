/** Reports and feedback: RTCP (RFC 3550, 6; RFC 4585; REMB). */
import { Malformed, Reader, uint } from "../bytes.ts"

/** A timestamp, and the sender's time of it. */
export interface SenderTime {
  readonly timestamp: number
  /** Seconds of the sender's clock. */
  readonly seconds: number
}

export interface SenderReport {
  readonly kind: "senderReport"
  readonly ssrc: number
  /** The middle 32 bits of its NTP time. */
  readonly ntp: number
  readonly time: SenderTime
}

export type Feedback =
  | SenderReport
  | { readonly kind: "lost"; readonly ssrc: number; readonly sequences: ReadonlyArray<number> }
  | { readonly kind: "keyFrame"; readonly ssrc: number }
  | { readonly kind: "bandwidth"; readonly bitsPerSecond: number }

const SENDER_REPORT = 200
const RECEIVER_REPORT = 201
const TRANSPORT_FEEDBACK = 205
const PAYLOAD_FEEDBACK = 206

/** The feedback of a compound packet that a forwarding server acts on. @throws Malformed */
export const readFeedback = (compound: Buffer): ReadonlyArray<Feedback> => {
  const found: Array<Feedback> = []
  const reader = new Reader(compound)
  while (reader.left > 0) {
    const first = reader.uint(1)
    const type = reader.uint(1)
    const body = new Reader(reader.take(reader.uint(2) * 4))
    if (first >> 6 !== 2) throw new Malformed("The packet is no RTCP.")
    if (type === SENDER_REPORT) found.push(senderReport(body))
    else if (type === TRANSPORT_FEEDBACK && (first & 31) === 1) found.push(lost(body))
    else if (type === PAYLOAD_FEEDBACK) found.push(...payloadFeedback(first & 31, body))
  }
  return found
}

const senderReport = (body: Reader): Feedback => {
  const ssrc = body.uint(4)
  const [whole, part] = [body.uint(4), body.uint(4)]
  const time = { seconds: whole + part / 2 ** 32, timestamp: body.uint(4) }
  return { kind: "senderReport", ssrc, ntp: (whole % 2 ** 16) * 2 ** 16 + (part >>> 16), time }
}

const lost = (body: Reader): Feedback => {
  body.uint(4)
  const ssrc = body.uint(4)
  const sequences: Array<number> = []
  while (body.left >= 4) {
    const first = body.uint(2)
    const following = body.uint(2)
    sequences.push(first)
    for (let bit = 0; bit < 16; bit++) if ((following >> bit) & 1) sequences.push((first + bit + 1) & 0xffff)
  }
  return { kind: "lost", ssrc, sequences }
}

const payloadFeedback = (format: number, body: Reader): ReadonlyArray<Feedback> => {
  body.uint(4)
  const ssrc = body.uint(4)
  if (format === 1) return [{ kind: "keyFrame", ssrc }]
  // A full intra request names its sources in its entries.
  if (format === 4) return body.left >= 4 ? [{ kind: "keyFrame", ssrc: body.uint(4) }] : []
  if (format !== 15 || body.left < 8 || body.take(4).toString("latin1") !== "REMB") return []
  body.uint(1)
  const word = body.uint(3)
  return [{ kind: "bandwidth", bitsPerSecond: (word & 0x3ffff) * 2 ** (word >> 18) }]
}

const packet = (count: number, type: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([uint(0x80 | count, 1), uint(type, 1), uint(body.length / 4, 2), body])
}

export const keyFrameRequest = (sender: number, ssrc: number): Buffer =>
  packet(1, PAYLOAD_FEEDBACK, uint(sender, 4), uint(ssrc, 4))

/** Asks for packets again; `sequences` ascending, 16 bits. */
export const lossReport = (sender: number, ssrc: number, sequences: ReadonlyArray<number>): Buffer =>
  packet(
    1,
    TRANSPORT_FEEDBACK,
    uint(sender, 4),
    uint(ssrc, 4),
    ...sequences.map((sequence) => Buffer.concat([uint(sequence, 2), uint(0, 2)])),
  )

export interface Reception {
  readonly ssrc: number
  /** Lost since the report before, of 256. */
  readonly fractionLost: number
  readonly lost: number
  readonly highest: number
  /** In units of the stream's clock. */
  readonly jitter: number
  readonly lastReport: number
  /** Since the last report, in 1/65536 seconds. */
  readonly delay: number
}

export const receiverReport = (sender: number, receptions: ReadonlyArray<Reception>): Buffer =>
  packet(
    receptions.length,
    RECEIVER_REPORT,
    uint(sender, 4),
    ...receptions.map((one) =>
      Buffer.concat([
        uint(one.ssrc, 4),
        uint(one.fractionLost, 1),
        uint(Math.min(one.lost, 0x7f_ffff), 3),
        uint(one.highest, 4),
        uint(one.jitter, 4),
        uint(one.lastReport, 4),
        uint(one.delay, 4),
      ]),
    ),
  )

/** Most that the sources may send together. */
export const bandwidthLimit = (sender: number, bitsPerSecond: number, ssrcs: ReadonlyArray<number>): Buffer => {
  const exponent = Math.max(0, Math.ceil(Math.log2((bitsPerSecond + 1) / 0x40000)))
  const word = exponent * 0x40000 + Math.floor(bitsPerSecond / 2 ** exponent)
  return packet(
    15,
    PAYLOAD_FEEDBACK,
    uint(sender, 4),
    uint(0, 4),
    Buffer.from("REMB", "latin1"),
    uint(ssrcs.length, 1),
    uint(word, 3),
    ...ssrcs.map((ssrc) => uint(ssrc, 4)),
  )
}
