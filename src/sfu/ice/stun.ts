/** Connectivity checks of ICE (RFC 8445) in STUN (RFC 8489), as far as a lite agent answers them. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import { Malformed, Reader, uint } from "../bytes.ts"

const COOKIE = 0x2112a442
const BINDING_REQUEST = 0x0001
const BINDING_SUCCESS = 0x0101
const USERNAME = 0x0006
const MESSAGE_INTEGRITY = 0x0008
const XOR_MAPPED_ADDRESS = 0x0020
const USE_CANDIDATE = 0x0025
const FINGERPRINT = 0x8028
const HEAD = 20

interface Check {
  readonly transaction: Buffer
  /** The part of the username that names the server's side. */
  readonly localFragment: string
  /** Whether the controlling side chose this path. */
  readonly isNominated: boolean
  /** Offset of MESSAGE-INTEGRITY in the packet. */
  readonly integrityAt: number
  readonly integrity: Buffer
}

export const isStun = (packet: Buffer): boolean =>
  packet.length >= HEAD && (packet[0] ?? 0xff) < 4 && packet.readUInt32BE(4) === COOKIE

/** `undefined` for what is no request with credentials. @throws Malformed */
export const readCheck = (packet: Buffer): Check | undefined => {
  const reader = new Reader(packet)
  if (reader.uint(2) !== BINDING_REQUEST) return undefined
  if (reader.uint(2) !== packet.length - HEAD) throw new Malformed("The length is wrong.")
  reader.take(4)
  const transaction = reader.take(12)
  let username: string | undefined
  let isNominated = false
  while (reader.left > 0) {
    const at = packet.length - reader.left
    const type = reader.uint(2)
    const value = reader.vector(2)
    reader.take(Math.min(reader.left, (4 - (value.length % 4)) % 4))
    if (type === USERNAME) username = value.toString("utf8")
    else if (type === USE_CANDIDATE) isNominated = true
    else if (type === MESSAGE_INTEGRITY) {
      // Attributes behind it are not authenticated.
      if (username === undefined) return undefined
      const [localFragment = ""] = username.split(":")
      return { transaction, localFragment, isNominated, integrityAt: at, integrity: value }
    }
  }
  return undefined
}

/** The length field counts up to the end of the attribute that is being computed. */
const withLength = (packet: Buffer, length: number): Buffer => {
  const copy = Buffer.from(packet)
  copy.writeUInt16BE(length, 2)
  return copy
}

const integrityOf = (packet: Buffer, password: string): Buffer =>
  createHmac("sha1", password)
    .update(withLength(packet, packet.length - HEAD + 24))
    .digest()

/** Whether the sender of the check knows the password. */
export const isAuthentic = (packet: Buffer, { integrity, integrityAt }: Check, password: string): boolean =>
  integrity.length === 20 && timingSafeEqual(integrity, integrityOf(packet.subarray(0, integrityAt), password))

const attribute = (type: number, value: Buffer): Buffer => Buffer.concat([uint(type, 2), uint(value.length, 2), value])

/** IPv4 as 4 bytes, IPv6 as 16. */
const addressBytes = (address: string): Buffer => {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number))
  const [head = "", tail] = address.split("::")
  const words = (part: string): ReadonlyArray<number> =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16))
  const [before, after] = [words(head), tail === undefined ? [] : words(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return Buffer.concat([...before, ...zeros, ...after].map((word) => uint(word, 2)))
}

const xorMapped = (address: string, port: number, transaction: Buffer): Buffer => {
  const mask = Buffer.concat([uint(COOKIE, 4), transaction])
  const bytes = addressBytes(address).map((byte, at) => byte ^ (mask[at] ?? 0))
  return Buffer.concat([uint(bytes.length === 4 ? 1 : 2, 2), uint(port ^ (COOKIE >>> 16), 2), bytes])
}

/** The answer, which says from which address the check came. */
export const checkAnswer = (
  { transaction }: Check,
  { address, port }: { readonly address: string; readonly port: number },
  password: string,
): Buffer => {
  const mapped = attribute(XOR_MAPPED_ADDRESS, xorMapped(address, port, transaction))
  const head = Buffer.concat([uint(BINDING_SUCCESS, 2), uint(0, 2), uint(COOKIE, 4), transaction])
  const answer = Buffer.concat([head, mapped])
  const signed = Buffer.concat([answer, attribute(MESSAGE_INTEGRITY, integrityOf(answer, password))])
  const whole = withLength(signed, signed.length - HEAD + 8)
  return Buffer.concat([whole, attribute(FINGERPRINT, uint((crc32(whole) ^ 0x5354554e) >>> 0, 4))])
}
