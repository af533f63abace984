/**
 * Cuts a part out of a file by copying packets, without decoding. Pictures can begin only at a key frame. MP4 hides what precedes the
 * requested start; the other containers begin at the key frame before it, or with `inside` at the one after.
 */
import { rm } from "node:fs/promises"
import {
  Conversion,
  type DiscardedTrack,
  EncodedPacketSink,
  Input,
  type InputTrack,
  IsobmffOutputFormat,
  MPEG_TS,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
} from "mediabunny"
import type { CutFacts, MediaFailure } from "../../model/media/recording.ts"
import type { MediaSource } from "../storage/storage.ts"
import { containersFor } from "./containers.ts"
import { FORMATS } from "./formats.ts"
import { isMedia, isWithin } from "./index-size.ts"
import { FileTooLarge, LimitedFile } from "./limited-file.ts"
import type { CutTask } from "./protocol.ts"
import { sourceOf } from "./source.ts"

/** Above these limits a clip has its index at its end, because an index before the media would need the whole clip in memory. */
const INDEXED_FIRST_MS = 300_000
const INDEXED_FIRST_BYTES = 256 * 1024 ** 2

const NOTHING: MediaFailure = {
  code: "nothing_in_range",
  detail: "The range has no picture or sound that can be cut out.",
}

const TOO_LARGE: MediaFailure = { code: "too_large", detail: "The clip would have more bytes than it may have." }

const NOT_COPIED: MediaFailure = {
  code: "track_not_copied",
  detail: "The recording has a picture or a sound whose codec cannot be copied into a clip.",
}

/** Time in seconds of the first packet copied from a track. */
const firstCopied = async (track: InputTrack, start: number, inside: boolean): Promise<number> => {
  const sink = new EncodedPacketSink(track)
  const before = (await sink.getKeyPacket(start)) ?? (await sink.getFirstKeyPacket())
  if (before === null || !inside || before.timestamp >= start) return before?.timestamp ?? start
  return (await sink.getNextKeyPacket(before))?.timestamp ?? start
}

/** Start of the copied media in the file, in seconds. With `inside` each track begins separately, otherwise all with the picture. */
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

/** Writes the whole file as MP4 to another file. A transport stream has no index that could name bytes twice. */
const asMp4 = async (from: MediaSource, path: string): Promise<void> => {
  const input = inputOf(from)
  const file = new LimitedFile(path, Number.POSITIVE_INFINITY)
  try {
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: file.target() })
    const conversion = await Conversion.init({ input, output, copy: COPY, tags: {}, showWarnings: false })
    await file.take(conversion)
  } finally {
    await file.close()
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
 * Writes the part to `output`. Rejects for a file that cannot be read. A transport stream is first converted to MP4 as a whole: the library
 * (mediabunny 1.61) fails at some parts of one, and never at the whole.
 */
export const cutMedia = async (task: CutTask): Promise<CutFacts | MediaFailure> => {
  if (!(await isTransportStream(task.source))) return cutPart(task)
  const whole = `${task.output}.mp4`
  try {
    await asMp4(task.source, whole)
    return await cutPart({ ...task, source: { path: whole } })
  } finally {
    await rm(whole, { force: true })
  }
}

/**
 * Whether the clip would lack a track that belongs to it. A track of an unknown codec may be dropped beside another of its kind: telephones
 * add such sounds.
 */
const losesTrack = ({ discardedTracks, utilizedTracks }: Conversion): boolean =>
  discardedTracks.some(
    ({ track, reason }: DiscardedTrack) =>
      isMedia(track) && (reason !== "unknown_source_codec" || !utilizedTracks.some((kept) => kept.type === track.type)),
  )

const prepared = async (input: Input, format: OutputFormat, file: LimitedFile, range: Range): Promise<Conversion> => {
  const { start, end, inside } = range
  return Conversion.init({
    input,
    output: new Output({ format, target: file.target() }),
    trim: { start, end },
    copy: { ...COPY, boundaryPolicy: inside ? "shrink" : "expand" },
    // The tags of the recording may reveal where and by whom it was made.
    tags: {},
    showWarnings: false,
  })
}

/** Range in seconds of the file's own clock. */
interface Range {
  readonly start: number
  readonly end: number
  readonly inside: boolean
}

/** Copies the range into the first container that holds all tracks. Resolves to that container. */
const copyInto = async (
  formats: ReadonlyArray<OutputFormat>,
  input: Input,
  file: LimitedFile,
  range: Range,
): Promise<OutputFormat | MediaFailure> => {
  let failure = NOTHING
  for (const format of formats) {
    const conversion = await prepared(input, format, file, range)
    if (losesTrack(conversion)) failure = NOT_COPIED
    else if (conversion.isValid) {
      await file.take(conversion)
      return format
    }
  }
  return failure
}

const cutPart = async ({
  source,
  output,
  startMs,
  endMs,
  inside,
  mostBytes,
}: CutTask): Promise<CutFacts | MediaFailure> => {
  const input = inputOf(source)
  const file = new LimitedFile(output, mostBytes)
  try {
    // Broadcast containers may begin at any time.
    const first = Math.max(0, await input.getFirstTimestamp())
    const [start, end] = [first + startMs / 1000, first + endMs / 1000]
    const isIndexedFirst =
      endMs - startMs <= INDEXED_FIRST_MS &&
      (await isWithin(input, start, end, Math.min(mostBytes, INDEXED_FIRST_BYTES)))
    const formats = containersFor(await input.getFormat(), isIndexedFirst)
    const copied = await copyInto(formats, input, file, { start, end, inside })
    await file.close()
    if ("code" in copied) return copied
    const seconds = await durationOf(output).catch(() => 0)
    if (seconds <= 0) return NOTHING
    const begins = await copiedFrom(input, start, inside)
    // MP4 counts from the requested start, and hides what precedes it; the others count from their first packet.
    const countsFromStart = copied instanceof IsobmffOutputFormat
    const origin = countsFromStart ? start : begins
    const milliseconds = (time: number): number => Math.max(0, Math.round((time - first) * 1000))
    return {
      contentType: (await contentTypeOf(output)) ?? copied.mimeType,
      actualStartMs: milliseconds(countsFromStart ? Math.max(start, begins) : begins),
      actualEndMs: milliseconds(origin + seconds),
    }
  } catch (cause) {
    if (cause instanceof FileTooLarge) return TOO_LARGE
    throw cause
  } finally {
    await file.close()
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
