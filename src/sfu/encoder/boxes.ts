/**
 * Fragmented MP4 (ISO 14496-12) of a picture in H.264 (ISO 14496-15) and a sound in Opus, in the form that broadcasts read. The fragments of
 * mediabunny begin with key frames, too seldom for the parts of a playlist.
 */
import { uint } from "../bytes.ts"
import { sequenceFactsOf } from "./sequence-set.ts"

/** Parameter sets of H.264. */
export interface ParameterSets {
  readonly sequence: ReadonlyArray<Buffer>
  readonly picture: ReadonlyArray<Buffer>
}

export interface Sample {
  readonly data: ReadonlyArray<Buffer>
  readonly bytes: number
  /** In units of the track's clock. */
  readonly duration: number
  readonly isKeyFrame: boolean
}

/** Samples of one track that follow each other. */
export interface TrackRun {
  readonly kind: "audio" | "video"
  /** Time of the first one, in units of the track's clock. */
  readonly time: number
  readonly samples: ReadonlyArray<Sample>
}

const TRACK_IDS = { video: 1, audio: 2 } as const
const TIMESCALES = { video: 90_000, audio: 48_000 } as const
const CHANNELS = 2
const IS_KEY = 0x0200_0000
const DEPENDS = 0x0101_0000

const u8 = (value: number): Buffer => uint(value, 1)
const u16 = (value: number): Buffer => uint(value, 2)
const u32 = (value: number): Buffer => uint(value, 4)
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes)

const box = (type: string, ...content: ReadonlyArray<Buffer>): Buffer => {
  const bytes = content.reduce((sum, one) => sum + one.length, 8)
  return Buffer.concat([u32(bytes), Buffer.from(type, "latin1"), ...content], bytes)
}

const full = (type: string, flags: number, ...content: ReadonlyArray<Buffer>): Buffer =>
  box(type, u32(flags), ...content)

const MATRIX = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].map(u32))

const setsOf = (sets: ReadonlyArray<Buffer>): Buffer => Buffer.concat(sets.flatMap((set) => [u16(set.length), set]))

/** @throws Malformed */
const pictureEntry = ({ sequence, picture }: ParameterSets): { entry: Buffer; width: number; height: number } => {
  const [first = Buffer.alloc(0)] = sequence
  const { width, height, chroma } = sequenceFactsOf(first)
  const config = box(
    "avcC",
    u8(1),
    first.subarray(1, 4),
    // Sizes of units have four bytes.
    u8(0xff),
    u8(0xe0 | sequence.length),
    setsOf(sequence),
    u8(picture.length),
    setsOf(picture),
    ...(chroma === undefined
      ? []
      : [u8(0xfc | chroma.format), u8(0xf8 | chroma.lumaDepth), u8(0xf8 | chroma.chromaDepth), u8(0)]),
  )
  const size = [u16(width), u16(height), u32(0x48_0000), u32(0x48_0000), u32(0), u16(1)]
  const entry = box("avc1", zeros(6), u16(1), zeros(16), ...size, zeros(32), u16(0x18), u16(0xffff), config)
  return { entry, width, height }
}

const soundEntry = (): Buffer =>
  box(
    "Opus",
    zeros(6),
    u16(1),
    zeros(8),
    u16(CHANNELS),
    u16(16),
    u32(0),
    u32(TIMESCALES.audio * 65_536),
    box("dOps", u8(0), u8(CHANNELS), u16(0), u32(TIMESCALES.audio), u16(0), u8(0)),
  )

interface Described {
  readonly kind: TrackRun["kind"]
  readonly entry: Buffer
  readonly width: number
  readonly height: number
}

const trackOf = ({ kind, entry, width, height }: Described): Buffer => {
  const none = ["stts", "stsc", "stco"].map((type) => full(type, 0, u32(0)))
  const table = box("stbl", full("stsd", 0, u32(1), entry), ...none, full("stsz", 0, u32(0), u32(0)))
  const head = kind === "video" ? full("vmhd", 1, zeros(8)) : full("smhd", 0, zeros(4))
  const minf = box("minf", head, box("dinf", full("dref", 0, u32(1), full("url ", 1))), table)
  // The language is undetermined.
  const mdhd = full("mdhd", 0, u32(0), u32(0), u32(TIMESCALES[kind]), u32(0), u16(0x55c4), u16(0))
  const handler = Buffer.from(kind === "video" ? "vide" : "soun", "latin1")
  const mdia = box("mdia", mdhd, full("hdlr", 0, u32(0), handler, zeros(13)), minf)
  const place = [zeros(8), u16(0), u16(0), u16(kind === "audio" ? 0x100 : 0), u16(0), MATRIX]
  const size = [u32(width * 65_536), u32(height * 65_536)]
  return box("trak", full("tkhd", 3, u32(0), u32(0), u32(TRACK_IDS[kind]), u32(0), u32(0), ...place, ...size), mdia)
}

/** `ftyp` and `moov`. `sets` belong to the picture, if there is one. @throws Malformed */
export const initOf = (sets: ParameterSets | undefined, hasSound: boolean): Buffer => {
  const tracks: ReadonlyArray<Described> = [
    ...(sets === undefined ? [] : [{ kind: "video" as const, ...pictureEntry(sets) }]),
    ...(hasSound ? [{ kind: "audio" as const, entry: soundEntry(), width: 0, height: 0 }] : []),
  ]
  const rest = [u32(0x10000), u16(0x100), zeros(10), MATRIX, zeros(24), u32(3)]
  const defaults = tracks.map(({ kind }) =>
    full("trex", 0, u32(TRACK_IDS[kind]), u32(1), u32(0), u32(0), u32(kind === "audio" ? IS_KEY : 0)),
  )
  return Buffer.concat([
    box("ftyp", Buffer.from("iso6", "latin1"), u32(0), Buffer.from("iso6mp41", "latin1")),
    box(
      "moov",
      full("mvhd", 0, u32(0), u32(0), u32(1000), u32(0), ...rest),
      ...tracks.map(trackOf),
      box("mvex", ...defaults),
    ),
  ])
}

const runOf = ({ kind, time, samples }: TrackRun, dataOffset: number): Buffer => {
  const isPicture = kind === "video"
  const each = samples.map(({ duration, bytes, isKeyFrame }) => [
    u32(duration),
    u32(bytes),
    ...(isPicture ? [u32(isKeyFrame ? IS_KEY : DEPENDS)] : []),
  ])
  return box(
    "traf",
    // Offsets count from the `moof`.
    full("tfhd", 0x2_0000, u32(TRACK_IDS[kind])),
    full("tfdt", 0x0100_0000, u32(Math.floor(time / 0x1_0000_0000)), u32(time % 0x1_0000_0000)),
    full("trun", isPicture ? 0x701 : 0x301, u32(samples.length), u32(dataOffset), ...each.flat()),
  )
}

/** `moof` and `mdat`. */
export const fragmentOf = (number: number, runs: ReadonlyArray<TrackRun>): Buffer => {
  const sizes = runs.map(({ samples }) => samples.reduce((sum, { bytes }) => sum + bytes, 0))
  const moof = (head: number): Buffer => {
    let offset = head
    const trafs = runs.map((run, at) => {
      const traf = runOf(run, offset)
      offset += sizes[at] ?? 0
      return traf
    })
    return box("moof", full("mfhd", 0, u32(number % 0x1_0000_0000)), ...trafs)
  }
  const data = runs.flatMap(({ samples }) => samples.flatMap((sample) => sample.data))
  return Buffer.concat([moof(moof(0).length + 8), box("mdat", ...data)])
}
