/**
 * Cuts a part out of a file without decoding it: packets are copied. Pictures can begin at a key frame only. MP4 hides what precedes
 * the wanted start; the other containers begin at the key frame before it, or with `inside` at the one after.
 */
import { rm } from "node:fs/promises"
import {
  ADTS,
  AdtsOutputFormat,
  Conversion,
  EncodedPacketSink,
  FilePathTarget,
  FLAC,
  FlacOutputFormat,
  Input,
  type InputFormat,
  type InputTrack,
  MATROSKA,
  MkvOutputFormat,
  MP3,
  MPEG_TS,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OGG,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WAVE,
  WavOutputFormat,
  WEBM,
  WebMOutputFormat,
} from "mediabunny"
import type { CutFacts, MediaFailure } from "../../model/media/recording.ts"
import type { MediaSource } from "../storage/storage.ts"
import { FORMATS } from "./formats.ts"
import type { CutTask } from "./protocol.ts"
import { sourceOf } from "./source.ts"

/** An index before the media lets players begin at once; made in memory, it needs the whole clip there. */
const INDEXED_FIRST_MS = 300_000

/** The same container; MP4 for those that are worse to play. */
const outputFormatOf = (format: InputFormat, lengthMs: number): OutputFormat => {
  switch (format) {
    case WEBM:
      return new WebMOutputFormat()
    case MATROSKA:
      return new MkvOutputFormat()
    case WAVE:
      return new WavOutputFormat()
    case MP3:
      return new Mp3OutputFormat()
    case FLAC:
      return new FlacOutputFormat()
    case OGG:
      return new OggOutputFormat()
    case ADTS:
      return new AdtsOutputFormat()
    default:
      return new Mp4OutputFormat({ fastStart: lengthMs <= INDEXED_FIRST_MS ? "in-memory" : false })
  }
}

const NOTHING: MediaFailure = {
  code: "nothing_in_range",
  detail: "The range has no picture or sound that can be cut out.",
}

/** The time of the first packet that is copied from a track, in seconds. */
const firstCopied = async (track: InputTrack, start: number, inside: boolean): Promise<number> => {
  const sink = new EncodedPacketSink(track)
  const before = (await sink.getKeyPacket(start)) ?? (await sink.getFirstKeyPacket())
  if (before === null || !inside || before.timestamp >= start) return before?.timestamp ?? start
  return (await sink.getNextKeyPacket(before))?.timestamp ?? start
}

/** Where the copied media begins in the file, in seconds. With `inside` each track begins for itself, else all with the picture. */
const copiedFrom = async (input: Input, start: number, inside: boolean): Promise<number> => {
  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  const counted = (inside ? [video, audio] : [video ?? audio]).filter((track) => track !== null)
  const times: number[] = []
  for (const track of counted) times.push(await firstCopied(track, start, inside))
  return Math.min(...times)
}

const inputOf = (from: MediaSource): Input => new Input({ source: sourceOf(from, () => {}), formats: FORMATS })

const durationOf = async (path: string): Promise<number> => {
  const input = inputOf({ path })
  try {
    return await input.computeDuration()
  } finally {
    input.dispose()
  }
}

const COPY = { mode: "forced", shiftTolerance: Number.POSITIVE_INFINITY } as const

/** All of the file as MP4, in another file. */
const asMp4 = async (from: MediaSource, output: string): Promise<void> => {
  const input = inputOf(from)
  try {
    const target = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(output) })
    const conversion = await Conversion.init({ input, output: target, copy: COPY, tags: {}, showWarnings: false })
    await conversion.execute()
  } finally {
    input.dispose()
  }
}

const isTransportStream = async (from: MediaSource): Promise<boolean> => {
  const input = inputOf(from)
  try {
    return (await input.getFormat()) === MPEG_TS
  } finally {
    input.dispose()
  }
}

/**
 * Writes the part to `output`. Rejects for a file that cannot be read. A transport stream is made MP4 as a whole first: the library
 * (mediabunny 1.61) fails at some parts of one, and never at the whole.
 */
export const cut = async (task: CutTask): Promise<CutFacts | MediaFailure> => {
  if (!(await isTransportStream(task.source))) return cutPart(task)
  const whole = `${task.output}.mp4`
  try {
    await asMp4(task.source, whole)
    return await cutPart({ ...task, source: { path: whole } })
  } finally {
    await rm(whole, { force: true })
  }
}

const cutPart = async ({ source, output, startMs, endMs, inside }: CutTask): Promise<CutFacts | MediaFailure> => {
  const input = inputOf(source)
  try {
    // Broadcast containers begin at any time.
    const first = Math.max(0, await input.getFirstTimestamp())
    const [start, end] = [first + startMs / 1000, first + endMs / 1000]
    const format = outputFormatOf(await input.getFormat(), endMs - startMs)
    const conversion = await Conversion.init({
      input,
      output: new Output({ format, target: new FilePathTarget(output) }),
      trim: { start, end },
      copy: { ...COPY, boundaryPolicy: inside ? "shrink" : "expand" },
      // The tags of the recording may say where and by whom it was made.
      tags: {},
      showWarnings: false,
    })
    if (!conversion.isValid) return NOTHING
    await conversion.execute()
    const seconds = await durationOf(output).catch(() => 0)
    if (seconds <= 0) return NOTHING
    const begins = await copiedFrom(input, start, inside)
    // MP4 counts from the wanted start, and hides what precedes it; the others count from their first packet.
    const countsFromStart = format instanceof Mp4OutputFormat
    const origin = countsFromStart ? start : begins
    const milliseconds = (time: number): number => Math.max(0, Math.round((time - first) * 1000))
    return {
      contentType: (await contentTypeOf(output)) ?? format.mimeType,
      actualStartMs: milliseconds(countsFromStart ? Math.max(start, begins) : begins),
      actualEndMs: milliseconds(origin + seconds),
    }
  } finally {
    input.dispose()
  }
}

const contentTypeOf = async (path: string): Promise<string | undefined> => {
  const input = inputOf({ path })
  try {
    return (await input.getMimeType()).split(";")[0]?.trim()
  } finally {
    input.dispose()
  }
}
