/** Container formats of clips. */
import {
  ADTS,
  AdtsOutputFormat,
  FLAC,
  FlacOutputFormat,
  type InputFormat,
  MATROSKA,
  MkvOutputFormat,
  MovOutputFormat,
  MP3,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OGG,
  OggOutputFormat,
  type OutputFormat,
  WAVE,
  WavOutputFormat,
  WEBM,
  WebMOutputFormat,
} from "mediabunny"

/** `isIndexedFirst` puts the index before the media, so that players begin at once; it needs the whole clip in memory. */
const mp4 = (isIndexedFirst: boolean): OutputFormat =>
  new Mp4OutputFormat({ fastStart: isIndexedFirst ? "in-memory" : false })

/** Keeps the container, or replaces one that is harder to play by MP4. */
const usualFor = (format: InputFormat, isIndexedFirst: boolean): OutputFormat => {
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
      return mp4(isIndexedFirst)
  }
}

/** Containers, best first; the others are for codecs that the first cannot hold. */
export const containersFor = (format: InputFormat, isIndexedFirst: boolean): ReadonlyArray<OutputFormat> => [
  usualFor(format, isIndexedFirst),
  mp4(isIndexedFirst),
  new MkvOutputFormat(),
  new MovOutputFormat({ fastStart: isIndexedFirst ? "in-memory" : false }),
]
