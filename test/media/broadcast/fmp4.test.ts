/** Fragmented MP4 as encoders really write it, and all that is refused. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { readFragment } from "../../../src/media/broadcast/fmp4/fragment.ts"
import { FragmentedMp4Reader, type Mp4Event } from "../../../src/media/broadcast/fmp4/reader.ts"
import { EncoderRefused } from "../../../src/media/broadcast/fmp4/refusal.ts"
import { FFMPEG_FILES, fixture, fragmentsOf, initOf, joined, readStream, STREAMS } from "./support.ts"

const stream = fixture("ffmpeg-stream.mp4")
const streamInit = initOf(stream)

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const box = (type: string, ...content: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = joined(content)
  const header = new Uint8Array(8)
  new DataView(header.buffer).setUint32(0, 8 + body.length)
  header.set(ascii(type), 4)
  return joined([header, body])
}

/** The header of a box that claims a size. */
const claimed = (type: string, size: number): Uint8Array => {
  const header = box(type)
  new DataView(header.buffer).setUint32(0, size)
  return header
}

/** Copies with `from` replaced by `to` of the same length, everywhere. */
const replaced = (bytes: Uint8Array, from: string, to: string): Uint8Array =>
  new Uint8Array(Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll(from, to), "latin1"))

const at = (bytes: Uint8Array, type: string): number => Buffer.from(bytes).indexOf(type, 0, "latin1")

/** A copy with four bytes changed, counted from the type of a box. */
const patched = (bytes: Uint8Array, type: string, offset: number, value: number): Uint8Array => {
  const copy = bytes.slice()
  new DataView(copy.buffer).setUint32(at(bytes, type) + offset, value)
  return copy
}

/** The init of the stream with other tracks of its own. */
const withTracks = (...kinds: ReadonlyArray<"video" | "audio">): Uint8Array => {
  const { bytes } = streamInit
  const moov = at(bytes, "moov") - 4
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const boxes = new Map<string, Uint8Array>()
  for (let start = moov + 8; start < bytes.length; start += view.getUint32(start)) {
    const type = String.fromCharCode(...bytes.subarray(start + 4, start + 8))
    const kind = boxes.has("video") ? "audio" : "video"
    const name = type === "trak" ? kind : type
    boxes.set(name, bytes.subarray(start, start + view.getUint32(start)))
  }
  const none = new Uint8Array(0)
  const chosen = ["mvhd", ...kinds, "mvex"].map((name) => boxes.get(name) ?? none)
  return joined([bytes.subarray(0, moov), box("moov", ...chosen)])
}

const refusalOf = (read: () => unknown): EncoderRefused => {
  try {
    read()
  } catch (cause) {
    if (cause instanceof EncoderRefused) return cause
    throw cause
  }
  throw new Error("nothing was refused")
}

test.each([
  ["ffmpeg-stream.mp4", "avc1.42c00c mp4a.40.2", [320, 180], 8],
  ["ffmpeg-other-size.mp4", "avc1.42c00c mp4a.40.2", [256, 144], 4],
  ["ffmpeg-b-frames.mp4", "avc1.4d400c mp4a.40.2", [320, 180], 5],
  ["media-recorder.mp4", "avc1.42c015 opus", [320, 180], 5],
  ["media-recorder-again.mp4", "avc1.42c015 opus", [320, 180], 3],
  ["media-recorder-vp9.mp4", "vp09.00.00.08.00.06.06.06.00 opus", [320, 180], 2],
  ["media-recorder-av1.mp4", "av01.0.00M.08 opus", [320, 180], 2],
  ["mediabunny-browser.mp4", "avc1.42c00d opus", [320, 180], 7],
])("%s is described and cut into its fragments", (name, codecs, [width, height], count) => {
  const { tracks } = initOf(fixture(name))
  expect(tracks.map(({ codec }) => codec).join(" ")).toBe(codecs)
  expect(tracks[0]?.size).toEqual({ width, height })
  const fragments = fragmentsOf(fixture(name))
  expect(fragments).toHaveLength(count)
  expect(fragments[0]?.tracks[0]?.startsWithSync).toBe(true)
})

