/** MP4 and MOV files that are made by hand, so that their index can say anything. */

const number = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
const u16 = (value: number): Buffer => number(2, value)
const u32 = (value: number): Buffer => number(4, value)

type Content = Uint8Array | string

export const box = (type: string, ...content: ReadonlyArray<Content>): Buffer => {
  const body = Buffer.concat(content.map((one) => (typeof one === "string" ? Buffer.from(one, "latin1") : one)))
  return Buffer.concat([u32(8 + body.byteLength), Buffer.from(type, "latin1"), body])
}

const full = (type: string, ...content: ReadonlyArray<Content>): Buffer => box(type, u32(0), ...content)

const MATRIX = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32))

const soundEntry = (type: string, rate: number, ...boxes: ReadonlyArray<Buffer>): Buffer =>
  box(type, Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(1), u16(16), u32(0), u32(rate * 65_536), ...boxes)

/** Descriptions of samples, by codec. */
export const ENTRIES = {
  opus: soundEntry("Opus", 48_000, box("dOps", Buffer.from([0, 1]), u16(0), u32(48_000), u16(0), Buffer.from([0]))),
  /** PCM by the mu law, which MOV can hold and MP4 cannot. */
  mulaw: soundEntry("ulaw", 8000),
  /** Pictures of MPEG-4 part 2, which nothing here knows. */
  mpeg4: box("mp4v", Buffer.alloc(6), u16(1), Buffer.alloc(16), u16(320), u16(180), Buffer.alloc(50)),
} as const

export interface Track {
  readonly entry: keyof typeof ENTRIES
  /** The size of one sample, and their number. */
  readonly sampleBytes: number
  readonly samples: number
  /** Of the first; each lies behind the one before, or all in the same place. */
  readonly at: number
  readonly isRepeated?: boolean
  /** Milliseconds of one. */
  readonly sampleMs: number
}

const trackOf = (
  { entry, sampleBytes, samples, at, isRepeated, sampleMs }: Track,
  index: number,
  from: number,
): Buffer => {
  const duration = samples * sampleMs
  const isPicture = entry === "mpeg4"
  const offsets = Array.from({ length: samples }, (_, n) =>
    u32(from + at + (isRepeated === true ? 0 : n * sampleBytes)),
  )
  const table = box(
    "stbl",
    full("stsd", u32(1), ENTRIES[entry]),
    full("stts", u32(1), u32(samples), u32(sampleMs)),
    full("stsc", u32(1), u32(1), u32(1), u32(1)),
    full("stsz", u32(sampleBytes), u32(samples)),
    full("stco", u32(samples), ...offsets),
  )
  const head = isPicture ? box("vmhd", u32(1), Buffer.alloc(8)) : full("smhd", u32(0))
  const minf = box("minf", head, box("dinf", full("dref", u32(1), box("url ", u32(1)))), table)
  const handler = full("hdlr", u32(0), isPicture ? "vide" : "soun", Buffer.alloc(12), "made\0")
  const language = Buffer.from([0x55, 0xc4, 0, 0])
  const mdia = box("mdia", full("mdhd", u32(0), u32(0), u32(1000), u32(duration), language), handler, minf)
  const place = [Buffer.alloc(8), u16(0), u16(0), u16(0x100), u16(0), MATRIX, u32(320 * 65_536), u32(180 * 65_536)]
  return box("trak", full("tkhd", u32(0), u32(0), u32(index + 1), u32(0), u32(duration), ...place), mdia)
}

const movieOf = (tracks: ReadonlyArray<Track>, from: number): Buffer => {
  const duration = Math.max(...tracks.map(({ samples, sampleMs }) => samples * sampleMs))
  const rest = [u32(0x10000), u16(0x100), Buffer.alloc(10), MATRIX, Buffer.alloc(24), u32(tracks.length + 1)]
  return box(
    "moov",
    full("mvhd", u32(0), u32(0), u32(1000), u32(duration), ...rest),
    ...tracks.map((track, index) => trackOf(track, index, from)),
  )
}

/** `data`: the bytes that the tracks' samples lie in. */
export const mp4Of = (tracks: ReadonlyArray<Track>, data: Uint8Array, brand = "isom"): Buffer => {
  const type = box("ftyp", brand, u32(0), brand)
  const from = type.byteLength + movieOf(tracks, 0).byteLength + 8
  return Buffer.concat([type, movieOf(tracks, from), box("mdat", data)])
}

/** A small file that claims to be long and large: each of its seconds is the same mebibyte. */
export const bombOf = (seconds: number): Buffer => {
  const track = {
    entry: "opus",
    sampleBytes: 1_048_576,
    samples: seconds,
    at: 0,
    isRepeated: true,
    sampleMs: 1000,
  } as const
  return mp4Of([track], Buffer.alloc(1_048_576))
}
