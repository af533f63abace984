/** The facts of a sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1) that a description of the picture needs. */
import { Malformed } from "../bytes.ts"

interface SequenceFacts {
  readonly width: number
  readonly height: number
  /** Format of the colours; undefined for a profile that has but one. */
  readonly chroma: Chroma | undefined
}

interface Chroma {
  readonly format: number
  /** Bits of a sample beyond eight. */
  readonly lumaDepth: number
  readonly chromaDepth: number
}

/** Profiles whose sets name the format of their colours. */
const WITH_CHROMA: ReadonlyArray<number> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]
const MOST_PIXELS = 8192
/** Sets with scaling lists are longer than others, and still short. */
const MOST_BYTES = 1024

class Bits {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  bit(): number {
    const byte = this.#bytes[this.#at >> 3]
    if (byte === undefined) throw new Malformed("The parameter set ends early.")
    return (byte >> (7 - (this.#at++ & 7))) & 1
  }

  bits(count: number): number {
    let value = 0
    for (let left = count; left > 0; left--) value = value * 2 + this.bit()
    return value
  }

  /** An unsigned number in the code of Exp-Golomb (9.1). */
  ue(): number {
    let zeros = 0
    while (this.bit() === 0) if (++zeros > 31) throw new Malformed("A number of the parameter set is too large.")
    return 2 ** zeros - 1 + this.bits(zeros)
  }

  se(): number {
    const code = this.ue()
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2
  }
}

/** The set without the bytes that keep start codes out of it (7.4.1). */
const unescaped = (set: Buffer): Buffer => {
  const bytes: Array<number> = []
  for (const [at, byte] of set.entries())
    if (byte !== 3 || at < 2 || set[at - 1] !== 0 || set[at - 2] !== 0) bytes.push(byte)
  return Buffer.from(bytes)
}

const skipScalingList = (bits: Bits, size: number): void => {
  let [last, next] = [8, 8]
  for (let at = 0; at < size; at++) {
    if (next !== 0) next = (last + bits.se() + 256) % 256
    last = next === 0 ? last : next
  }
}

const skipScaling = (bits: Bits, lists: number): void => {
  for (let list = 0; list < lists; list++) if (bits.bit() === 1) skipScalingList(bits, list < 6 ? 16 : 64)
}

/** Units of chroma in width and height by format: none, 4:2:0, 4:2:2, 4:4:4. */
const CHROMA_UNITS: ReadonlyArray<readonly [width: number, height: number]> = [
  [1, 1],
  [2, 2],
  [2, 1],
  [1, 1],
]

const chromaOf = (bits: Bits): Chroma => {
  const format = bits.ue()
  if (format > 3) throw new Malformed("The format of the colours is unknown.")
  if (format === 3) bits.bit()
  const [lumaDepth, chromaDepth] = [bits.ue(), bits.ue()]
  if (lumaDepth > 6 || chromaDepth > 6) throw new Malformed("The colours are too deep.")
  bits.bit()
  const hasScaling = bits.bit() === 1
  if (hasScaling) skipScaling(bits, format === 3 ? 12 : 8)
  return { format, lumaDepth, chromaDepth }
}

const skipOrder = (bits: Bits): void => {
  bits.ue()
  const type = bits.ue()
  if (type === 0) bits.ue()
  if (type !== 1) return
  bits.bit()
  bits.se()
  bits.se()
  const count = bits.ue()
  if (count > 255) throw new Malformed("The parameter set has too many offsets.")
  for (let at = 0; at < count; at++) bits.se()
}

/** @throws Malformed */
export const sequenceFactsOf = (set: Buffer): SequenceFacts => {
  if (set.length > MOST_BYTES) throw new Malformed("The parameter set is too long.")
  const bits = new Bits(unescaped(set.subarray(1)))
  const profile = bits.bits(8)
  bits.bits(16)
  bits.ue()
  const chroma = WITH_CHROMA.includes(profile) ? chromaOf(bits) : undefined
  skipOrder(bits)
  bits.ue()
  bits.bit()
  const [columns, rows] = [bits.ue() + 1, bits.ue() + 1]
  const isFrame = bits.bit()
  if (isFrame === 0) bits.bit()
  bits.bit()
  const crop = bits.bit() === 1 ? ([bits.ue() + bits.ue(), bits.ue() + bits.ue()] as const) : ([0, 0] as const)
  const [unitX, unitY] = CHROMA_UNITS[chroma?.format ?? 1] ?? [1, 1]
  const width = columns * 16 - crop[0] * unitX
  const height = (2 - isFrame) * (rows * 16 - crop[1] * unitY)
  if (!(width > 0 && height > 0 && width <= MOST_PIXELS && height <= MOST_PIXELS))
    throw new Malformed("The picture has an impossible size.")
  return { width, height, chroma }
}
