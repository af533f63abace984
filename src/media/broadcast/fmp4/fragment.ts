/** One `moof` with its `mdat`: times, counts and key frames of its tracks, and the offsets of their times. */
import { byCodeUnits } from "../../../model/text/compared.ts"
import { atMostOne, type Box, boxesIn, childrenOf, damaged, exactlyOne, Fields, viewOf } from "./boxes.ts"
import type { Init, SampleDefaults, Track } from "./init.ts"
import { LONGEST_FRAGMENT_S, MOST_SAMPLES } from "./limits.ts"
import { EncoderRefused } from "./refusal.ts"

/** One track of a fragment, with times in ticks of the track. */
export interface FragmentTrack {
  readonly track: Track
  readonly decodeTime: number
  /** Total duration of its samples. It may fall short of the next fragment's time, because the last sample's duration is a guess. */
  readonly duration: number
  readonly lastSampleDuration: number
  readonly longestSampleDuration: number
  /** Offset in `bytes` of the last sample's duration; `undefined` where all samples have the same. */
  readonly lastDurationAt: number | undefined
  readonly samples: number
  readonly startsWithSync: boolean
  /** Offset in `bytes` of the track's number. */
  readonly idAt: number
  /** Offset in `bytes` of the decode time, and whether it has eight bytes instead of four. */
  readonly timeAt: number
  readonly isWideTime: boolean
}

export interface Fragment {
  /** Bytes of `moof` and `mdat`, in which the timeline overwrites times. */
  readonly bytes: Uint8Array
  /** Tracks, video first. A track without samples may have any time: MediaRecorder ends with an empty sound track at 0. */
  readonly tracks: ReadonlyArray<FragmentTrack>
}

interface Header {
  readonly track: Track
  readonly idAt: number
  readonly defaults: SampleDefaults
}

const headerOf = (view: DataView, tfhd: Box, init: Init): Header => {
  const fields = new Fields(view, tfhd)
  const flags = fields.skip(1).u24()
  const idAt = fields.at
  const trackId = fields.u32()
  const track = init.tracks.find(({ id }) => id === trackId)
  if (track === undefined)
    throw new EncoderRefused("tracks", "A fragment has a track that the stream did not announce.")
  // Offsets must count from the `moof`: not from an explicit position (0x01), nor from the previous track's end.
  if ((flags & 0x01) !== 0 || (flags & 0x2_0000) === 0)
    throw new EncoderRefused(
      "not_fmp4",
      "Fragments name positions in the whole stream, so they cannot be cut: add default_base_moof (ffmpeg: -movflags).",
    )
  if ((flags & 0x02) !== 0 && fields.u32() !== 1) throw damaged("a fragment refers to a description that is not there")
  const duration = (flags & 0x08) !== 0 ? fields.u32() : track.defaults.duration
  const size = (flags & 0x10) !== 0 ? fields.u32() : track.defaults.size
  const sampleFlags = (flags & 0x20) !== 0 ? fields.u32() : track.defaults.flags
  return { track, idAt, defaults: { duration, size, flags: sampleFlags } }
}

const NOT_SYNC = 0x1_0000

/** Sums up the runs of one track. */
class Runs {
  readonly #defaults: SampleDefaults
  samples = 0
  duration = 0
  lastDuration = 0
  longestDuration = 0
  lastDurationAt: number | undefined
  startsWithSync = false

  constructor(defaults: SampleDefaults) {
    this.#defaults = defaults
  }

