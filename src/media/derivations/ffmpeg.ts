/**
 * Wrapper of ffmpeg, where the machine has it: decodes a recording for a thumbnail and a waveform. It runs with a low priority, one thread
 * and a time limit, reads nothing but the recording, and gets no user text as an argument.
 */
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { constants as os, setPriority } from "node:os"
import { delimiter, join } from "node:path"
import type { MediaSource } from "../storage/storage.ts"
import { PeakMeter, type Waveform } from "./peaks.ts"

/** ffmpeg failed. `isFinal` means that the file is to blame, so that another try is of no use. */
export class FfmpegFailed extends Error {
  override readonly name = "FfmpegFailed"
  readonly isFinal: boolean

  constructor(detail: string, { isFinal = false, cause }: Partial<FfmpegFailed> = {}) {
    super(detail, { cause })
    this.isFinal = isFinal
  }
}

const WITHIN_MS = 120_000
/** Pixels of an 8K picture. A decoder keeps several pictures at once. */
const MOST_PIXELS = 36_000_000
/** Limit of one memory block of ffmpeg. */
const MOST_BYTES = 256 * 1024 ** 2
/** Formats that recordings may have, without those that refer to other files. */
const FORMATS = "mov,matroska,mpegts,ogg,wav,mp3,flac,aac"
const WIDTH = 640
const SAMPLE_RATE = 8000
/** Maximum length of ffmpeg's error output, which is only logged. */
const MOST_WORDS = 500

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** `given` is a path, or `off`; null searches `path` for ffmpeg. Returns null when there is none. */
export const findFfmpeg = (given: string | null, path: string): string | null => {
  if (given === "off") return null
  const found = given === null ? path.split(delimiter).map((folder) => join(folder, "ffmpeg")) : [given]
  return found.find(isExecutable) ?? null
}

/** ffmpeg may open only this input, so a playlist or a reference in a file leads nowhere. */
const inputOf = (source: MediaSource): ReadonlyArray<string> => [
  ...["-max_pixels", String(MOST_PIXELS), "-format_whitelist", FORMATS, "-protocol_whitelist"],
  ...("path" in source ? ["file", "-i", `file:${source.path}`] : ["http,https,tls,tcp", "-i", source.url]),
]

export interface Run {
  readonly ffmpeg: string
  /** Aborts ffmpeg. */
  readonly signal: AbortSignal
}

const run = (
  { ffmpeg, signal }: Run,
  args: ReadonlyArray<string>,
  onBytes: (bytes: Uint8Array) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const limits = ["-nostdin", "-v", "error", "-max_alloc", String(MOST_BYTES), "-threads", "1"]
    const child = spawn(ffmpeg, [...limits, ...args], {
      signal,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: WITHIN_MS,
      killSignal: "SIGKILL",
      env: {},
    })
    let words = ""
    child.stdout.on("data", onBytes)
    child.stderr.on("data", (bytes: Buffer) => {
      if (words.length < MOST_WORDS) words += bytes.toString("utf8")
    })
    child.once("error", (cause) => reject(new FfmpegFailed("ffmpeg could not be started", { cause })))
    child.once("close", (code) => {
      if (code === 0) resolve()
      // A bucket address is a secret.
      else reject(new FfmpegFailed(words.slice(0, MOST_WORDS).replaceAll(/https?:\S+/g, "<address>")))
    })
    if (child.pid !== undefined) {
      try {
        setPriority(child.pid, os.priority.PRIORITY_LOW)
      } catch {
        // The process has already ended.
      }
    }
  })

/** Writes a JPEG picture of the moment `atMs`, at most 640 wide. */
export const writeThumbnail = (by: Run, source: MediaSource, atMs: number, output: string): Promise<void> =>
  run(
    by,
    [
      ...["-ss", (atMs / 1000).toFixed(3), ...inputOf(source)],
      ...["-map", "0:v:0", "-frames:v", "1", "-vf", `scale='min(${WIDTH},iw)':-2`, "-f", "mjpeg", "-y", output],
    ],
    () => {},
  )

