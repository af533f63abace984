/** Streams of real encoders, and a store of a broadcast in memory. */
import { readFileSync } from "node:fs"
import type { Fragment } from "../../../src/media/broadcast/fmp4/fragment.ts"
import type { Init } from "../../../src/media/broadcast/fmp4/init.ts"
import { FragmentedMp4Reader, type Mp4Event } from "../../../src/media/broadcast/fmp4/reader.ts"
import type { MediaSegment, Take, TimelineEvent } from "../../../src/media/broadcast/segments.ts"
import { Timeline } from "../../../src/media/broadcast/timeline.ts"
import type { ListedSegment } from "../../../src/media/broadcast/window.ts"

export const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`fixtures/${name}`, import.meta.url)))

export const STREAMS: ReadonlyArray<string> = [
  "ffmpeg-stream.mp4",
  "ffmpeg-other-size.mp4",
  "ffmpeg-b-frames.mp4",
  "media-recorder.mp4",
  "media-recorder-again.mp4",
  "media-recorder-vp9.mp4",
  "media-recorder-av1.mp4",
  "mediabunny-browser.mp4",
]

export const FFMPEG_FILES: ReadonlyArray<string> = [0, 1, 2].map((number) => `ffmpeg-files/index${number}.m4s`)

export const readStream = (bytes: Uint8Array, init?: Init): ReadonlyArray<Mp4Event> => {
  const reader = new FragmentedMp4Reader(init)
  const events = reader.push(bytes)
  if (reader.refusal !== undefined) throw reader.refusal
  return events
}

export const initOf = (bytes: Uint8Array): Init => {
  const [first] = readStream(bytes)
  if (first?.type !== "init") throw new Error("the stream does not begin with an init")
  return first.init
}

/** Read anew each time: a timeline changes the bytes of the fragments that it takes. */
export const fragmentsOf = (bytes: Uint8Array, init?: Init): ReadonlyArray<Fragment> =>
  readStream(bytes, init).flatMap((event) => (event.type === "fragment" ? [event.fragment] : []))

export const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(pieces))

export const NOW = Date.UTC(2026, 10, 22, 12)

export const OPTIONS = { segmentMs: 1000, partMs: 500 }

/** Takes what a timeline gives, as a store does. */
export class Recorded {
  readonly timeline: Timeline
  readonly segments: ListedSegment[] = []
  readonly takes: Take[] = []
  readonly events: TimelineEvent[] = []
  readonly #files = new Map<number, Uint8Array[]>()

  constructor(timeline = new Timeline(OPTIONS)) {
    this.timeline = timeline
  }

  add(events: ReadonlyArray<TimelineEvent>): void {
    for (const event of events) {
      this.events.push(event)
      if (event.type === "take") {
        this.takes.push(event.take)
        this.#files.set(event.take.number, [event.init.bytes])
      } else if (event.type === "segment") {
        this.segments.push({ ...event.segment, parts: event.parts })
        this.#files.get(event.segment.take)?.push(...event.data)
      }
    }
  }

  /** A run of an encoder, as far as it got. */
  stream(bytes: Uint8Array, now = NOW): void {
    for (const event of readStream(bytes))
      this.add(event.type === "init" ? this.timeline.begin(event.init) : this.timeline.push(event.fragment, now))
  }

  end(): void {
    this.add(this.timeline.end())
  }

  file(take: number): Uint8Array<ArrayBuffer> {
    return joined(this.#files.get(take) ?? [])
  }

  segmentBytes({ take, offset, bytes }: ListedSegment): Uint8Array<ArrayBuffer> {
    return this.file(take).slice(offset, offset + bytes)
  }
}

/** A broadcast of whole runs. */
export const recorded = (...runs: ReadonlyArray<Uint8Array>): Recorded => {
  const recording = new Recorded()
  for (const run of runs) recording.stream(run)
  recording.end()
  return recording
}

/** Samples of a kind in a stream. */
export const samplesOf = (bytes: Uint8Array, kind: "video" | "audio"): number =>
  fragmentsOf(bytes)
    .flatMap(({ tracks }) => tracks)
    .filter(({ track }) => track.kind === kind)
    .reduce((sum, { samples }) => sum + samples, 0)

/** The samples of a stored file of one take. */
export const samplesIn = (file: Uint8Array) => ({ video: samplesOf(file, "video"), audio: samplesOf(file, "audio") })

/** Fragments of a stream, or as an encoder would have written them otherwise. */
export const played = (stream: Uint8Array, fragments: ReadonlyArray<Fragment>): Recorded => {
  const recording = new Recorded()
  recording.add(recording.timeline.begin(initOf(stream)))
  for (const fragment of fragments) recording.add(recording.timeline.push(fragment, NOW))
  recording.end()
  return recording
}

/** Take, start, duration and discontinuity of each. */
export const clockOf = (segments: ReadonlyArray<MediaSegment>): ReadonlyArray<ReadonlyArray<number | boolean>> =>
  segments.map(({ take, startMs, durationMs, isDiscontinuous }) => [take, startMs, durationMs, isDiscontinuous])

/** Boxes of a stream, in their order. */
const boxesOf = (bytes: Uint8Array): ReadonlyArray<Buffer> => {
  const all = Buffer.from(bytes)
  const boxes: Buffer[] = []
  for (let at = 0; at < all.length; at += all.readUInt32BE(at)) boxes.push(all.subarray(at, at + all.readUInt32BE(at)))
  return boxes
}

/** The same stream with so many more bytes in each fragment. */
export const padded = (bytes: Uint8Array, more: number): Buffer =>
  Buffer.concat(
    boxesOf(bytes).flatMap((box) => {
      if (box.toString("latin1", 4, 8) !== "mdat") return [box]
      const larger = Buffer.concat([box, Buffer.alloc(more)])
      larger.writeUInt32BE(larger.length, 0)
      return [larger]
    }),
  )
