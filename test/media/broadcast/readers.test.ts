/** Recordings and their playlists as mediabunny reads them, and streams that it writes. */
import {
  BufferSource,
  BufferTarget,
  CmafOutputFormat,
  Conversion,
  CustomPathedSource,
  EncodedPacketSink,
  HLS_FORMATS,
  Input,
  type InputTrack,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny"
import { expect, test } from "vitest"
import { FragmentedMp4Reader } from "../../../src/media/broadcast/fmp4/reader.ts"
import {
  type RecordingNames,
  writeLivePlaylist,
  writeRecordingPlaylist,
} from "../../../src/media/broadcast/playlist.ts"
import { windowOf } from "../../../src/media/broadcast/window.ts"
import { fixture, initOf, joined, type Recorded, recorded, STREAMS, samplesOf } from "./support.ts"

const stream = fixture("ffmpeg-stream.mp4")

const fileInput = (bytes: Uint8Array): Input => new Input({ source: new BufferSource(bytes), formats: [MP4] })

/** A playlist, and what it names. */
const playlistInput = (files: ReadonlyMap<string, Uint8Array | string>): Input =>
  new Input({
    source: new CustomPathedSource("index.m3u8", ({ path }) => {
      const file = files.get(path)
      if (file === undefined) throw new Error(`nothing is named ${path}`)
      return new BufferSource(typeof file === "string" ? new TextEncoder().encode(file) : file)
    }),
    formats: HLS_FORMATS,
    formatOptions: { hls: { offsetTimestampsByDateTime: false } },
  })

const recordingInput = (recording: Recorded, form: RecordingNames["form"], withDates = false): Input => {
  const files = new Map<string, Uint8Array | string>()
  for (const { number, initBytes } of recording.takes) {
    files.set(`${number}.mp4`, recording.file(number))
    files.set(`init${number}.mp4`, recording.file(number).slice(0, initBytes))
  }
  for (const segment of recording.segments) files.set(`s${segment.number}.m4s`, recording.segmentBytes(segment))
  const names: RecordingNames =
    form === "names"
      ? { form, init: (take) => `init${take}.mp4`, segment: (number) => `s${number}.m4s` }
      : {
          form,
          file: (take) => `${take}.mp4`,
          initBytes: (take) => recording.takes.find(({ number }) => number === take)?.initBytes ?? 0,
        }
  files.set("index.m3u8", writeRecordingPlaylist(recording.segments, names, { withDates }))
  return playlistInput(files)
}

/** All packets of a track, whose times have to rise in the order of decoding where pictures are not reordered. */
const packetsOf = async (track: InputTrack): Promise<number> => {
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  for await (const packet of new EncodedPacketSink(track).packets()) {
    expect(packet.timestamp).toBeGreaterThan(last)
    last = packet.timestamp
    count += 1
  }
  return count
}

const countsOf = async (input: Input): Promise<{ readonly video: number; readonly audio: number }> => {
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  if (video === null || audio === null) throw new Error("a track is missing")
  return { video: await packetsOf(video), audio: await packetsOf(audio) }
}

const countsIn = (...files: ReadonlyArray<Uint8Array>): { readonly video: number; readonly audio: number } => {
  const sum = (kind: "video" | "audio"): number => files.reduce((count, file) => count + samplesOf(file, kind), 0)
  return { video: sum("video"), audio: sum("audio") }
}

test.each(STREAMS)("mediabunny finds the codecs in %s that the init was read to have", async (name) => {
  using input = fileInput(fixture(name))
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  const found = [await video?.getCodecParameterString(), await audio?.getCodecParameterString()]
  // It reads the colours of AV1 out of the pictures; the short form leaves them away.
  const short = found.map((codec) =>
    codec?.startsWith("av01") === true ? codec.split(".").slice(0, 4).join(".") : codec,
  )
  expect(initOf(fixture(name)).tracks.map(({ codec }) => codec)).toEqual(short)
})

test.each(["names", "ranges"] as const)("a restarted broadcast is read whole from its playlist by %s", async (form) => {
  const recording = recorded(stream.subarray(0, 30_000), stream)
  for (const withDates of [false, true]) {
    using input = recordingInput(recording, form, withDates)
    const said = recording.segments.reduce((sum, { durationMs }) => sum + durationMs, 0)
    expect(await input.computeDuration()).toBeCloseTo(said / 1000, 1)
    expect(await countsOf(input)).toEqual(countsIn(stream.subarray(0, 30_000), stream))
  }
})

test("the file of a take is read whole as well", async () => {
  const recording = recorded(stream.subarray(0, 30_000), stream)
  using input = fileInput(recording.file(1))
  expect(await input.computeDuration()).toBeCloseTo(6.05, 1)
  expect(await countsOf(input)).toEqual(countsIn(stream.subarray(0, 30_000), stream))
})

test("a playlist of MediaRecorder's runs lasts as long as what was recorded, frames at a variable rate included", async () => {
  const runs = [fixture("media-recorder.mp4"), fixture("media-recorder-again.mp4")]
  const recording = recorded(...runs)
  using input = recordingInput(recording, "ranges")
  expect(await input.computeDuration()).toBeCloseTo(recording.timeline.position.endMs / 1000, 1)
  expect(await countsOf(input)).toEqual(countsIn(...runs))
})

test("a live playlist that has ended is read like a recording", async () => {
  const recording = recorded(stream)
  const files = new Map<string, Uint8Array | string>(
    recording.segments.map((segment) => [`s${segment.number}.m4s`, recording.segmentBytes(segment)]),
  )
  files.set("init1.mp4", initOf(stream).bytes)
  const names = {
    init: (take: number) => `init${take}.mp4`,
    segment: (number: number) => `s${number}.m4s`,
    part: (number: number, index: number) => `p${number}.${index}.m4s`,
  }
  const state = { window: windowOf(recording.segments, 12), open: undefined, nextSegment: 4, hasEnded: true }
  files.set("index.m3u8", writeLivePlaylist(state, { names, segmentMs: 1000, partMs: 500 }))
  using input = playlistInput(files)
  expect(await countsOf(input)).toEqual(countsIn(stream))
})

test("what mediabunny makes of a stream, fragmented, is one timeline with every packet", async () => {
  const target = new BufferTarget()
  const format = new Mp4OutputFormat({ fastStart: "fragmented", minimumFragmentDuration: 0.4 })
  using input = fileInput(stream)
  await (await Conversion.init({ input, output: new Output({ format, target }) })).execute()
  const written = new Uint8Array(target.buffer ?? new ArrayBuffer(0))
  const recording = recorded(written, written)
  expect(recording.takes).toHaveLength(1)
  expect(countsIn(written)).toEqual(countsIn(stream))
  using read = fileInput(recording.file(1))
  expect(await countsOf(read)).toEqual(countsIn(stream, stream))
})

test("what mediabunny makes of a stream as CMAF, init and media apart, is taken", async () => {
  const [target, initTarget] = [new BufferTarget(), new BufferTarget()]
  using input = fileInput(stream)
  const output = new Output({ format: new CmafOutputFormat(), target, initTarget })
  await (await Conversion.init({ input, output })).execute()
  const init = new Uint8Array(initTarget.buffer ?? new ArrayBuffer(0))
  const media = new Uint8Array(target.buffer ?? new ArrayBuffer(0))
  const reader = new FragmentedMp4Reader(initOf(init))
  const fragments = reader.push(media)
  reader.end()
  expect(fragments.length).toBeGreaterThan(0)
  expect(countsIn(joined([init, media]))).toEqual(countsIn(stream))
  expect(recorded(joined([init, media])).segments[0]).toMatchObject({ number: 0, startMs: 0 })
})
