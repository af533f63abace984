/** ffmpeg as the encoder of a broadcast: in its forms, slow, refused, killed, and with the server killed; ffprobe counts what is left. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { createWorkspace, type Workspace } from "../test/support/api.ts"
import { apiOf, type OnAir, recordingOf, startBroadcast } from "../test/support/broadcasts.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"

let server: TestServer
let acme: Workspace

beforeAll(async () => {
  server = await startMediaServer({ BROADCAST_INGESTS: "64" })
  acme = await createWorkspace(server.url)
})
/** Encoders that a failed test may leave. */
const encoders: ChildProcess[] = []
afterAll(async () => {
  for (const encoder of encoders) encoder.kill("SIGKILL")
  await server.stop()
})

const SOURCE = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"]
const CODECS = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "aac", "-b:a", "32k"]
const FRAGMENTS = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "500000"]
const STREAM = ["-f", "mp4", ...FRAGMENTS, "-method", "PUT"]
const FILES = ["-f", "hls", "-hls_segment_type", "fmp4", "-hls_time", "1", "-hls_list_size", "5", "-method", "PUT"]

const encode = (seconds: number, ...more: ReadonlyArray<string>): ChildProcess => {
  const child = spawn("ffmpeg", ["-v", "error", "-re", ...SOURCE, "-t", String(seconds), ...CODECS, ...more], {
    stdio: "ignore",
  })
  encoders.push(child)
  return child
}

const exitOf = async (child: ChildProcess): Promise<number | null> =>
  child.exitCode ?? ((await once(child, "exit"))[0] as number | null)

interface Probed {
  readonly seconds: number
  readonly video: number
  readonly audio: number
  /** What ffmpeg complains of while it decodes everything. */
  readonly complaints: string
}

/** Without blocking: the server that is read from is in this process. */
const outputOf = promisify(execFile)

const probed = async (url: string): Promise<Probed> => {
  const entries = "stream=codec_type,nb_read_packets:format=duration"
  const args = ["-v", "error", "-count_packets", "-show_entries", entries, "-of", "json", url]
  const { stdout } = await outputOf("ffprobe", args)
  const { streams, format } = JSON.parse(stdout) as {
    streams: ReadonlyArray<{ codec_type: string; nb_read_packets: string }>
    format: { duration: string }
  }
  const packets = (type: string) => Number(streams.find(({ codec_type }) => codec_type === type)?.nb_read_packets ?? 0)
  const { stderr } = await outputOf("ffmpeg", ["-v", "error", "-i", url, "-f", "null", "-"])
  return { seconds: Number(format.duration), video: packets("video"), audio: packets("audio"), complaints: stderr }
}

/** Stops the broadcast and reads its recording as a download and as a playlist. */
const recorded = async (onAir: OnAir, base = server.url, key = acme.key): Promise<Probed> => {
  await apiOf(base, key)("POST", `/v1/phases/${onAir.phaseId}/broadcast/stop`)
  const recording = await recordingOf(base, key, onAir.eventId)
  const [file, playlist] = await Promise.all([probed(recording.downloadUrl), probed(recording.playbackUrl)])
  expect({ ...playlist, seconds: 0, complaints: "" }).toEqual({ ...file, seconds: 0, complaints: "" })
  expect(Math.abs(file.seconds - recording.durationMs / 1000)).toBeLessThan(0.1)
  return file
}

test.concurrent.each([
  ["one stream", (onAir: OnAir) => [...STREAM, onAir.streamUrl]],
  ["one stream by POST", (onAir: OnAir) => [...STREAM.slice(0, -1), "POST", onAir.streamUrl]],
  // On a kept connection ffmpeg does not wait for answers, which the guide of broadcasts says is not taken.
  ["files on a connection each", (onAir: OnAir) => [...FILES, "-http_persistent", "0", `${onAir.url}index.m3u8`]],
])("ffmpeg pushes %s: every frame is recorded, and decodes", async (_name, formOf) => {
  const onAir = await startBroadcast(server.url, acme.key)
  expect(await exitOf(encode(6, ...formOf(onAir)))).toBe(0)
  // ffmpeg does not wait for the answers to its last files.
  await eventually(async () => (await onAir.state()).ingest.durationMs >= 5900, "the last file")
  const { video, audio, seconds, complaints } = await recorded(onAir)
  expect({ video, complaints }).toEqual({ video: 150, complaints: "" })
  expect(audio).toBeGreaterThan(278)
  expect(seconds).toBeGreaterThan(5.9)
  expect(seconds).toBeLessThan(6.2)
})