test("a fragment says when its tracks begin, how long they are and whether they begin with a key frame", () => {
  const said = fragmentsOf(stream).map(({ tracks }) =>
    tracks.map((one) => [one.decodeTime, one.duration, one.samples, one.startsWithSync]),
  )
  expect(said.slice(0, 3)).toEqual([
    [
      [0, 6418, 12, true],
      [0, 24576, 24, true],
    ],
    [
      [6418, 6656, 13, false],
      [24576, 24576, 24, true],
    ],
    [
      [13074, 6656, 13, true],
      [49152, 24576, 24, true],
    ],
  ])
})

test("files are read with the init that came before them, and lose styp and sidx", () => {
  const init = initOf(fixture("ffmpeg-files/init.mp4"))
  for (const name of FFMPEG_FILES) {
    const reader = new FragmentedMp4Reader(init)
    const [event, ...more] = reader.push(fixture(name))
    reader.end()
    expect(more).toEqual([])
    if (event?.type !== "fragment") throw new Error("no fragment")
    expect(Buffer.from(event.fragment.bytes).toString("latin1", 4, 8)).toBe("moof")
    expect(event.fragment.tracks[0]).toMatchObject({ duration: 12_800, samples: 25, startsWithSync: true })
  }
})

/** Events as text, bytes included: comparing arrays of bytes takes ten times as long. */
const textOf = (events: ReadonlyArray<Mp4Event>): string =>
  JSON.stringify(events, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  )