  /** Adds a run. `from` is where its bytes begin unless it has an offset; the result has their end. */
  add(view: DataView, trun: Box, from: number): { readonly start: number; readonly end: number } {
    const fields = new Fields(view, trun)
    const flags = fields.skip(1).u24()
    const count = fields.u32()
    const start = (flags & 0x01) !== 0 ? fields.i32() : from
    const firstFlags = (flags & 0x04) !== 0 ? fields.u32() : undefined
    if (count > MOST_SAMPLES - this.samples)
      throw new EncoderRefused("too_large", `A fragment has more than ${MOST_SAMPLES} samples of a track.`)
    if (count === 0) return { start, end: start }
    const each = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4
    if (each * count > fields.left) throw damaged("a run is shorter than its samples")
    if (this.samples === 0) this.startsWithSync = this.#isSync(view, fields.at, flags, firstFlags)
    this.samples += count
    this.#addDurations(view, fields.at, count, each, (flags & 0x100) !== 0)
    return { start, end: start + this.#sizeOf(view, fields.at, count, each, flags) }
  }

  #isSync(view: DataView, at: number, flags: number, firstFlags: number | undefined): boolean {
    const own = (flags & 0x400) !== 0 ? view.getUint32(at + ((flags & 0x100) >> 6) + ((flags & 0x200) >> 7)) : undefined
    return ((firstFlags ?? own ?? this.#defaults.flags) & NOT_SYNC) === 0
  }

  #addDurations(view: DataView, at: number, count: number, each: number, hasOwn: boolean): void {
    if (!hasOwn) {
      this.lastDuration = this.#defaults.duration
      this.lastDurationAt = undefined
      this.longestDuration = Math.max(this.longestDuration, this.lastDuration)
      this.duration += count * this.lastDuration
      return
    }
    for (let index = 0; index < count; index++) {
      this.lastDuration = view.getUint32(at + index * each)
      this.longestDuration = Math.max(this.longestDuration, this.lastDuration)
      this.duration += this.lastDuration
    }
    this.lastDurationAt = at + (count - 1) * each
  }

  #sizeOf(view: DataView, at: number, count: number, each: number, flags: number): number {
    if ((flags & 0x200) === 0) return count * this.#defaults.size
    let size = 0
    const first = at + ((flags & 0x100) >> 6)
    for (let index = 0; index < count; index++) size += view.getUint32(first + index * each)
    return size
  }
}

const readTrack = (view: DataView, traf: Box, init: Init, mediaStart: number): FragmentTrack | undefined => {
  const boxes = childrenOf(view, traf)
  const { track, idAt, defaults } = headerOf(view, exactlyOne(boxes, "tfhd"), init)
  const runs = new Runs(defaults)
  let from = 0
  for (const trun of boxes) {
    if (trun.type !== "trun") continue
    const { start, end } = runs.add(view, trun, from)
    if (end > start && (start < mediaStart || end > view.byteLength))
      throw damaged("samples lie outside of their fragment")
    from = end
  }
  if (runs.duration > LONGEST_FRAGMENT_S * track.timescale)
    throw new EncoderRefused(
      "too_long",
      `A fragment is longer than ${LONGEST_FRAGMENT_S} seconds: set a key frame every second or two.`,
    )
  const tfdt = atMostOne(boxes, "tfdt")
  if (tfdt === undefined && runs.samples === 0) return undefined
  if (tfdt === undefined) throw new EncoderRefused("not_fmp4", "Fragments have no times (tfdt).")
  const fields = new Fields(view, tfdt)
  const isWideTime = fields.u8() === 1
  const timeAt = fields.skip(3).at
  return {
    track,
    decodeTime: isWideTime ? fields.u64() : fields.u32(),
    duration: runs.duration,
    lastSampleDuration: runs.lastDuration,
    longestSampleDuration: runs.longestDuration,
    lastDurationAt: runs.lastDurationAt,
    samples: runs.samples,
    startsWithSync: runs.startsWithSync,
    idAt,
    timeAt,
    isWideTime,
  }
}

/** `bytes` holds exactly one `moof` and one `mdat`. Throws `EncoderRefused`. */
export const readFragment = (bytes: Uint8Array, init: Init): Fragment => {
  const view = viewOf(bytes)
  const [moof, mdat] = boxesIn(view, 0, bytes.length)
  if (moof?.type !== "moof" || mdat?.type !== "mdat") throw damaged("a fragment is not a moof with its mdat")
  const trafs = childrenOf(view, moof).filter(({ type }) => type === "traf")
  if (trafs.length === 0 || trafs.length > init.tracks.length)
    throw new EncoderRefused("tracks", "A fragment has no tracks, or more than the stream announced.")
  const tracks = trafs
    .map((traf) => readTrack(view, traf, init, mdat.body))
    .filter((track) => track !== undefined)
    .toSorted((a, b) => byCodeUnits(b.track.kind, a.track.kind))
  if (tracks[0]?.track === tracks[1]?.track) throw damaged("a fragment has a track twice")
  return { bytes, tracks }
}
