/** Transcripts of long recordings: ffmpeg takes the sound out piece by piece, and a kill costs no more than one piece. */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { soundOf } from "../src/media/derivations/ffmpeg.ts"
import { recogniseBy } from "../src/media/derivations/recogniser.ts"
import { call, createEvent, createWorkspace, type Json } from "../test/support/api.ts"
import { recordingOf, startBroadcast } from "../test/support/broadcasts.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { startRecogniser } from "../test/support/recogniser.ts"
import { startMediaServer } from "../test/support/server.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"
import { tonesOf } from "../test/support/wav.ts"

const run = promisify(execFile)

/** Over twelve and a half minutes: one tone in each piece, and one that a piece of five minutes cuts in two. */
const TONES = [
  { from: 10, to: 11, hertz: 300 },
  { from: 298, to: 301, hertz: 500 },
  { from: 450, to: 452, hertz: 700 },
  { from: 740, to: 741, hertz: 900 },
]

/** A film whose sound has the tones. */
const filmIn = async (folder: string): Promise<Uint8Array<ArrayBuffer>> => {
  const [wav, mp4] = [join(folder, "tones.wav"), join(folder, "film.mp4")]
  await writeFile(wav, tonesOf(750, TONES))
  const picture = ["-f", "lavfi", "-i", "color=size=64x64:rate=1:duration=750"]
  const codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-b:a", "48k"]
  await run("ffmpeg", ["-v", "error", "-y", ...picture, "-i", wav, ...codecs, mp4])
  return new Uint8Array(await readFile(mp4))
}

const uploadTo = async (url: string, key: string, bytes: Uint8Array<ArrayBuffer>): Promise<Json> => {
  const event = await createEvent(url, key)
  await call(url, "POST", `/v1/events/${event.id}/publish`, { key })
  const { body } = await call(url, "POST", `/v1/events/${event.id}/recordings`, { key, body: { kind: "merged" } })
  expect((await fetch(body.uploadUrl, { method: "PUT", body: bytes })).status).toBe(204)
  await call(url, "POST", `/v1/recordings/${body.id}/complete`, { key, body: {} })
  return body
}

test("a film is heard in pieces, a word at their edge once, and a server killed between them sends no piece twice that it kept", async () => {
  const folder = await temporaryFolder()
  const database = await createTestDatabase()
  const ends: Array<Promise<unknown>> = []
  const recogniser = await startRecogniser((response, _, nth) => {
    // The server is killed before the second answer, and as soon as the last one has gone out, which it may or may not keep.
    if (nth === 4) response.once("finish", () => ends.push(server.end("SIGKILL")))
    return nth === 2
  })
  const environment = {
    PORT: String(await freePort()),
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    TRANSCRIBE_URL: recogniser.url,
  }
  let server: ServerProcess = await startServerProcess(environment)
  onTestFinished(async () => {
    await server.end("SIGKILL")
    await recogniser.stop()
    await database.drop()
  })
  const { key } = await createWorkspace(server.url)
  await call(server.url, "GET", "/v1/occurrences", { key })
  const { id } = await uploadTo(server.url, key, await filmIn(folder))
  await eventually(() => recogniser.asked.length === 2, "the second piece")
  await server.end("SIGKILL")
  server = await startServerProcess(environment)
  await eventually(() => ends.length === 1, "the last answer")
  await Promise.all(ends)
  server = await startServerProcess(environment)
  const read = () => call(server.url, "GET", `/v1/recordings/${id}/transcript`, { key })
  await eventually(async () => (await read()).status === 200, "the transcript")
  const { segments } = (await read()).body
  expect(segments.map(({ text }: Json) => text)).toEqual(["300 Hz", "500 Hz", "700 Hz", "900 Hz"])
  for (const [n, { t0, t1 }] of segments.entries()) {
    expect(Math.abs(t0 - (TONES[n]?.from ?? 0) * 1000)).toBeLessThan(150)
    expect(Math.abs(t1 - (TONES[n]?.to ?? 0) * 1000)).toBeLessThan(150)
  }
  // The second piece was sent twice, the last one once or twice.
  const lengths = recogniser.asked.map(({ file }) => Math.round((file.bytes.byteLength - 44) / 32_000))
  expect(lengths.slice(0, 4)).toEqual([300, 300, 300, 152])
  expect([[], [152]]).toContainEqual(lengths.slice(4))
  for (const { file } of recogniser.asked) expect(file).toMatchObject({ name: "sound.wav", type: "audio/wav" })
  const { occurrences } = (await call(server.url, "GET", "/v1/occurrences", { key })).body
  expect(occurrences.filter(({ type }: Json) => type === "transcript.ready")).toHaveLength(1)
})

/** Pushes twenty seconds with a tone, as fast as they are taken. */
const push = (url: string, size: string, from: number, to: number, hertz: number): Promise<unknown> => {
  const picture = ["-f", "lavfi", "-i", `testsrc2=size=${size}:rate=10:duration=20`]
  const tone = `aevalsrc='0.5*sin(2*PI*${hertz}*t)*between(t,${from},${to})':s=48000:d=20`
  const codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-c:a", "aac", "-b:a", "48k"]
  const fragments = [
    "-f",
    "mp4",
    "-movflags",
    "+frag_keyframe+empty_moov+default_base_moof",
    "-frag_duration",
    "500000",
  ]
  return run("ffmpeg", [
    "-v",
    "error",
    ...picture,
    "-f",
    "lavfi",
    "-i",
    tone,
    ...codecs,
    ...fragments,
    "-method",
    "PUT",
    url,
  ])
}