test.each(STREAMS)("every cut of %s gives the same events", (name) => {
  const bytes = fixture(name)
  const whole = textOf(readStream(bytes))
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 40 }).map((list) => list.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(cuts, (list) => {
      const reader = new FragmentedMp4Reader()
      const events: Mp4Event[] = []
      for (const [index, end] of [...list, bytes.length].entries())
        events.push(...reader.push(bytes.subarray(index === 0 ? 0 : list[index - 1], end)))
      expect(textOf(events) === whole).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test("every cut of a stream that is damaged gives the fragments before the damage, and then the refusal", () => {
  const bytes = stream.slice(0, 30_000)
  const third = Buffer.from(bytes).indexOf("moof", 16_000, "latin1")
  bytes.fill(0, third, third + 4)
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.nat(bytes.length), (one, two) => {
      const reader = new FragmentedMp4Reader()
      let count = 0
      for (const part of [bytes.subarray(0, Math.min(one, two)), bytes.subarray(Math.min(one, two))])
        if (reader.refusal === undefined) {
          try {
            count += reader.push(part).length
          } catch (cause) {
            expect(cause).toBe(reader.refusal)
          }
        }
      expect(count).toBe(4)
      expect(reader.refusal?.code).toBe("damaged")
    }),
  )
})

test("a stream that comes byte by byte gives the same events, from memory that is used again", () => {
  const reader = new FragmentedMp4Reader()
  const one = new Uint8Array(1)
  const events: Mp4Event[] = []
  for (const byte of stream) {
    one[0] = byte
    events.push(...reader.push(one))
  }
  expect(textOf(events) === textOf(readStream(stream))).toBe(true)
})

test("the same picture and sound from two runs of MediaRecorder have one identity, another size has another", () => {
  const [first, again] = [initOf(fixture("media-recorder.mp4")), initOf(fixture("media-recorder-again.mp4"))]
  expect(again.bytes).not.toEqual(first.bytes)
  expect(again.tracks.map(({ id }) => id)).not.toEqual(first.tracks.map(({ id }) => id))
  expect(again.identity).toBe(first.identity)
  expect(initOf(fixture("ffmpeg-other-size.mp4")).identity).not.toBe(streamInit.identity)
  const otherTicks = patched(streamInit.bytes, "mdhd", 16, 90_000)
  expect(initOf(otherTicks).tracks[0]?.timescale).toBe(90_000)
  expect(initOf(otherTicks).identity).not.toBe(streamInit.identity)
})

test("boxes between fragments are passed over without being kept, however large", () => {
  const reader = new FragmentedMp4Reader()
  reader.push(streamInit.bytes)
  reader.push(claimed("mfra", 20_000_000))
  const zeros = new Uint8Array(1_000_000)
  for (let sent = 8; sent < 20_000_000; sent += zeros.length)
    expect(reader.push(zeros.subarray(0, 20_000_000 - sent))).toEqual([])
  expect(reader.buffered).toBe(0)
  const [fragment] = fragmentsOf(stream)
  if (fragment === undefined) throw new Error("no fragment")
  expect(reader.push(fragment.bytes)).toEqual([{ type: "fragment", fragment }])
})

test("sizes of eight bytes are read", () => {
  const [fragment] = fragmentsOf(stream)
  if (fragment === undefined) throw new Error("no fragment")
  const moofEnd = at(fragment.bytes, "mdat") - 4
  const long = new Uint8Array(16)
  new DataView(long.buffer).setUint32(0, 1)
  long.set(ascii("mdat"), 4)
  new DataView(long.buffer).setUint32(12, fragment.bytes.length - moofEnd + 8)
  // Eight more bytes before the samples: the first run would begin too early.
  const widened = joined([fragment.bytes.subarray(0, moofEnd), long, fragment.bytes.subarray(moofEnd + 8)])
  expect(refusalOf(() => fragmentsOf(widened, streamInit)).code).toBe("damaged")
  const moved = patched(widened, "trun", 12, new DataView(widened.buffer).getUint32(at(widened, "trun") + 12) + 8)
  const second = Buffer.from(moved).lastIndexOf("trun", moofEnd, "latin1") + 12
  const view = new DataView(moved.buffer)
  view.setUint32(second, view.getUint32(second) + 8)
  expect(fragmentsOf(moved, streamInit)[0]?.tracks.map(({ samples }) => samples)).toEqual([12, 24])
})

test("what is no stream of two known tracks with whole fragments is refused", () => {
  for (const [name, bytes, code] of [
    ["a transport stream", new Uint8Array(188).fill(0x47), "not_fmp4"],
    ["WebM", Uint8Array.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0]), "not_fmp4"],
    ["a moov without ftyp", box("moov"), "not_fmp4"],
    ["a plain file, samples first", joined([box("ftyp", ascii("isom")), claimed("mdat", 1000)]), "not_fmp4"],
    ["a plain file", replaced(streamInit.bytes, "mvex", "free"), "not_fmp4"],
    ["fragments before the init", claimed("moof", 500), "no_init"],
    ["an init that claims much", joined([box("ftyp", ascii("isom")), claimed("moov", 70_000)]), "too_large"],
    ["a moof that claims much", joined([streamInit.bytes, claimed("moof", 2_000_000)]), "too_large"],
    ["a box of no size", joined([streamInit.bytes, claimed("moof", 0)]), "damaged"],
    ["a box without a type", joined([streamInit.bytes, claimed("\u0000\u0001\u0002\u0003", 100)]), "damaged"],
    ["an encrypted picture", replaced(streamInit.bytes, "avc1", "encv"), "codec"],
    ["an encrypted sound", replaced(streamInit.bytes, "mp4a", "enca"), "codec"],
    ["HEVC", replaced(streamInit.bytes, "avc1", "hvc1"), "codec"],
    ["MP3 in MP4", patched(streamInit.bytes, "esds", 21, 0x6b_15_00_00), "codec"],
    ["a track of text", replaced(streamInit.bytes, "soun", "text"), "tracks"],
    ["two pictures", withTracks("video", "video"), "tracks"],
    ["three tracks", withTracks("video", "audio", "audio"), "tracks"],
    ["no track", withTracks(), "tracks"],
    ["media at an address", patched(streamInit.bytes, "url ", 4, 0), "not_fmp4"],
    ["media in two places", patched(streamInit.bytes, "dref", 8, 2), "not_fmp4"],
    ["media by a name", replaced(streamInit.bytes, "url ", "urn "), "not_fmp4"],
    ["a picture without a size", patched(streamInit.bytes, "avc1", 28, 0), "damaged"],
    ["positions in the whole stream", patched(stream, "tfhd", 4, 0x39), "not_fmp4"],
    ["positions by tracks", patched(stream, "tfhd", 4, 0x38), "not_fmp4"],
    ["an unknown track", patched(stream, "tfhd", 8, 9), "tracks"],
    ["fragments without times", replaced(stream, "tfdt", "free"), "not_fmp4"],
    ["a moof alone", replaced(stream, "mdat", "free"), "damaged"],
    ["samples outside", patched(stream, "trun", 12, 100_000), "damaged"],
    ["samples in the moof", patched(stream, "trun", 12, 8), "damaged"],
  ] as const) {
    expect(refusalOf(() => readStream(bytes)).code, name).toBe(code)
  }
})

