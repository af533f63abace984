/**
 * Reads a file's container, tracks and duration from its bytes alone. The bytes are untrusted: anything that is not known to be right is a
 * refusal. Runs in the media process (`media-process.ts`), never on the server's event loop.
 */
import {
  ADTS,
  EncodedPacketSink,
  Input,
  type InputFormat,
  type InputTrack,
  MP3,
  MP4,
  QTFF,
  UnsupportedInputFormatError,
} from "mediabunny"
import type { MediaFacts, MediaFailure } from "../../model/media/recording.ts"

import type { MediaSource } from "../storage/storage.ts"
import { FORMATS } from "./formats.ts"
import { hasBoundedTables } from "./mp4-tables.ts"
import { headOf, isSystemError, readFault, type StorageAway, sourceOf } from "./source.ts"

/** Maximum duration stated by the file; a forged table of samples may claim centuries. */
const LONGEST_SECONDS = 24 * 3600

const unreadable = (detail: string): MediaFailure => ({ code: "unreadable_media", detail })

/** Parameters name codecs, which are stored separately. */
const withoutParameters = (type: string): string => (type.split(";")[0] ?? type).trim()

const usable = async (tracks: ReadonlyArray<InputTrack>): Promise<ReadonlyArray<InputTrack>> => {
  const found: InputTrack[] = []
  for (const track of tracks) {
    if (!track.isVideoTrack() && !track.isAudioTrack()) continue
    // A container cut off before its samples lists tracks without any.
    const hasCodec = (await track.getCodec()) !== null
    if (hasCodec && (await new EncodedPacketSink(track).getFirstPacket()) !== null) found.push(track)
  }
  return found
}

/** Containers that may begin anywhere: the library searches for the first frame, and players may take what precedes it for a playlist. */
const FRAMES: ReadonlyArray<InputFormat> = [MP3, ADTS]
/** Containers whose tables can claim any number of samples in a few bytes. */
const INDEXED: ReadonlyArray<InputFormat> = [MP4, QTFF]
const HEAD_BYTES = 8
const isText = (head: Uint8Array): boolean => /^[\t\r\n -~\u{feff}]*$/u.test(Buffer.from(head).toString("utf8"))

const factsOf = async (input: Input, from: MediaSource): Promise<MediaFacts | MediaFailure> => {
  const format = await input.getFormat()
  if (FRAMES.includes(format) && isText(await headOf(from, HEAD_BYTES))) {
    return unreadable("The file begins with text and not with sound.")
  }
  if (INDEXED.includes(format) && !(await hasBoundedTables(from))) {
    return unreadable("The file's tables claim more than the file holds.")
  }
  const tracks = await usable(await input.getTracks())
  if (tracks.length === 0) return unreadable("The file has no audio or video track that can be played.")
  // Broadcast containers may begin at any time.
  const seconds = (await input.computeDuration()) - Math.max(0, await input.getFirstTimestamp())
  if (!Number.isFinite(seconds) || seconds <= 0) return unreadable("The file has no duration.")
  if (seconds > LONGEST_SECONDS) return { code: "too_long", detail: "The file claims to be longer than 24 hours." }
  const video = tracks.find((track) => track.isVideoTrack())
  const codecs: string[] = []
  for (const track of tracks) codecs.push((await track.getCodecParameterString()) ?? (await track.getCodec()) ?? "")
  return {
    container: format.name,
    contentType: withoutParameters(await input.getMimeType()),
    codecs,
    durationMs: Math.max(1, Math.round(seconds * 1000)),
    width: video === undefined ? null : await video.getDisplayWidth(),
    height: video === undefined ? null : await video.getDisplayHeight(),
  }
}

/** The library's own messages only go to the log, because they repeat bytes of the file. */
export const inspect = async (from: MediaSource, log: (cause: unknown) => void): Promise<MediaFacts | MediaFailure> => {
  let away: StorageAway | undefined
  const source = sourceOf(from, (cause) => {
    away = cause
  })
  const input = new Input({ source, formats: FORMATS })
  try {
    return await factsOf(input, from)
  } catch (cause) {
    log(cause)
    if (away !== undefined) throw away
    // The disk's failure is not the file's: its uploader could do nothing about it, and its bytes must stay.
    if (isSystemError(cause)) throw readFault(cause)
    return unreadable(
      cause instanceof UnsupportedInputFormatError
        ? "The format of the file is not one that is read here."
        : "The file is damaged, or is not media.",
    )
  } finally {
    input.dispose()
  }
}
