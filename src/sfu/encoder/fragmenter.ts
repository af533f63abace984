/**
 * Cuts pictures and sounds into fragments of MP4. The duration of a sample is the time until the next one, so that the latest sample of each
 * track waits for its successor.
 */
import { fragmentOf, type TrackRun } from "./boxes.ts"

type Kind = TrackRun["kind"]

interface TimedSample {
  readonly data: ReadonlyArray<Buffer>
  readonly time: number
  readonly isKeyFrame: boolean
}

/** Length of a fragment, in seconds: half a part of the playlist. */
const FRAGMENT_S = 0.25
/** Sound waits so long for its picture, which may come later, and goes on without it. */
const SOUND_ALONE_S = 2.5
/** Bytes that a fragment may have; the picture is cut there even if its time is not over. */
const FRAGMENT_BYTES = 1024 * 1024
/** The longest duration of a sample: a screen may change seldom. */
const LONGEST_S = 5
const RATES = { video: 90_000, audio: 48_000 } as const

const bytesOf = (data: ReadonlyArray<Buffer>): number => data.reduce((sum, { length }) => sum + length, 0)

class Waiting {
  readonly kind: Kind
  readonly #run: Array<TrackRun["samples"][number]> = []
  #from = 0
  #latest: TimedSample | undefined
  #duration = 0
  #bytes = 0

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** Length of the samples whose duration is known, in seconds. */
  get seconds(): number {
    return this.#duration / RATES[this.kind]
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Time of the latest sample, in ticks. */
  get time(): number | undefined {
    return this.#latest?.time
  }

  add(sample: TimedSample): void {
    const before = this.#latest
    this.#latest = sample
    if (before === undefined) return
    if (this.#run.length === 0) this.#from = before.time
    const duration = Math.max(1, Math.min(sample.time - before.time, LONGEST_S * RATES[this.kind]))
    const bytes = bytesOf(before.data)
    this.#run.push({ data: before.data, bytes, duration, isKeyFrame: before.isKeyFrame })
    this.#duration += duration
    this.#bytes += bytes
  }

  /** End of the samples whose duration is known, in seconds; `undefined` without any. */
  get end(): number | undefined {
    return this.#run.length === 0 ? undefined : (this.#from + this.#duration) / RATES[this.kind]
  }

  /** The samples that begin before the time in seconds. */
  take(until = Number.POSITIVE_INFINITY): TrackRun | undefined {
    const [time, most] = [this.#from, until * RATES[this.kind]]
    let count = 0
    while (count < this.#run.length && this.#from < most) {
      const { duration = 0, bytes = 0 } = this.#run[count] ?? {}
      this.#from += duration
      this.#duration -= duration
      this.#bytes -= bytes
      count += 1
    }
    return count === 0 ? undefined : { kind: this.kind, time, samples: this.#run.splice(0, count) }
  }
}

export class Fragmenter {
  readonly #onFragment: (bytes: Buffer) => void
  readonly #hasPicture: boolean
  #tracks = { video: new Waiting("video"), audio: new Waiting("audio") }
  #number = 0

  constructor(hasPicture: boolean, onFragment: (bytes: Buffer) => void) {
    this.#hasPicture = hasPicture
    this.#onFragment = onFragment
  }

  /** `time` in ticks of the track. A sample that is before all time, or not after the one before, is dropped; returns whether it was taken. */
  add(kind: Kind, time: number, data: ReadonlyArray<Buffer>, isKeyFrame: boolean): boolean {
    const { video, audio } = this.#tracks
    const track = this.#tracks[kind]
    if (time < 0 || (track.time !== undefined && time <= track.time)) return false
    track.add({ data, time, isKeyFrame })
    const startsSegment = kind === "video" && isKeyFrame
    const isLarge = video.bytes + audio.bytes >= FRAGMENT_BYTES
    if (isLarge || audio.seconds >= (this.#hasPicture ? SOUND_ALONE_S : FRAGMENT_S)) this.#cut(Number.POSITIVE_INFINITY)
    else if (startsSegment || video.seconds >= FRAGMENT_S) this.#cut()
    return true
  }

  /** Another description follows: what waits belongs to the one before. The latest samples have no duration and are lost. */
  end(): void {
    this.#cut(Number.POSITIVE_INFINITY)
    this.#tracks = { video: new Waiting("video"), audio: new Waiting("audio") }
  }

  /** Sound goes with the picture of its time. */
  #cut(until = this.#tracks.video.end): void {
    const { video, audio } = this.#tracks
    const runs = [video.take(), audio.take(until)].filter((run) => run !== undefined)
    if (runs.length > 0) this.#onFragment(fragmentOf(++this.#number, runs))
  }
}
