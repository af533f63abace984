/**
 * One run of an encoder on the clock of the broadcast: by how much its times are moved, and whether a fragment goes on from the one before.
 * An encoder that is restarted begins at 0 again, with the same init.
 */
import { viewOf } from "./fmp4/boxes.ts"
import type { Fragment, FragmentTrack } from "./fmp4/fragment.ts"
import type { Track } from "./fmp4/init.ts"
import { EncoderRefused } from "./fmp4/refusal.ts"

/** A gap that is no guess about a last sample's duration any more. */
const GAP_S = 0.25
const ROUNDING_S = 0.000_001
/** How far picture and sound may be apart. */
const APART_S = 10
const LONGEST_BROADCAST_S = 24 * 3600

type Kind = Track["kind"]

interface TrackClock {
  /** When the next sample is due, in seconds of the encoder. */
  readonly due: number
  /** When the last sample was. */
  readonly last: number
  readonly longestSample: number
}

const secondsOf = ({ track }: FragmentTrack, ticks: number): number => ticks / track.timescale

const startOf = (track: FragmentTrack): number => secondsOf(track, track.decodeTime)

const hasSamples = ({ samples }: FragmentTrack): boolean => samples > 0

/**
 * The last duration of a fragment is a guess of the encoder, and MediaRecorder's for sound is a third of what it becomes. Browsers take the
 * hole behind it for a jump of the clock, and then drop the pictures up to the next key frame. The usual duration is a
 * better guess.
 */
const betterLastDuration = ({ samples, duration, lastSampleDuration }: FragmentTrack): number => {
  const usual = samples > 2 ? Math.round((duration - lastSampleDuration) / (samples - 1)) : 0
  return lastSampleDuration < usual / 2 ? usual : lastSampleDuration
}

export class Run {
  readonly #offset: number
  readonly #clocks = new Map<Kind, TrackClock>()
  #end: number
  #mostTracks = 0

  /** `startMs`: where on the clock of the broadcast the earliest of the fragment's tracks begins. */
  constructor(first: Fragment, startMs: number) {
    const starts = first.tracks.filter(hasSamples).map(startOf)
    this.#offset = startMs / 1000 - Math.min(...starts)
    this.#end = startMs / 1000
  }

  /** Whether nothing was taken yet. */
  get isNew(): boolean {
    return this.#clocks.size === 0
  }

  /** The end of all its tracks, rounded up: what comes after another run must not begin before it. */
  get endMs(): number {
    return Math.ceil(this.#end * 1000 - 0.001)
  }

  /** When the next sample of a kind is due; `undefined` before its first. */
  dueMs(kind: Kind): number | undefined {
    const clock = this.#clocks.get(kind)
    return clock === undefined ? undefined : Math.round((clock.due + this.#offset) * 1000)
  }

  startMs(track: FragmentTrack): number {
    return Math.round((startOf(track) + this.#offset) * 1000)
  }

  /**
   * Whether the encoder's clock went back for any track, or forward for all. One track may pause while the other goes on. A picture with
   * few frames, as of a shared screen, is late by a frame each time, because its last duration is a guess.
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

  /** Whether a fragment has all of picture and sound that fragments had so far. */
  isWholeIn(fragment: Fragment): boolean {
    return fragment.tracks.filter(hasSamples).length >= this.#mostTracks
  }

  /** Writes the broadcast's times, and the numbers of the take's tracks, into the fragment. */
  take(fragment: Fragment, tracks: ReadonlyArray<Track>): void {
    const view = viewOf(fragment.bytes)
    const [first] = fragment.tracks.filter(hasSamples)
    if (first === undefined) return
    this.#mostTracks = Math.max(this.#mostTracks, fragment.tracks.filter(hasSamples).length)
    for (const one of fragment.tracks) {
      // An empty track says any time, and players would take the earliest of a segment's for its start.
      const start = hasSamples(one) ? startOf(one) : startOf(first)
      if (Math.abs(start - startOf(first)) > APART_S)
        throw new EncoderRefused("clock", `Picture and sound are more than ${APART_S} seconds apart.`)
      writeTime(view, one, start + this.#offset)
      view.setUint32(one.idAt, tracks.find(({ kind }) => kind === one.track.kind)?.id ?? one.track.id)
      if (hasSamples(one)) this.#advance(mended(view, one))
    }
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

const writeTime = (view: DataView, { track, timeAt, isWideTime }: FragmentTrack, seconds: number): void => {
  if (seconds > LONGEST_BROADCAST_S)
    throw new EncoderRefused("too_long", `A broadcast lasts ${LONGEST_BROADCAST_S / 3600} hours at most.`)
  const ticks = Math.max(0, Math.round(seconds * track.timescale))
  if (isWideTime) view.setBigUint64(timeAt, BigInt(ticks))
  else if (ticks <= 0xffff_ffff) view.setUint32(timeAt, ticks)
  else throw new EncoderRefused("too_long", "The encoder writes times of four bytes, which the broadcast has outgrown.")
}
