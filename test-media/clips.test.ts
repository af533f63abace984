/** Inspection and cuts of real files against ffmpeg and ffprobe, in every container. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { cutMedia } from "../src/media/processing/cut.ts"
import { inspect } from "../src/media/processing/inspect.ts"
import type { CutFacts, MediaFacts } from "../src/model/media/recording.ts"

const run = promisify(execFile)
const SECONDS = 20
/** Key frames every two seconds. */
const GOP_MS = 2000

const PICTURE = ["-f", "lavfi", "-i", `testsrc2=size=320x180:rate=25:duration=${SECONDS}`]
const SOUND = ["-f", "lavfi", "-i", `sine=440:duration=${SECONDS}`]
const H264 = [...PICTURE, ...SOUND, "-c:v", "libx264", "-preset", "veryfast", "-g", "50", "-c:a", "aac"]
const VP8 = [
  ...PICTURE,
  ...SOUND,
  "-c:v",
  "libvpx",
  "-deadline",
  "realtime",
  "-cpu-used",
  "8",
  "-g",
  "50",
  "-c:a",
  "libopus",
]

const FILES: ReadonlyArray<readonly [name: string, args: ReadonlyArray<string>, type: RegExp]> = [
  ["a.mp4", H264, /^video\/mp4$/],
  ["a.mov", H264, /^video\/quicktime$/],
  ["a.mkv", H264, /matroska/],
  ["a.ts", H264, /^video\/mp2t$/i],
  ["a.webm", VP8, /^video\/webm$/],
  ["a.m4a", [...SOUND, "-c:a", "aac"], /^(?:audio|video)\/mp4$/],
  ["a.aac", [...SOUND, "-c:a", "aac"], /^audio\/aac$/],
  ["a.mp3", SOUND, /^audio\/mpeg$/],
  ["a.ogg", [...SOUND, "-c:a", "libopus"], /^(?:audio|application)\/ogg$/],
  ["a.flac", SOUND, /^audio\/(?:x-)?flac$/],
  ["a.wav", SOUND, /^audio\/(?:x-)?wave?$/],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gathercue-clips-"))
  for (const [name, args] of FILES) await run("ffmpeg", ["-v", "error", "-y", ...args, join(folder, name)])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What ffmpeg says against decoding all of the file: nothing, when it is sound. */
const complaints = async (path: string): Promise<string> =>
  (await run("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])).stderr

const secondsOf = async (path: string): Promise<number> => {
  const { stdout } = await run("ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
  return Number(stdout)
}

describe.each(FILES)("%s", (name, _args, type) => {
  const hasPicture = /\.(?:mp4|mov|mkv|ts|webm)$/.test(name)

  test("is read with its duration and its type", async () => {
    const facts = (await inspect({ path: join(folder, name) }, () => {})) as MediaFacts
    expect(facts).toMatchObject({ width: hasPicture ? 320 : null, height: hasPicture ? 180 : null })
    expect(facts.contentType).toMatch(type)
    expect(Math.abs(facts.durationMs - SECONDS * 1000)).toBeLessThan(100)
  })

  test.each([
    ["the whole", 0, 20_000, false],
    ["the first 200 ms", 0, 200, false],
    ["the last 200 ms", 19_800, 20_000, false],
    ["a part across key frames", 5300, 9700, false],
    ["a part and nothing outside of it", 5300, 9700, true],
  ])("%s is cut out, decodes, and lasts as long as it says", async (_, startMs, endMs, inside) => {
    const output = join(folder, `cut-${startMs}-${endMs}-${inside}-${name}`)
    const facts = (await cutMedia({
      kind: "cut",
      source: { path: join(folder, name) },
      output,
      startMs,
      endMs,
      inside,
      mostBytes: 100_000_000,
    })) as CutFacts
    expect(facts).toMatchObject({ actualStartMs: expect.any(Number), actualEndMs: expect.any(Number) })
    const slack = hasPicture ? GOP_MS + 50 : 150
    expect(Math.abs(facts.actualStartMs - startMs)).toBeLessThanOrEqual(slack)
    expect(Math.abs(facts.actualEndMs - endMs)).toBeLessThanOrEqual(200)
    if (inside) {
      expect(facts.actualStartMs).toBeGreaterThanOrEqual(startMs - 1)
      expect(facts.actualEndMs).toBeLessThanOrEqual(endMs + 50)
    } else expect(facts.actualStartMs).toBeLessThanOrEqual(startMs + 30)
    // Two equal timestamps in a row are a warning that a cut MPEG-TS may have.
    if (!name.endsWith(".ts")) expect(await complaints(output)).toBe("")
    const seconds = await secondsOf(output)
    if (!Number.isNaN(seconds) && !/flac|aac|wav/.test(name)) {
      expect(Math.abs(seconds * 1000 - (facts.actualEndMs - facts.actualStartMs))).toBeLessThan(hasPicture ? 250 : 100)
    }
    expect((await stat(output)).size).toBeGreaterThan(100)
  })
})

test("a part of MP4 that begins between key frames begins there exactly when it is played", async () => {
  const output = join(folder, "exact.mp4")
  const facts = await cutMedia({
    kind: "cut",
    source: { path: join(folder, "a.mp4") },
    output,
    startMs: 5300,
    endMs: 9700,
    inside: false,
    mostBytes: 100_000_000,
  })
  expect(facts).toMatchObject({ actualStartMs: 5300, contentType: "video/mp4" })
})

test.each([
  ["H.264 and mu law in MOV", "law.mov", [...PICTURE, ...SOUND, "-c:v", "libx264", "-g", "50", "-c:a", "pcm_mulaw"], 2],
  ["H.264 with two sounds in MP4", "two.mp4", [...H264, "-map", "0:v", "-map", "1:a", "-map", "1:a"], 3],
])("a clip of %s has all tracks", async (_, name, args, tracks) => {
  const [path, output] = [join(folder, name), join(folder, `cut-${name}`)]
  await run("ffmpeg", ["-v", "error", "-y", ...args, path])
  const task = { kind: "cut", source: { path }, output, startMs: 5300, endMs: 9700, inside: false } as const
  expect(await cutMedia({ ...task, mostBytes: 100_000_000 })).toMatchObject({ actualEndMs: expect.any(Number) })
  const { stdout } = await run("ffprobe", [
    "-v",
    "error",
    "-show_entries",
    "stream=codec_type",
    "-of",
    "csv=p=0",
    output,
  ])
  expect(stdout.trim().split("\n")).toHaveLength(tracks)
  expect(await complaints(output)).toBe("")
})

test("a clip of MPEG-4 part 2 is refused: it would be without its picture", async () => {
  const [path, output] = [join(folder, "mpeg4.mp4"), join(folder, "cut-mpeg4.mp4")]
  await run("ffmpeg", ["-v", "error", "-y", ...PICTURE, ...SOUND, "-c:v", "mpeg4", "-c:a", "aac", path])
  const task = { kind: "cut", source: { path }, output, startMs: 0, endMs: 5000, inside: false } as const
  expect(await cutMedia({ ...task, mostBytes: 100_000_000 })).toMatchObject({ code: "track_not_copied" })
})