test("a fragment of more than eight mebibytes is refused by its head, and the refusal stays", () => {
  const reader = new FragmentedMp4Reader()
  const moof = fragmentsOf(stream)[0]?.bytes ?? new Uint8Array(0)
  reader.push(streamInit.bytes)
  reader.push(moof.subarray(0, at(moof, "mdat") - 4))
  const refusal = refusalOf(() => reader.push(claimed("mdat", 8 * 1024 * 1024)))
  expect(refusal).toMatchObject({ code: "too_large", message: expect.stringContaining("mdat") })
  expect(refusalOf(() => reader.push(stream))).toBe(refusal)
  expect(reader.buffered).toBe(0)
})

test("a fragment of more than six seconds is refused", () => {
  // The default duration of its samples.
  const long = patched(fixture("ffmpeg-files/index0.m4s"), "tfhd", 12, 12_800)
  expect(refusalOf(() => fragmentsOf(long, initOf(fixture("ffmpeg-files/init.mp4")))).code).toBe("too_long")
})

test("a file that is cut off is refused at its end, and so is an empty one", () => {
  const reader = new FragmentedMp4Reader()
  reader.push(stream.subarray(0, 9000))
  expect(refusalOf(() => reader.end()).code).toBe("damaged")
  expect(refusalOf(() => new FragmentedMp4Reader().end()).code).toBe("not_fmp4")
})

test("a run that claims two thousand million samples is refused before it is read", () => {
  const bytes = fragmentsOf(stream)[0]?.bytes ?? new Uint8Array(0)
  const bomb = patched(bytes, "trun", 8, 0x7fff_ffff)
  // Neither a size nor a duration for each sample, so that twenty bytes would do.
  const bare = patched(bomb, "trun", 4, 0x01)
  for (const claim of [bomb, bare]) expect(refusalOf(() => readFragment(claim, streamInit)).code).toBe("too_large")
})

const numbers = (...values: ReadonlyArray<number>): Uint8Array => {
  const bytes = new Uint8Array(values.length * 4)
  for (const [index, value] of values.entries()) new DataView(bytes.buffer).setUint32(index * 4, value)
  return bytes
}

/** A fragment of the picture alone, whose samples are empty, come at once and are key frames unless a run says otherwise. */
const withRuns = (...runs: ReadonlyArray<Uint8Array>): Uint8Array => {
  const head = [box("tfhd", numbers(0x2_0038, 1, 0, 0, 0)), box("tfdt", numbers(0, 0))]
  const body = joined(runs)
  // Behind the heads of moof and traf, tfhd, tfdt, the runs and the head of mdat.
  const media = 8 + 8 + 28 + 16 + body.length + 8
  for (let start = 0; start < body.length; start += new DataView(body.buffer).getUint32(start))
    new DataView(body.buffer).setUint32(start + 16, media)
  return joined([box("moof", box("traf", ...head, body)), box("mdat", new Uint8Array(100))])
}

