/** Recordings and their playlists as mediabunny reads them, and what it writes itself. */
import {
  BufferSource,
  BufferTarget,
  Conversion,
  CustomPathedSource,
  EncodedPacketSink,
  HLS,
  HLS_FORMATS,
  Input,
  type InputTrack,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny"
import { expect, test } from "vitest"
import { writeRecordingPlaylist } from "../../../src/media/broadcast/playlist.ts"
import { fixture, fragmentsOf, initOf, type Recorded, recorded, samplesOf } from "./support.ts"

const stream = fixture("ffmpeg-stream.mp4")
