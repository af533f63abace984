/** What becomes of a broadcast, as ffmpeg decodes it and ffprobe counts it; and ffmpeg as the encoder, killed and begun again. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { FragmentedMp4Reader } from "../src/media/broadcast/fmp4/reader.ts"
import { writeRecordingPlaylist } from "../src/media/broadcast/playlist.ts"
import {
  FFMPEG_FILES,
  fixture,
  fragmentsOf,
  initOf,
  NOW,
  Recorded,
  recorded,
  samplesOf,
} from "../test/media/broadcast/support.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "broadcast-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (command: string, args: ReadonlyArray<string>): { readonly out: string; readonly err: string } => {
  const { stdout, stderr, status, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8" })
  if (error !== undefined) throw new Error(`${command} does not run`, { cause: error })
  expect(`${status} ${stderr}`).toMatch(/^0 /)
  return { out: stdout, err: stderr }
}

/**
 * What ffmpeg complains of while it decodes everything, in the time base of its input: rounded to a frame rate, frames at a variable rate would
 * fall together.
 */
const complaints = (name: string): string =>
  run("ffmpeg", ["-v", "error", "-i", name, "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "null", "-"]).err

interface Probed {
  readonly seconds: number
  readonly video: number
  readonly audio: number
}

const probed = (name: string): Probed => {
  const entries = "stream=codec_type,nb_read_packets:format=duration,start_time"
  const { out } = run("ffprobe", ["-v", "error", "-count_packets", "-show_entries", entries, "-of", "json", name])
  const { streams, format } = JSON.parse(out) as {
    streams: ReadonlyArray<{ codec_type: "video" | "audio"; nb_read_packets: string }>
    format: { duration: string; start_time: string }
  }
  const packetsOf = (type: "video" | "audio"): number =>
    Number(streams.find(({ codec_type }) => codec_type === type)?.nb_read_packets)
  return { seconds: Number(format.duration), video: packetsOf("video"), audio: packetsOf("audio") }
}

const samplesIn = (...runs: ReadonlyArray<Uint8Array>): Omit<Probed, "seconds"> => {
  const sum = (kind: "video" | "audio"): number => runs.reduce((count, bytes) => count + samplesOf(bytes, kind), 0)
  return { video: sum("video"), audio: sum("audio") }
}

/** Writes the takes' files and the playlist over them. */
const stored = (recording: Recorded): void => {
  for (const { number } of recording.takes) writeFileSync(join(folder, `${number}.mp4`), recording.file(number))
  const initBytes = (take: number): number => recording.takes.find(({ number }) => number === take)?.initBytes ?? 0
  const names = { form: "ranges", file: (take: number) => `${take}.mp4`, initBytes } as const
  writeFileSync(join(folder, "index.m3u8"), writeRecordingPlaylist(recording.segments, names))
}

const stream = fixture("ffmpeg-stream.mp4")
const mediaRecorder = [fixture("media-recorder.mp4"), fixture("media-recorder-again.mp4")]
const cutOff = stream.subarray(0, 30_000)

test.each([
  ["a restart of ffmpeg", [cutOff, stream]],
  ["pictures that are reordered, twice", [fixture("ffmpeg-b-frames.mp4"), fixture("ffmpeg-b-frames.mp4")]],
  ["mediabunny in a browser, twice", [fixture("mediabunny-browser.mp4"), fixture("mediabunny-browser.mp4")]],
  ["MediaRecorder, twice, its tracks numbered differently", mediaRecorder],
  ["MediaRecorder with VP9, twice", [fixture("media-recorder-vp9.mp4"), fixture("media-recorder-vp9.mp4")]],
  ["MediaRecorder with AV1, twice", [fixture("media-recorder-av1.mp4"), fixture("media-recorder-av1.mp4")]],
])("the file of %s decodes without a word and has every packet, and so has its playlist", (_, runs) => {
  const recording = recorded(...runs)
  expect(recording.takes).toHaveLength(1)
  stored(recording)
  for (const name of ["1.mp4", "index.m3u8"]) {
    expect(complaints(name)).toBe("")
    const { seconds, ...packets } = probed(name)
    expect(packets).toEqual(samplesIn(...runs))
    expect(Math.abs(seconds * 1000 - recording.timeline.position.endMs)).toBeLessThan(60)
  }
})

test("both files of a takeover with another size decode without a word", () => {
  const other = fixture("ffmpeg-other-size.mp4")
  const recording = recorded(stream, other)
  stored(recording)
  for (const [name, source] of [
    ["1.mp4", stream],
    ["2.mp4", other],
  ] as const) {
    expect(complaints(name)).toBe("")
    expect(probed(name)).toMatchObject(samplesIn(source))
  }
})

test("ffmpeg's files become one that decodes without a word", () => {
  const init = initOf(fixture("ffmpeg-files/init.mp4"))
  const recording = new Recorded()
  for (let count = 0; count < 2; count++) {
    recording.add(recording.timeline.begin(init))
    for (const name of FFMPEG_FILES) {
      for (const fragment of fragmentsOf(fixture(name), init)) recording.add(recording.timeline.push(fragment, NOW))
      recording.add(recording.timeline.endFile())
    }
  }
  recording.end()
  stored(recording)
  expect(complaints("1.mp4")).toBe("")
  const { seconds, video } = probed("1.mp4")
  expect(video).toBe(150)
  expect(seconds).toBeCloseTo(6.04, 1)
})

const SOURCE = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-f", "lavfi", "-i", "sine=sample_rate=48000"]
const CODECS = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "1"]
const STREAM = [
  "-movflags",
  "+frag_keyframe+empty_moov+default_base_moof",
  "-frag_duration",
  "500000",
  "-f",
  "mp4",
  "-",
]

test.each([
  ["sound", ["-vn", "-map", "1:a"]],
  ["a picture", ["-an", "-map", "0:v"]],
])("a broadcast of %s alone is cut and decodes without a word", (_, chosen) => {
  const output = [...chosen, ...CODECS.slice(0, 8), "-t", "3", ...STREAM.slice(0, -1), "source.mp4"]
  run("ffmpeg", ["-v", "error", ...SOURCE, ...output])
  const source = new Uint8Array(readFileSync(join(folder, "source.mp4")))
  const recording = recorded(source, source)
  expect(recording.segments).toHaveLength(6)
  stored(recording)
  expect(complaints("1.mp4")).toBe("")
  expect(samplesIn(recording.file(1))).toEqual(samplesIn(source, source))
})

/** Encodes as fast as it is shown, and is killed after so many fragments. */
const encode = async (recording: Recorded, fragments: number): Promise<void> => {
  const encoder = spawn("ffmpeg", ["-v", "error", "-re", ...SOURCE, ...CODECS, ...STREAM], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise((resolve) => encoder.once("close", resolve))
  const reader = new FragmentedMp4Reader()
  let count = 0
  encoder.stdout.on("data", (chunk: Buffer) => {
    for (const event of reader.push(chunk)) {
      if (event.type === "init") recording.add(recording.timeline.begin(event.init))
      else if (count < fragments) {
        count += 1
        recording.add(recording.timeline.push(event.fragment, Date.now()))
      }
      if (count === fragments) encoder.kill("SIGKILL")
    }
  })
  await ended
}

test("an ffmpeg that is killed twice, and one with another size after it, leave recordings that decode without a word", async () => {
  const recording = new Recorded()
  await encode(recording, 5)
  await encode(recording, 4)
  recording.stream(fixture("ffmpeg-other-size.mp4"))
  recording.end()
  stored(recording)
  expect(recording.takes).toHaveLength(2)
  expect(readdirSync(folder).toSorted()).toEqual(["1.mp4", "2.mp4", "index.m3u8"])
  for (const name of ["1.mp4", "2.mp4"]) {
    expect(complaints(name)).toBe("")
    expect(probed(name)).toMatchObject(samplesIn(readFileSync(join(folder, name))))
  }
  expect(probed("1.mp4").video).toBe(samplesOf(recording.file(1), "video"))
})
