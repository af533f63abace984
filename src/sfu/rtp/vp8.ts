/** The payload descriptor of VP8 (RFC 7741, 4.2): key frames, and numbers that must go on when the source of a picture changes. */

export interface Vp8Numbers {
  readonly pictureId: number
  readonly tl0: number
}

interface Places {
  readonly isKeyFrame: boolean
  /** Offset of a picture id of 15 bits. */
  readonly pictureIdAt: number | undefined
  readonly tl0At: number | undefined
}

const placesOf = (payload: Buffer): Places => {
  const first = payload[0] ?? 0
  const flags = (first & 0x80) === 0 ? 0 : (payload[1] ?? 0)
  let at = (first & 0x80) === 0 ? 1 : 2
  let pictureIdAt: number | undefined
  let tl0At: number | undefined
  if ((flags & 0x80) !== 0) {
    const isLong = ((payload[at] ?? 0) & 0x80) !== 0
    if (isLong) pictureIdAt = at
    at += isLong ? 2 : 1
  }
  if ((flags & 0x40) !== 0) {
    tl0At = at
    at += 1
  }
  if ((flags & 0x30) !== 0) at += 1
  // The first packet of a frame, whose first bit says that it depends on no other.
  const isKeyFrame = (first & 0x17) === 0x10 && at < payload.length && ((payload[at] ?? 1) & 1) === 0
  return { isKeyFrame, pictureIdAt, tl0At }
}

export const isVp8KeyFrame = (payload: Buffer): boolean => placesOf(payload).isKeyFrame

/** The numbers of the packet; `undefined` where it has none. */
export const vp8NumbersOf = (payload: Buffer): Vp8Numbers | undefined => {
  const { pictureIdAt, tl0At } = placesOf(payload)
  if (pictureIdAt === undefined || tl0At === undefined || tl0At >= payload.length) return undefined
  return { pictureId: payload.readUInt16BE(pictureIdAt) & 0x7fff, tl0: payload.readUInt8(tl0At) }
}

/** The payload in two parts, the first one with its numbers moved on. */
export const renumbered = (payload: Buffer, by: Vp8Numbers): ReadonlyArray<Buffer> => {
  const { pictureIdAt, tl0At } = placesOf(payload)
  if ((by.pictureId === 0 && by.tl0 === 0) || pictureIdAt === undefined || tl0At === undefined) return [payload]
  const head = Buffer.from(payload.subarray(0, tl0At + 1))
  head.writeUInt16BE(0x8000 | ((head.readUInt16BE(pictureIdAt) + by.pictureId) & 0x7fff), pictureIdAt)
  head.writeUInt8((head.readUInt8(tl0At) + by.tl0) & 0xff, tl0At)
  return [head, payload.subarray(tl0At + 1)]
}