test("many runs of one track count together", () => {
  const run = (count: number): Uint8Array => box("trun", numbers(0x01, count, 0))
  expect(readFragment(withRuns(run(10_000), run(10_000)), streamInit).tracks[0]?.samples).toBe(20_000)
  expect(refusalOf(() => readFragment(withRuns(run(10_000), run(10_001)), streamInit).tracks).code).toBe("too_large")
})

test("whether a fragment starts with a key frame is read from its runs, or the defaults", () => {
  for (const [name, run, startsWithSync, duration] of [
    ["the defaults", numbers(0x01, 2, 0), true, 0],
    ["a first sample's flags", numbers(0x05, 2, 0, 0x1_0000), false, 0],
    ["flags of each", numbers(0x401, 2, 0, 0x1_0000, 0), false, 0],
    ["sizes and flags of each", numbers(0x601, 2, 0, 50, 0x1_0000, 50, 0), false, 0],
    ["durations and flags of each", numbers(0x501, 2, 0, 400, 0x1_0000, 500, 0), false, 900],
    ["all fields of each", numbers(0xf01, 2, 0, 400, 50, 0, 7, 500, 50, 0x1_0000, 7), true, 900],
    ["times of presentation of each", numbers(0x801, 2, 0, 0x1_0000, 0x1_0000), true, 0],
  ] as const) {
    expect(readFragment(withRuns(box("trun", run)), streamInit).tracks[0], name).toMatchObject({
      samples: 2,
      startsWithSync,
      duration,
    })
  }
})

test("a run that is shorter than its samples, or whose samples are larger than the fragment, is refused", () => {
  for (const run of [numbers(0xf01, 2, 0, 400, 50, 0, 7), numbers(0x201, 2, 0, 50, 51)])
    expect(refusalOf(() => readFragment(withRuns(box("trun", run)), streamInit)).code).toBe("damaged")
})

test("no mutation makes a reader fail otherwise than with a refusal, nor take long", () => {
  const start = stream.subarray(0, 9020)
  const files = [
    start,
    fixture("media-recorder-vp9.mp4").subarray(0, 12_000),
    fixture("media-recorder-av1.mp4").subarray(0, 12_000),
  ]
  // Most bytes are samples, which nobody reads here: changes go into the heads.
  const heads = files.map((file) => at(file, "mdat"))
  const change = fc.record({
    file: fc.nat(files.length - 1),
    writes: fc.array(
      fc.record({
        where: fc.nat(1_000_000),
        value: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0xff)),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    cut: fc.option(fc.nat(1_000_000), { freq: 4 }),
  })
  let slowest = 0
  const codes = new Set<string>()
  fc.assert(
    fc.property(fc.noBias(change), ({ file, writes, cut }) => {
      const bytes = files[file]?.slice() ?? new Uint8Array(0)
      for (const { where, value } of writes) bytes[where % (heads[file] ?? 1)] = value
      const began = performance.now()
      try {
        const reader = new FragmentedMp4Reader()
        reader.push(cut === null ? bytes : bytes.subarray(0, cut % bytes.length))
        reader.end()
        codes.add("read")
      } catch (cause) {
        if (!(cause instanceof EncoderRefused)) throw cause
        codes.add(cause.code)
      }
      slowest = Math.max(slowest, performance.now() - began)
    }),
    { numRuns: 5_000 },
  )
  // Far above what reading takes, so that a busy machine does not fail it, and far below what the bomb took: seven seconds.
  expect(slowest).toBeLessThan(500)
  expect([...codes]).toEqual(expect.arrayContaining(["read", "damaged", "codec", "tracks", "too_large"]))
})
