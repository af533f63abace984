/** Heads of RTP packets (RFC 3550, 5.1) and their extensions (RFC 8285, one-byte form). */
import { Malformed } from "../bytes.ts"

export type MediaKind = "audio" | "video"

/** Units of a timestamp in a second: Opus (RFC 7587), and VP8 (RFC 7741) or H.264 (RFC 6184). */
export const CLOCK_RATES: Readonly<Record<MediaKind, number>> = { audio: 48_000, video: 90_000 }

const HEAD = 12
const ONE_BYTE_FORM = 0xbede

/** Ids of header extensions that a session agreed on; absent ones were not offered. */
export interface ExtensionIds {
  readonly mid?: number
  readonly rid?: number
  readonly audioLevel?: number
  readonly absSendTime?: number
}

export interface RtpPacket {
  readonly ssrc: number
  readonly sequence: number
  readonly timestamp: number
  readonly hasMarker: boolean
  readonly payloadType: number
  readonly mid: string | undefined
  readonly rid: string | undefined
  /** Loudness in -dBov: 0 is loudest, 127 silence (RFC 6464). */
  readonly level: number | undefined
  readonly payload: Buffer
}

export const isRtcp = (packet: Buffer): boolean => {
  const type = packet[1] ?? 0
  return type >= 192 && type <= 223
}

/** @throws Malformed */
export const rtpHeadSize = (packet: Buffer): number => {
  const first = packet[0] ?? 0
  const fixed = HEAD + (first & 15) * 4
  if (first >> 6 !== 2 || packet.length < fixed + 4) throw new Malformed("The packet is no RTP.")
  if ((first & 16) === 0) return fixed
  const size = fixed + 4 + packet.readUInt16BE(fixed + 2) * 4
  if (size > packet.length) throw new Malformed("The extension is longer than the packet.")
  return size
}

/** Values by id. */
const extensionsOf = (packet: Buffer, headSize: number): ReadonlyMap<number, Buffer> => {
  const values = new Map<number, Buffer>()
  const from = HEAD + ((packet[0] ?? 0) & 15) * 4
  if (headSize === from || packet.readUInt16BE(from) !== ONE_BYTE_FORM) return values
  for (let at = from + 4; at < headSize; ) {
    const head = packet.readUInt8(at)
    if (head === 0) at += 1
    else {
      const size = (head & 15) + 1
      if (at + 1 + size > headSize) return values
      values.set(head >> 4, packet.subarray(at + 1, at + 1 + size))
      at += 1 + size
    }
  }
  return values
}

/** The payload without its padding. @throws Malformed */
const unpadded = (packet: Buffer, payload: Buffer): Buffer => {
  if (((packet[0] ?? 0) & 32) === 0) return payload
  const padding = payload.at(-1) ?? 0
  if (padding === 0 || padding > payload.length) throw new Malformed("The padding is longer than the payload.")
  return payload.subarray(0, payload.length - padding)
}

/** `packet` as it came, `payload` decrypted. @throws Malformed */
export const readRtp = (packet: Buffer, payload: Buffer, ids: ExtensionIds): RtpPacket => {
  const values = extensionsOf(packet, rtpHeadSize(packet))
  const text = (id: number | undefined): string | undefined =>
    id === undefined ? undefined : values.get(id)?.toString("latin1")
  const level = ids.audioLevel === undefined ? undefined : values.get(ids.audioLevel)?.[0]
  const second = packet.readUInt8(1)
  return {
    ssrc: packet.readUInt32BE(8),
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    hasMarker: second >= 128,
    payloadType: second & 127,
    mid: text(ids.mid),
    rid: text(ids.rid),
    level: level === undefined ? undefined : level & 127,
    payload: unpadded(packet, payload),
  }
}

interface SentHead {
  readonly payloadType: number
  readonly hasMarker: boolean
  /** 16 bits. */
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc: number
  readonly absSendTimeId: number | undefined
  /** Seconds in 6.18 fixed point. */
  readonly sendTime: number
}

export const sentHead = (head: SentHead): Buffer => {
  const bytes = Buffer.allocUnsafe(head.absSendTimeId === undefined ? HEAD : HEAD + 8)
  bytes[0] = head.absSendTimeId === undefined ? 0x80 : 0x90
  bytes[1] = head.payloadType | (head.hasMarker ? 0x80 : 0)
  bytes.writeUInt16BE(head.sequence, 2)
  bytes.writeUInt32BE(head.timestamp, 4)
  bytes.writeUInt32BE(head.ssrc, 8)
  if (head.absSendTimeId !== undefined) {
    bytes.writeUInt32BE(0xbede0001, HEAD)
    bytes[HEAD + 4] = (head.absSendTimeId << 4) | 2
    bytes.writeUIntBE(head.sendTime, HEAD + 5, 3)
  }
  return bytes
}

/** `ms` since any origin, in the format of `abs-send-time`. */
export const sendTimeOf = (ms: number): number => Math.floor((ms % 64_000) * 262.144) & 0xff_ffff