test.concurrent("ffmpeg is killed, and begun again: its frames are one broadcast", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const first = encode(20, ...STREAM, onAir.streamUrl)
  await eventually(async () => (await onAir.state()).ingest.durationMs >= 2000, "the first segment")
  first.kill("SIGKILL")
  expect(await exitOf(encode(3, ...STREAM, onAir.streamUrl))).toBe(0)
  const { video, complaints } = await recorded(onAir)
  expect(complaints).toBe("")
  expect(video).toBeGreaterThanOrEqual(50 + 75)
})

test.concurrent("ffmpeg ends with an error when its address has been replaced", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  await onAir.newIngest()
  expect(await exitOf(encode(20, ...STREAM, onAir.streamUrl))).not.toBe(0)
})

test.concurrent("sound alone at a low rate is not cut off by the engine", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const sound = ["-f", "lavfi", "-i", "sine=440:sample_rate=48000", "-t", "15", "-c:a", "aac", "-b:a", "24k"]
  const child = spawn("ffmpeg", ["-v", "error", "-re", ...sound, ...STREAM, onAir.streamUrl], { stdio: "ignore" })
  encoders.push(child)
  expect(await exitOf(child)).toBe(0)
  const { audio, video, complaints } = await recorded(onAir)
  expect({ video, complaints }).toEqual({ video: 0, complaints: "" })
  expect(audio).toBeGreaterThan(700)
})

/** A server as its own process, which may be killed and started again at its address. */
const openPlace = async () => {
  const database = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), "broadcast-"))
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PORT: String(await freePort()),
    SECRET_KEY: "secret-key-of-the-broadcast-test-0123456789",
  }
  let child: ServerProcess = await startServerProcess(environment)
  onTestFinished(async () => {
    await child.end("SIGKILL")
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  return {
    child: () => child,
    start: async () => {
      child = await startServerProcess(environment)
    },
  }
}

test("the server is killed in the middle of it: what was listed is recorded, and the broadcast goes on", async () => {
  const place = await openPlace()
  const { key } = await createWorkspace(place.child().url)
  const onAir = await startBroadcast(place.child().url, key)
  const first = encode(30, ...STREAM, onAir.streamUrl)
  await eventually(async () => (await onAir.state()).ingest.durationMs >= 4000, "two segments")
  const listed = (await onAir.state()).ingest.durationMs
  await place.child().end("SIGKILL")
  first.kill("SIGKILL")
  await place.start()
  expect(await exitOf(encode(3, ...STREAM, onAir.streamUrl))).toBe(0)
  const { video, complaints, seconds } = await recorded(onAir, place.child().url, key)
  expect(complaints).toBe("")
  expect(video).toBeGreaterThanOrEqual(Math.floor((listed / 1000) * 25) + 75 - 1)
  expect(seconds).toBeGreaterThan(listed / 1000 + 2.9)
})

test("the server is killed and started again under an ffmpeg that pushes files: it goes on by itself", async () => {
  const place = await openPlace()
  const { key } = await createWorkspace(place.child().url)
  const onAir = await startBroadcast(place.child().url, key)
  const playlist = `${onAir.url}index.m3u8`
  const files = [...FILES, "-http_persistent", "0", "-ignore_io_errors", "1", "-hls_flags", "delete_segments"]
  const encoder = encode(60, ...files, playlist)
  await eventually(async () => (await onAir.state()).ingest.durationMs >= 3000, "three segments")
  await place.child().end("SIGKILL")
  await place.start()
  const before = (await onAir.state()).ingest.durationMs
  await eventually(async () => (await onAir.state()).ingest.durationMs >= before + 3000, "three more")
  expect((await onAir.state()).ingest).toMatchObject({ state: "receiving", takes: 1 })
  encoder.kill("SIGKILL")
  const { complaints, video } = await recorded(onAir, place.child().url, key)
  expect(complaints).toBe("")
  expect(video).toBeGreaterThanOrEqual(((before + 3000) / 1000) * 25 - 2)
})
