/** H.264 in RTP (RFC 6184): packets become NAL units, and those of one timestamp a picture. */
import { Malformed } from "../bytes.ts"
import type { RtpPacket } from "./packet.ts"

export interface Picture {
  readonly timestamp: number
  /** Slices and their messages, without parameter sets; none where parameter sets came alone. */
  readonly units: ReadonlyArray<Buffer>
  readonly isKeyFrame: boolean
  /** Parameter sets that came with the picture. */
  readonly sequenceSets: ReadonlyArray<Buffer>
  readonly pictureSets: ReadonlyArray<Buffer>
}

const KEY_SLICE = 5
const SEQUENCE_SET = 7
const PICTURE_SET = 8
const DELIMITER = 9
const FILLER = 12
const NOT_IN_SAMPLES: ReadonlyArray<number> = [SEQUENCE_SET, PICTURE_SET, DELIMITER, FILLER]
const STAP_A = 24
const FU_A = 28
/** Bytes of the packets of a picture: one of a broadcast at 100 Mbit/s has less. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_UNITS = 512
/** Fragments of a unit: 500 bytes each where the picture is as large as one may be. */
const MOST_FRAGMENTS = 8192

const typeOf = (unit: Buffer): number => (unit[0] ?? 0) & 31

/** The units of an aggregation packet (RFC 6184, 5.7.1). @throws Malformed */
const aggregated = (payload: Buffer): ReadonlyArray<Buffer> => {
  const units: Array<Buffer> = []
  for (let at = 1; at < payload.length; ) {
    const from = at + 2
    const end = from > payload.length ? from : from + payload.readUInt16BE(at)
    if (end === from || end > payload.length) throw new Malformed("The aggregated units end early.")
    if (units.length === MOST_UNITS) throw new Malformed("The packet has too many units.")
    units.push(payload.subarray(from, end))
    at = end
  }
  return units
}

/** Puts packets that come in order together. Whoever finds that one is missing says so by `lose`. */
export class PictureReader {
  #timestamp: number | undefined
  #units: Array<Buffer> = []
  #fragments: Array<Buffer> = []
  #bytes = 0
  /** Whether a packet of the present picture is missing, or may be. */
  #isTorn = false
  /** Whether a packet is missing since the last one that came. */
  #hasGap = false

  /** The pictures that the packet completes: one that had no end marker, and its own. A torn one is not whole. */
  add(packet: RtpPacket): ReadonlyArray<Picture | "torn"> {
    const pictures: Array<Picture | "torn"> = []
    if (packet.payload.length === 0) return pictures
    if (this.#timestamp !== undefined && this.#timestamp !== packet.timestamp) pictures.push(...this.#end())
    const isFirst = this.#timestamp === undefined
    this.#timestamp = packet.timestamp
    // The rest of a torn picture is not read.
    if (!this.#isTorn) this.#read(packet.payload, isFirst)
    this.#hasGap = false
    if (packet.hasMarker) pictures.push(...this.#end())
    return pictures
  }

  /** Packets between the last one and the next are missing. */
  lose(): void {
    this.#hasGap = true
    if (this.#timestamp !== undefined) this.#tear()
  }

  #read(payload: Buffer, isFirst: boolean): void {
    try {
      this.#count(payload.length)
      const units = this.#unitsOf(payload)
      for (const unit of units) this.#take(unit)
      // After a gap only a picture that visibly begins with this packet is known to be whole.
      if (this.#hasGap && !(isFirst && this.#begins(units))) this.#tear()
    } catch (cause) {
      if (!(cause instanceof Malformed)) throw cause
      this.#tear()
    }
  }

  #tear(): void {
    this.#isTorn = true
    this.#units = []
    this.#fragments = []
  }

  #begins([first]: ReadonlyArray<Buffer>): boolean {
    const type = first === undefined ? 0 : typeOf(first)
    return type === SEQUENCE_SET || type === DELIMITER
  }

  #unitsOf(payload: Buffer): ReadonlyArray<Buffer> {
    const type = typeOf(payload)
    if (type !== FU_A && this.#fragments.length > 0) throw new Malformed("A fragmented unit has no end.")
    if (type >= 1 && type < STAP_A) return [payload]
    if (type === STAP_A) return aggregated(payload)
    if (type === FU_A) return this.#fragment(payload)
    throw new Malformed("The packet has a form that was not agreed on.")
  }

  /** Adds a fragment, of which the last one completes the unit (RFC 6184, 5.8). */
  #fragment(payload: Buffer): ReadonlyArray<Buffer> {
    if (payload.length < 3) throw new Malformed("The fragment is empty.")
    const [indicator, head] = [payload.readUInt8(0), payload.readUInt8(1)]
    const isStart = (head & 0x80) !== 0
    if (isStart !== (this.#fragments.length === 0)) throw new Malformed("A fragmented unit has no beginning, or two.")
    if (this.#fragments.length > MOST_FRAGMENTS) throw new Malformed("The unit has too many fragments.")
    if (isStart) this.#fragments.push(Buffer.from([(indicator & 0xe0) | (head & 31)]))
    this.#fragments.push(payload.subarray(2))
    if ((head & 0x40) === 0) return []
    const unit = Buffer.concat(this.#fragments)
    this.#fragments = []
    return [unit]
  }

  #take(unit: Buffer): void {
    if (unit.length === 0 || this.#units.length === MOST_UNITS) throw new Malformed("The picture has too many units.")
    this.#units.push(unit)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MOST_BYTES) throw new Malformed("The picture is too large.")
  }

  #end(): ReadonlyArray<Picture | "torn"> {
    const [timestamp = 0, units] = [this.#timestamp, this.#units]
    const isWhole = !this.#isTorn && this.#fragments.length === 0
    this.#timestamp = undefined
    this.#units = []
    this.#fragments = []
    this.#bytes = 0
    this.#isTorn = false
    if (!isWhole) return ["torn"]
    const of = (type: number): ReadonlyArray<Buffer> => units.filter((unit) => typeOf(unit) === type)
    const isPicture = units.some((unit) => typeOf(unit) <= KEY_SLICE)
    const picture: Picture = {
      timestamp,
      units: isPicture ? units.filter((unit) => !NOT_IN_SAMPLES.includes(typeOf(unit))) : [],
      isKeyFrame: of(KEY_SLICE).length > 0,
      sequenceSets: of(SEQUENCE_SET),
      pictureSets: of(PICTURE_SET),
    }
    return isPicture || picture.sequenceSets.length > 0 ? [picture] : []
  }
}
