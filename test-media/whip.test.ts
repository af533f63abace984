/** A broadcast that comes by WebRTC, packetised by ffmpeg, as ffprobe reads its playlist and ffmpeg decodes its recording. */
import { execFile, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, createWorkspace, type Workspace } from "../test/support/api.ts"
import { bytesAt, recordingOf, startBroadcast } from "../test/support/broadcasts.ts"
import { PATIENCE_MS } from "../test/support/patience.ts"
import { startServerWithWhip, type TestServer } from "../test/support/server.ts"
import { SfuClient } from "../test/support/sfu-client.ts"
import { eventually } from "../test/support/wait.ts"

let server: TestServer
let acme: Workspace
beforeAll(async () => {
  server = await startServerWithWhip()
  acme = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const SECONDS = 8
/** A flash and a tone in the first eighth of each second. */
const IS_ON = "lt(mod(t,1),0.12)"
const FLASH = `color=black:s=1280x720:r=25,drawbox=color=white:t=fill:enable='${IS_ON}'`
const TONE = `aevalsrc='0.5*sin(2*PI*1000*t)*${IS_ON}':s=48000`

/** Passes packets of ffmpeg on to the encoder's connection. Resolves to the address for ffmpeg. */
const relay = async (client: SfuClient): Promise<string> => {
  const socket = createSocket("udp4", (datagram) => {
    client.forward(datagram)
    // An agent of ICE tells that it is still there.
    if (datagram[1] === 200) client.check()
  })
  onTestFinished(() => void socket.close())
  await once(socket.bind(0, "127.0.0.1"), "listening")
  const { port } = socket.address()
  return `rtp://127.0.0.1:${port}?rtcpport=${port}&pkt_size=1200`
}

const encode = async (pictures: string, sounds: string): Promise<void> => {
  const x264 = ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-g", "50", "-bf", "0"]
  const ffmpeg = spawn(
    "ffmpeg",
    [
      ...["-v", "error", "-re", "-f", "lavfi", "-i", FLASH, "-re", "-f", "lavfi", "-i", TONE, "-t", String(SECONDS)],
      ...["-map", "0", ...x264, "-x264-params", "repeat-headers=1", "-b:v", "2M"],
      ...["-payload_type", "96", "-ssrc", "2000", "-seq", "1", "-f", "rtp", pictures, "-t", String(SECONDS)],
      ...["-map", "1", "-c:a", "libopus", "-payload_type", "111", "-ssrc", "1000", "-seq", "1", "-f", "rtp", sounds],
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  )
  onTestFinished(() => void ffmpeg.kill("SIGKILL"))
  expect(await once(ffmpeg, "exit")).toEqual([0, null])
}

/** The server is in this process, so that nothing may block it. */
const execute = promisify(execFile)
const run = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout, stderr } = await execute(command, args, { timeout: PATIENCE_MS })
  return stdout + stderr
}

/** Seconds at which a filter of ffmpeg sees something begin or end. */
const timesOf = async (path: string, kind: "v" | "a", filter: string, name: string): Promise<ReadonlyArray<number>> => {
  const found = await run(
    "ffmpeg",
    "-hide_banner",
    "-i",
    path,
    `-${kind}f`,
    filter,
    "-map",
    `0:${kind}`,
    "-f",
    "null",
    "-",
  )
  return [...found.matchAll(new RegExp(`${name}: ?([\\d.]+)`, "g"))].map(([, seconds]) => Number(seconds))
}

test("is played, decodes without a word, and has sound and picture together", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const sent = [
    { kind: "audio", ssrc: 1000 },
    { kind: "video", ssrc: 2000 },
  ] as const
  const client = new SfuClient({ sent, places: { audio: 0, video: 0 }, picture: "H264" })
  onTestFinished(() => client.close())
  const answer = await call(server.url, "POST", "/v1/whip", {
    raw: client.offer,
    bearer: onAir.token,
    headers: { "content-type": "application/sdp" },
  })
  await client.connect(answer.body, Number(/ (\d+) typ host/.exec(answer.body)?.[1]))
  const probe = async (): Promise<unknown> => {
    await eventually(async () => (await onAir.state()).ingest.durationMs > 2000, "the first segments")
    const entries = ["-show_entries", "stream=codec_name,width,height,channels", "-of", "json"]
    return JSON.parse(await run("ffprobe", "-v", "error", ...entries, onAir.playbackUrl)).streams
  }
  const [streams] = await Promise.all([probe(), encode(await relay(client), await relay(client))])
  expect(streams).toEqual([
    { codec_name: "h264", width: 1280, height: 720 },
    { codec_name: "opus", channels: 2 },
  ])
  const path = answer.headers.get("location") ?? ""
  expect((await call(server.url, "DELETE", path, { bearer: onAir.token })).status).toBe(200)
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  expect(recording.durationMs).toBeGreaterThan((SECONDS - 1) * 1000)
  const file = join(server.folder, "recording.mp4")
  writeFileSync(file, await bytesAt(recording.downloadUrl))
  const decoded = await run(
    "ffmpeg",
    "-v",
    "error",
    "-i",
    file,
    "-fps_mode",
    "passthrough",
    "-enc_time_base",
    "-1",
    "-f",
    "null",
    "-",
  )
  expect(decoded).toBe("")
  const flashes = await timesOf(file, "v", "negate,blackdetect=d=0.02:pix_th=0.5", "black_start")
  const tones = await timesOf(file, "a", "silencedetect=n=-30dB:d=0.3", "silence_end")
  const pairs = flashes.slice(1, SECONDS - 1).map((flash) => tones.map((tone) => Math.abs(tone - flash)))
  expect(pairs.length).toBeGreaterThan(SECONDS - 4)
  for (const distances of pairs) expect(Math.min(...distances)).toBeLessThan(0.25)
})
