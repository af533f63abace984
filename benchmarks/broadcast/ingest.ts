/**
 * The encoder's side of a broadcast: what one encoder at its usual rate costs the server, and how long after the end of a long broadcast
 * its recording is ready, against ffmpeg that copies the same recording into a plain file.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { temporaryFolder } from "../support/database.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { call } from "../support/rest-calls.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import { encoded, FRAGMENTED, ffmpeg, goLive, type OnAir } from "./on-air.ts"

const OPTIONS = {
  minutes: { fallback: 60, quick: 5, doc: "Length of the broadcast that is recorded." },
  kbps: { fallback: 400, doc: "Its bit rate." },
  seconds: { fallback: 20, quick: 3, doc: "For which the cost of an encoder of 2 Mbit/s is measured." },
  ...PROFILE_OPTION,
}

const RECEIVED_KBPS = 2000
const SECONDS_OF_MEDIA = 60
/** An hour is pushed in half a minute. Without pauses the server refuses so many fragments a second. */
const PAUSE_MS = 400

/** CPU seconds of the server in a second of an encoder. */
const receiving = async (onAir: OnAir, file: string, seconds: number): Promise<number> => {
  const copy = ["-re", "-stream_loop", "-1", "-i", file, "-c", "copy", ...FRAGMENTED, "-method", "PUT", onAir.streamUrl]
  const encoder = spawn("ffmpeg", ["-v", "error", ...copy], { stdio: ["ignore", "inherit", "inherit"] })
  const ended = once(encoder, "exit")
  await sleep(3000)
  const before = cpuSeconds(onAir.server.pid)
  await sleep(seconds * 1000)
  const cpu = (cpuSeconds(onAir.server.pid) - before) / seconds
  if (encoder.exitCode !== null) throw new Error("the encoder was refused")
  encoder.kill("SIGKILL")
  await ended
  return cpu
}

interface Made {
  readonly status: string
  readonly durationMs: number
  readonly sizeBytes: number
  readonly downloadUrl: string
}

const recordingOf = async ({ server, key, eventId }: OnAir): Promise<Made> =>
  (await call(server.url, "GET", `/v1/events/${eventId}/recordings`, { key })).recordings[0]

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const folder = await temporaryFolder(defer)
  const usual = encoded(folder, RECEIVED_KBPS, SECONDS_OF_MEDIA)
  const quiet = await goLive(join(folder, "received"), { profile: options.profile }, defer)
  await sleep(2000)
  const before = cpuSeconds(quiet.server.pid)
  await sleep(5000)
  const idle = (cpuSeconds(quiet.server.pid) - before) / 5
  const busy = await receiving(quiet, usual, options.seconds)
  await quiet.stop()

  const talk = encoded(folder, options.kbps, SECONDS_OF_MEDIA)
  const environment = { BROADCAST_MAX_KBPS: "100000" }
  const long = await goLive(join(folder, "recorded"), { profile: 0, environment }, defer)
  for (let minute = 0; minute < options.minutes; minute++) {
    await long.push(talk)
    await sleep(PAUSE_MS)
  }
  const stoppedAt = performance.now()
  await long.stop()
  let made = await recordingOf(long)
  for (; made.status !== "ready"; made = await recordingOf(long)) await sleep(5)
  const readyMs = performance.now() - stoppedAt

  const file = join(folder, "whole.mp4")
  const { body } = await fetch(made.downloadUrl)
  if (body === null) throw new Error("the recording has no bytes")
  await pipeline(Readable.fromWeb(body as import("node:stream/web").ReadableStream), createWriteStream(file))
  const copiedAt = performance.now()
  ffmpeg(["-i", file, "-c", "copy", "-movflags", "+faststart", join(folder, "plain.mp4")])
  const copyMs = performance.now() - copiedAt

  printRows([
    ["", "measured"],
    ["server without an encoder, of a core", `${number(idle * 100)} %`],
    [`with one of ${RECEIVED_KBPS / 1000} Mbit/s`, `${number(busy * 100)} %`],
    [
      `stop to ready, ${number(made.durationMs / 60_000)} minutes of ${number(made.sizeBytes / 1e6)} MB`,
      `${number(readyMs)} ms`,
    ],
    ["ffmpeg copies the same", `${number(copyMs)} ms`],
  ])
  return {
    peer: "ffmpeg",
    ratios: [ratio("stop to ready", [copyMs], [readyMs]).text],
    goals: [atMost("CPU of an encoder", (busy - idle) * 100, 1, "%"), atMost("stop to ready", readyMs, 1000, "ms")],
  }
}

export const ingest = defineBenchmark({
  summary: "An encoder of a broadcast: its cost, and the recording of an hour at its end, against a copy by ffmpeg.",
  options: OPTIONS,
  needs: ["ffmpeg"],
  limitSeconds: 600,
  run,
})
