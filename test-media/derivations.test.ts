/** The picture and the waveform of a recording, made by ffmpeg and looked at with ffprobe. */
import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waveformOf } from "../src/media/derivations/ffmpeg.ts"
import { call, createLiveEvent, createWorkspace, type Json, type Workspace } from "../test/support/api.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"

const run = promisify(execFile)

let folder: string
let server: TestServer
let workspace: Workspace

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gathercue-derivations-"))
  server = await startMediaServer({ PATH: "/usr/local/bin:/usr/bin" })
  workspace = await createWorkspace(server.url)
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const api = (method: string, path: string, body?: Json) => call(server.url, method, path, { key: workspace.key, body })

const recordingOf = async (
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ readonly event: Json; readonly recording: Json }> => {
  const event = await createLiveEvent(server.url, workspace.key)
  const begun = await api("POST", `/v1/events/${event.id}/recordings`, { kind: "merged" })
  expect((await fetch(begun.body.uploadUrl, { method: "PUT", body: bytes })).status).toBe(204)
  await api("POST", `/v1/recordings/${begun.body.id}/complete`, {})
  const read = async () => (await api("GET", `/v1/recordings/${begun.body.id}`)).body
  await eventually(async () => (await read()).status !== "processing", "the recording is inspected")
  return { event, recording: await read() }
}

const derivationsOf = async ({ id }: Json): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/public/events/${id}/content`)).body.derivations

const files = async (): Promise<ReadonlyArray<string>> =>
  (await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((one) => one.isFile())
    .map(({ name }) => name)

test("a recording with picture and sound has both, and loses them with its deletion", async () => {
  const before = await files()
  const path = join(folder, "a.mp4")
  const sound = "sine=440:duration=4,volume='if(lt(t,2),0,4)':eval=frame"
  const inputs = ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=4", "-f", "lavfi", "-i", sound]
  await run("ffmpeg", ["-v", "error", "-y", ...inputs, "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", path])
  const { event, recording } = await recordingOf(new Uint8Array(await readFile(path)))
  await eventually(async () => (await derivationsOf(event)).length === 2, "both are there")
  const [thumbnail, waveform] = await derivationsOf(event)
  expect([thumbnail, waveform]).toMatchObject([
    { kind: "thumbnail", status: "ready" },
    { kind: "waveform", status: "ready" },
  ])

  const picture = await fetch(thumbnail.url)
  expect(picture.headers.get("content-type")).toBe("image/jpeg")
  const jpeg = join(folder, "a.jpg")
  await writeFile(jpeg, new Uint8Array(await picture.arrayBuffer()))
  const shown = ["-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", jpeg]
  expect((await run("ffprobe", shown)).stdout.trim()).toBe("mjpeg,640,360")

  const { version, durationMs, peaks } = (await (await fetch(waveform.url)).json()) as Json
  expect([version, peaks.length]).toEqual([1, 1000])
  expect(Math.abs(durationMs - 4000)).toBeLessThan(150)
  const loudest = (pairs: ReadonlyArray<readonly [number, number]>) =>
    Math.max(...pairs.map(([low, high]) => high - low))
  expect(loudest(peaks.slice(0, 450))).toBeLessThan(0.05)
  expect(loudest(peaks.slice(550, 950))).toBeGreaterThan(0.3)

  expect((await api("DELETE", `/v1/recordings/${recording.id}`)).status).toBe(204)
  await eventually(async () => (await files()).every((name) => before.includes(name)), "no file is left")
  expect((await fetch(thumbnail.url)).status).toBe(404)
})

test("a recording of sound alone has no picture, and one that is silent of its nature has no waveform", async () => {
  const [wav, mute] = [join(folder, "b.wav"), join(folder, "c.mp4")]
  await run("ffmpeg", ["-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:duration=2", wav])
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2"]
  await run("ffmpeg", ["-v", "error", "-y", ...picture, "-c:v", "libx264", "-preset", "ultrafast", mute])
  for (const [path, kind] of [
    [wav, "waveform"],
    [mute, "thumbnail"],
  ] as const) {
    const { event } = await recordingOf(new Uint8Array(await readFile(path)))
    await eventually(async () => (await derivationsOf(event)).length > 0, "the derivation is there")
    expect((await derivationsOf(event)).map((one) => one.kind)).toEqual([kind])
  }
})

test("a picture of too many pixels is not decoded, and the sound has its waveform all the same", async () => {
  const path = join(folder, "d.mp4")
  const inputs = ["-f", "lavfi", "-i", "color=size=8000x8000:rate=1:duration=2", "-f", "lavfi", "-i", "sine=duration=2"]
  await run("ffmpeg", ["-v", "error", "-y", ...inputs, "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", path])
  const { event, recording } = await recordingOf(new Uint8Array(await readFile(path)))
  expect(recording).toMatchObject({ status: "ready" })
  await eventually(async () => (await derivationsOf(event)).length > 0, "the waveform is there")
  expect((await derivationsOf(event)).map(({ kind }) => kind)).toEqual(["waveform"])
})

test("a file that is a list of others for ffmpeg is refused, and ffmpeg itself opens none of them", async () => {
  await run("ffmpeg", [
    "-v",
    "error",
    "-y",
    "-f",
    "lavfi",
    "-i",
    "sine=440:duration=2",
    "-f",
    "wav",
    join(folder, "other"),
  ])
  // Frames of MP3 behind a comment: ffmpeg takes the file for a list, and a player that skips text takes it for sound.
  const frame = Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0xc0), Buffer.alloc(413, "#")])
  const list = Buffer.concat([Buffer.from("ffconcat version 1.0\nfile other\n#"), ...Array(80).fill(frame)])
  const path = join(folder, "list")
  await writeFile(path, list)
  expect((await recordingOf(new Uint8Array(list))).recording).toMatchObject({ status: "failed", contentType: null })
  const signal = AbortSignal.timeout(30_000)
  await expect(waveformOf({ ffmpeg: "/usr/bin/ffmpeg", signal }, { path }, 2000)).rejects.toThrow()
})

test("a run of ffmpeg ends with its signal", async () => {
  const path = join(folder, "g.wav")
  await run("ffmpeg", ["-v", "error", "-y", "-f", "lavfi", "-i", "anullsrc=d=3600", "-ar", "8000", path])
  const signal = AbortSignal.timeout(1)
  await expect(waveformOf({ ffmpeg: "/usr/bin/ffmpeg", signal }, { path }, 3_600_000)).rejects.toThrow()
})