test("a film without sound has no transcript, and asks nobody; the recording of a broadcast by two encoders is heard on its own clock, over the files of both", async () => {
  const recogniser = await startRecogniser()
  const server = await startMediaServer({ PATH: "/usr/local/bin:/usr/bin", TRANSCRIBE_URL: recogniser.url })
  onTestFinished(async () => {
    await server.stop()
    await recogniser.stop()
  })
  const { key } = await createWorkspace(server.url)
  const path = join(await temporaryFolder(), "mute.mp4")
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=5:duration=2"]
  await run("ffmpeg", ["-v", "error", "-y", ...picture, "-c:v", "libx264", "-preset", "ultrafast", path])
  const mute = await uploadTo(server.url, key, new Uint8Array(await readFile(path)))
  const readMute = async () => (await call(server.url, "GET", `/v1/recordings/${mute.id}`, { key })).body
  await eventually(async () => (await readMute()).transcription?.status === "failed", "the end of the work")
  expect((await readMute()).transcription.detail).toBe("No speech was found.")
  expect(recogniser.asked).toEqual([])

  const phases = [{ modality: "broadcast", featureSet: ["transcript"] }]
  const onAir = await startBroadcast(server.url, key, { phases })
  await push(onAir.streamUrl, "160x90", 5, 7, 500)
  await push(onAir.streamUrl, "320x180", 3, 4, 800)
  await onAir.control("stop")
  const { id, durationMs } = await recordingOf(server.url, key, onAir.eventId)
  const read = () => call(server.url, "GET", `/v1/recordings/${id}/transcript`, { key })
  await eventually(async () => (await read()).status === 200, "the transcript")
  const { segments } = (await read()).body
  expect(segments.map(({ text }: Json) => text)).toEqual(["500 Hz", "800 Hz"])
  expect(Math.abs(segments[0].t0 - 5000)).toBeLessThan(200)
  expect(Math.abs(segments[1].t0 - (durationMs - 17_000))).toBeLessThan(300)
  expect(recogniser.asked).toHaveLength(2)
})

const FFMPEG = "/usr/bin/ffmpeg"
const soundFrom = (path: string, fromMs: number, lengthMs: number) =>
  soundOf({ ffmpeg: FFMPEG, signal: new AbortController().signal }, { path }, fromMs, lengthMs)

test("a gap in the sound is silence in a piece, so that words after it have their time", async () => {
  const folder = await temporaryFolder()
  const [whole, path] = [join(folder, "whole.mkv"), join(folder, "gap.mkv")]
  // Nothing is said from two to eight seconds: what follows the first two is six seconds later.
  const tones = "0.5*sin(2*PI*500*t)*between(t,3,5)+0.5*sin(2*PI*800*t)*between(t,8,9)"
  const sound = ["-f", "lavfi", "-i", `aevalsrc='${tones}':s=48000:d=14`]
  const gap = ["-bsf:a", "setts=ts='PTS+if(gt(PTS*TB,2),6/TB,0)'"]
  await run(FFMPEG, ["-v", "error", "-y", ...sound, "-c:a", "libopus", whole])
  await run(FFMPEG, ["-v", "error", "-y", "-i", whole, "-c", "copy", ...gap, path])
  const recogniser = await startRecogniser()
  onTestFinished(() => recogniser.stop())
  const recognise = recogniseBy({ url: recogniser.url, model: "m", key: null })
  const heardFrom = async (fromMs: number, lengthMs: number) => {
    const piece = await soundFrom(path, fromMs, lengthMs)
    if (piece === null) throw new Error("no sound")
    const given = { ...piece, contentType: "audio/wav", name: "sound.wav" }
    return recognise(given, null, new AbortController().signal)
  }
  for (const fromMs of [0, 4000]) {
    const heard = await heardFrom(fromMs, 20_000 - fromMs)
    expect(heard.map(({ text }) => text)).toEqual(["500 Hz", "800 Hz"])
    expect(Math.abs((heard[0]?.t0 ?? 0) + fromMs - 9000)).toBeLessThan(150)
    expect(Math.abs((heard[1]?.t0 ?? 0) + fromMs - 14_000)).toBeLessThan(150)
  }
})

test("a film with more than a minute of sound at one time gives no more of it than was asked for", async () => {
  const path = join(await temporaryFolder(), "heap.mkv")
  const sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=72", "-c:a", "libopus", "-frame_duration", "120"]
  const times = ["-bsf:a", "setts=ts='if(lt(N,599),0,10/TB)'"]
  await run(FFMPEG, ["-v", "error", "-y", ...sound, ...times, "-f", "matroska", path])
  const piece = await soundFrom(path, 0, 10_000)
  expect(piece?.durationMs).toBeGreaterThan(0)
  expect(piece?.durationMs).toBeLessThanOrEqual(10_000)
})