/** Samples a second of sound for a recogniser, which needs no more. */
const SPEECH_RATE = 16_000
const SPEECH_BYTES_PER_SECOND = SPEECH_RATE * 2
/** Sound beyond the length that was asked for: the last block may end later. */
const SLACK_MS = 10_000
const WAV_HEAD_BYTES = 44
const NO_SOUND = /matches no streams|does not contain any stream/

/** A WAV file of 16-bit samples in mono. Its head has the sizes, which a file that ffmpeg writes into a pipe lacks. */
const wavOf = (chunks: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const size = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const file = new Uint8Array(WAV_HEAD_BYTES + size)
  const head = Buffer.from(file.buffer, 0, WAV_HEAD_BYTES)
  head.write("RIFF\0\0\0\0WAVEfmt ", "latin1")
  head.writeUInt32LE(WAV_HEAD_BYTES - 8 + size, 4)
  head.set([16, 0, 0, 0, 1, 0, 1, 0], 16)
  head.writeUInt32LE(SPEECH_RATE, 24)
  head.writeUInt32LE(SPEECH_BYTES_PER_SECOND, 28)
  head.set([2, 0, 16, 0], 32)
  head.write("data", 36, "latin1")
  head.writeUInt32LE(size, 40)
  let at = WAV_HEAD_BYTES
  for (const chunk of chunks) {
    file.set(chunk, at)
    at += chunk.byteLength
  }
  return file
}

/**
 * The sound of a stretch as a WAV file; null when there is none. Gaps become silence, so that times stay those of the recording. A file whose
 * blocks overlap may decode to far more sound than its times say: ffmpeg is then killed.
 */
export const soundOf = async (
  by: Run,
  source: MediaSource,
  fromMs: number,
  lengthMs: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly durationMs: number } | null> => {
  const chunks: Uint8Array[] = []
  const most = ((lengthMs + SLACK_MS) / 1000) * SPEECH_BYTES_PER_SECOND
  const excess = new AbortController()
  let size = 0
  const take = (bytes: Uint8Array): void => {
    size += bytes.byteLength
    if (size > most) excess.abort()
    else chunks.push(bytes)
  }
  const signal = AbortSignal.any([by.signal, excess.signal])
  const seek = ["-ss", (fromMs / 1000).toFixed(3), "-t", (lengthMs / 1000).toFixed(3)]
  const filter = ["-map", "0:a:0", "-af", "aresample=async=1:first_pts=0"]
  const format = ["-ac", "1", "-ar", String(SPEECH_RATE), "-f", "s16le", "pipe:1"]
  try {
    await run({ ffmpeg: by.ffmpeg, signal }, [...seek, ...inputOf(source), ...filter, ...format], take)
  } catch (cause) {
    if (cause instanceof FfmpegFailed && NO_SOUND.test(cause.message)) return null
    if (!excess.signal.aborted) throw cause
  }
  if (excess.signal.aborted) throw new FfmpegFailed("the sound is longer than its times say", { isFinal: true })
  const bytes = wavOf(chunks)
  const durationMs = Math.floor((bytes.byteLength - WAV_HEAD_BYTES) / (SPEECH_BYTES_PER_SECOND / 1000))
  return durationMs === 0 ? null : { bytes, durationMs }
}

/** Resolves to null when the recording has no sound that can be decoded. */
export const waveformOf = async (by: Run, source: MediaSource, durationMs: number): Promise<Waveform | null> => {
  const meter = new PeakMeter((durationMs / 1000) * SAMPLE_RATE)
  const format = ["-map", "0:a:0?", "-ac", "1", "-ar", String(SAMPLE_RATE), "-f", "s16le", "pipe:1"]
  await run(by, [...inputOf(source), ...format], (bytes) => meter.add(bytes))
  return meter.isEmpty ? null : meter.waveform(durationMs)
}
