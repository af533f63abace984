/**
 * Cuts a part out of a file without decoding it: packets are copied. Pictures can begin at a key frame only. MP4 hides what precedes
 * the wanted start; the other containers begin at the key frame before it, or with `inside` at the one after.
 */
import {
  ADTS,
  AdtsOutputFormat,
  ALL_FORMATS,
  Conversion,
  EncodedPacketSink,
  FilePathSource,
  FilePathTarget,
  FLAC,
  FlacOutputFormat,
  Input,
  type InputFormat,
  MATROSKA,
  MkvOutputFormat,
  MP3,
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
import type { CutTask } from "./protocol.ts"

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

/** Where the copied media begins in the file, in seconds. */
const copiedFrom = async (input: Input, start: number, inside: boolean): Promise<number> => {
  const track = (await input.getPrimaryVideoTrack()) ?? (await input.getPrimaryAudioTrack())
  if (track === null) return start
  const sink = new EncodedPacketSink(track)
  const before = (await sink.getKeyPacket(start)) ?? (await sink.getFirstKeyPacket())
  if (before === null || !inside || before.timestamp >= start) return before?.timestamp ?? start
  return (await sink.getNextKeyPacket(before))?.timestamp ?? start
}

const durationOf = async (path: string): Promise<number> => {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  try {
    return await input.computeDuration()
  } finally {
    input.dispose()
  }
}

/** Writes the part to `output`. Rejects for a file that cannot be read. */
export const cut = async ({ path, output, startMs, endMs, inside }: CutTask): Promise<CutFacts | MediaFailure> => {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  try {
    // Broadcast containers begin at any time.
    const first = Math.max(0, await input.getFirstTimestamp())
    const [start, end] = [first + startMs / 1000, first + endMs / 1000]
    const format = outputFormatOf(await input.getFormat(), endMs - startMs)
    const conversion = await Conversion.init({
      input,
      output: new Output({ format, target: new FilePathTarget(output) }),
      trim: { start, end },
      copy: {
        mode: "forced",
        shiftTolerance: Number.POSITIVE_INFINITY,
        boundaryPolicy: inside ? "shrink" : "expand",
      },
      // The tags of the recording may say where and by whom it was made.
      tags: {},
      showWarnings: false,
    })
    if (!conversion.isValid) return NOTHING
    await conversion.execute()
    const seconds = await durationOf(output).catch(() => 0)
    if (seconds <= 0) return NOTHING
    const begins = await copiedFrom(input, start, inside)
    const isHidden = format instanceof Mp4OutputFormat
    const actualStart = Math.max(0, (isHidden ? Math.max(start, begins) : begins) - first)
    return {
      contentType: (await contentTypeOf(output)) ?? format.mimeType,
      actualStartMs: Math.round(actualStart * 1000),
      actualEndMs: Math.round((actualStart + seconds) * 1000),
    }
  } finally {
    input.dispose()
  }
}

const contentTypeOf = async (path: string): Promise<string | undefined> => {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  try {
    return (await input.getMimeType()).split(";")[0]?.trim()
  } finally {
    input.dispose()
  }
}
