/**
 * One run of an encoder on the broadcast's clock: the offset of its times, and whether a fragment continues the previous one. A restarted
 * encoder begins at 0 again, with the same init.
 */
import { viewOf } from "./fmp4/boxes.ts"
import type { Fragment, FragmentTrack } from "./fmp4/fragment.ts"
import type { Track } from "./fmp4/init.ts"
import { EncoderRefused } from "./fmp4/refusal.ts"

/** A larger gap cannot be a wrong guess about a last sample's duration. */
const GAP_S = 0.25
const ROUNDING_S = 0.000_001
/** Maximum distance between picture and sound. */
const APART_S = 10
const LONGEST_BROADCAST_S = 24 * 3600

type Kind = Track["kind"]

interface TrackClock {
  /** Due time of the next sample, in seconds of the encoder. */
  readonly due: number
  /** Time of the last sample. */
  readonly last: number
  readonly longestSample: number
}

const secondsOf = ({ track }: FragmentTrack, ticks: number): number => ticks / track.timescale

const startOf = (track: FragmentTrack): number => secondsOf(track, track.decodeTime)

const ticksOf = ({ track }: FragmentTrack, seconds: number): number =>
  Math.max(0, Math.round(seconds * track.timescale))

const hasSamples = ({ samples }: FragmentTrack): boolean => samples > 0

/**
 * The last duration of a fragment is the encoder's guess, and MediaRecorder's guess for sound is a third of the real one. Browsers take the
 * following hole for a jump of the clock, and then drop the pictures up to the next key frame. The usual duration is a better guess.
 */
const betterLastDuration = ({ samples, duration, lastSampleDuration }: FragmentTrack): number => {
  const usual = samples > 2 ? Math.round((duration - lastSampleDuration) / (samples - 1)) : 0
  return lastSampleDuration < usual / 2 ? usual : lastSampleDuration
}

export class EncoderRun {
  readonly #offset: number
  readonly #clocks = new Map<Kind, TrackClock>()
  #end: number
  #mostTracks = 0

  /** `startMs` is the position on the broadcast's clock of the earliest of the fragment's tracks. */
  constructor(first: Fragment, startMs: number) {
    const starts = first.tracks.filter(hasSamples).map(startOf)
    this.#offset = startMs / 1000 - Math.min(...starts)
    this.#end = startMs / 1000
  }

  /** Whether nothing was added yet. */
  get isNew(): boolean {
    return this.#clocks.size === 0
  }

  /** End of all tracks, rounded up: the next run must not begin before it. */
  get endMs(): number {
    return Math.ceil(this.#end * 1000 - 0.001)
  }

  /** Due time of the next sample of a kind; `undefined` before its first. */
  dueMs(kind: Kind): number | undefined {
    const clock = this.#clocks.get(kind)
    return clock === undefined ? undefined : Math.round((clock.due + this.#offset) * 1000)
  }

  startMs(track: FragmentTrack): number {
    return Math.round((startOf(track) + this.#offset) * 1000)
  }

  /**
   * Whether the encoder's clock went back for any track, or forward for all: one track may pause while the other continues. A picture with
   * few frames, such as a shared screen, is late by a frame each time, because the last duration before it is a guess.
   */
  isBrokenBy(fragment: Fragment): boolean {
    const known = fragment.tracks.filter(hasSamples).flatMap((track) => {
      const clock = this.#clocks.get(track.track.kind)
      return clock === undefined ? [] : [{ start: startOf(track), clock }]
    })
    if (known.some(({ start, clock }) => start < clock.last - ROUNDING_S)) return true
    return (
      known.length > 0 &&
      known.every(({ start, clock }) => start - clock.due > Math.max(GAP_S, 2 * clock.longestSample))
    )
  }

  /** Whether a fragment has samples of as many tracks as any before it. */
  isWholeIn(fragment: Fragment): boolean {
    return fragment.tracks.filter(hasSamples).length >= this.#mostTracks
  }

  /** Throws `EncoderRefused` for a fragment that cannot be added; nothing has changed then. */
  check(fragment: Fragment): void {
    const [first] = fragment.tracks.filter(hasSamples)
    for (const one of fragment.tracks) {
      if (first !== undefined && hasSamples(one) && Math.abs(startOf(one) - startOf(first)) > APART_S)
        throw new EncoderRefused("clock", `Picture and sound are more than ${APART_S} seconds apart.`)
      const seconds = this.#startIn(fragment, one) + this.#offset
      if (seconds > LONGEST_BROADCAST_S)
        throw new EncoderRefused("too_long", `A broadcast lasts ${LONGEST_BROADCAST_S / 3600} hours at most.`)
      if (!one.isWideTime && ticksOf(one, seconds) > 0xffff_ffff)
        throw new EncoderRefused(
          "too_long",
          "The encoder writes times of four bytes, which the broadcast has outgrown.",
        )
    }
  }

  /** Writes the broadcast's times, and the track numbers of the take, into a checked fragment. */
  take(fragment: Fragment, tracks: ReadonlyArray<Track>): void {
    const view = viewOf(fragment.bytes)
    this.#mostTracks = Math.max(this.#mostTracks, fragment.tracks.filter(hasSamples).length)
    for (const one of fragment.tracks) {
      const ticks = ticksOf(one, this.#startIn(fragment, one) + this.#offset)
      if (one.isWideTime) view.setBigUint64(one.timeAt, BigInt(ticks))
      else view.setUint32(one.timeAt, ticks)
      view.setUint32(one.idAt, tracks.find(({ kind }) => kind === one.track.kind)?.id ?? one.track.id)
      if (hasSamples(one)) this.#advance(mended(view, one))
    }
  }

  /**
   * An empty track may have any time, and players would take the earliest time of a segment for its start, so it gets the other track's
   * time.
   */
  #startIn(fragment: Fragment, one: FragmentTrack): number {
    return startOf(hasSamples(one) ? one : (fragment.tracks.find(hasSamples) ?? one))
  }

  #advance(one: FragmentTrack): void {
    const due = secondsOf(one, one.decodeTime + one.duration)
    this.#clocks.set(one.track.kind, {
      due,
      last: due - secondsOf(one, one.lastSampleDuration),
      longestSample: secondsOf(one, one.longestSampleDuration),
    })
    this.#end = Math.max(this.#end, due + this.#offset)
  }
}

const mended = (view: DataView, one: FragmentTrack): FragmentTrack => {
  const last = betterLastDuration(one)
  if (one.lastDurationAt === undefined || last === one.lastSampleDuration) return one
  view.setUint32(one.lastDurationAt, last)
  return { ...one, duration: one.duration - one.lastSampleDuration + last, lastSampleDuration: last }
}
