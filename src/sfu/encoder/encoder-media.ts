/** Sound and picture of an encoder, from packets to fragmented MP4 as broadcasts take it. */
import { Malformed, uint } from "../bytes.ts"
import { type Picture, PictureReader } from "../rtp/h264.ts"
import { CLOCK_RATES, type MediaKind, type RtpPacket } from "../rtp/packet.ts"
import type { SenderTime } from "../rtp/rtcp.ts"
import { initOf, type ParameterSets } from "./boxes.ts"
import { Fragmenter } from "./fragmenter.ts"
import { Reordering } from "./reordering.ts"
import { SourceClock } from "./source-clock.ts"

/** A description with which a stream begins, or a fragment of it. */
export interface MediaPiece {
  readonly isInit: boolean
  readonly bytes: Buffer
}

interface MediaEvents {
  readonly onPiece: (piece: MediaPiece) => void
}

/** Packets of one source. */
interface Source {
  readonly ssrc: number
  readonly order: Reordering
  readonly clock: SourceClock
  readonly reader: PictureReader
}

/** Lost pictures are sent again upon request, lost sound is not. */
const HOLD_MS = { video: 400, audio: 60 } as const
/** Pictures without a key frame before one is asked for: a segment of the playlist ends with it. */
const KEY_FRAME_EVERY_MS = 1900
/** A picture that is farther from its sound than that moves with a jump. */
const FAR_S = 0.3
/** Keeps times above zero where a source is moved back. */
const BEGIN_S = 10
const MOST_SETS = 16
const MOST_SET_BYTES = 16_384

const isSame = (a: ReadonlyArray<Buffer>, b: ReadonlyArray<Buffer>): boolean =>
  a.length === b.length && a.every((one, at) => b[at]?.equals(one))

export class EncoderMedia {
  readonly #sources = new Map<MediaKind, Source>()
  readonly #kinds: ReadonlySet<MediaKind>
  readonly #events: MediaEvents
  readonly #startedAt: number
  readonly #fragmenter: Fragmenter
  #sets: ParameterSets | undefined
  /** Whether the description of what comes was sent. */
  #hasBegun = false
  #awaitsKeyFrame = true
  #keyFrameAt: number
  #pieceAt: number

  /** `kinds` were agreed on; `now` in milliseconds. */
  constructor(kinds: ReadonlySet<MediaKind>, now: number, events: MediaEvents) {
    this.#kinds = kinds
    this.#events = events
    this.#startedAt = now
    this.#keyFrameAt = now
    this.#pieceAt = now
    this.#fragmenter = new Fragmenter(kinds.has("video"), (bytes) => events.onPiece({ isInit: false, bytes }))
  }

  /** Whether a key frame is to be asked for. */
  wantsKeyFrame(now: number): boolean {
    return this.#awaitsKeyFrame || now - this.#keyFrameAt > KEY_FRAME_EVERY_MS
  }

  /** Milliseconds without anything for the broadcast. */
  silentFor(now: number): number {
    return now - this.#pieceAt
  }

  /** `number` is that of the packet in full, `report` the sender's time from its latest report. */
  add(kind: MediaKind, packet: RtpPacket, number: number, report: SenderTime | undefined, now: number): void {
    const source = this.#sourceOf(kind, packet.ssrc)
    source.clock.report(report)
    source.order.add(packet, number, now)
    this.#drain(kind, source, now)
  }

  /** Gives up packets that did not come in time. */
  tick(now: number): void {
    for (const [kind, source] of this.#sources) this.#drain(kind, source, now)
  }

  /** Gives what waits for the rest of its fragment. */
  end(): void {
    this.#endRun()
  }

  #sourceOf(kind: MediaKind, ssrc: number): Source {
    const known = this.#sources.get(kind)
    if (known?.ssrc === ssrc) return known
    if (known !== undefined) this.#beginAnew()
    return this.#renewed(kind, ssrc, new Reordering(HOLD_MS[kind]))
  }

  #renewed(kind: MediaKind, ssrc: number, order: Reordering): Source {
    const source = { ssrc, order, clock: new SourceClock(CLOCK_RATES[kind]), reader: new PictureReader() }
    this.#sources.set(kind, source)
    return source
  }

  /** The times of a source have no relation to those before. */
  #beginAnew(): void {
    this.#endRun()
    this.#awaitsKeyFrame = true
    for (const [kind, { ssrc, order }] of this.#sources) this.#renewed(kind, ssrc, order)
  }

  #drain(kind: MediaKind, source: Source, now: number): void {
    for (const packet of source.order.take(now)) {
      if (packet === "lost") this.#lose(kind)
      else {
        if (this.#sources.get(kind)?.clock.isJump(packet.timestamp) === true) this.#beginAnew()
        this.#take(kind, packet, now)
      }
    }
  }

  #lose(kind: MediaKind): void {
    if (kind === "audio") return
    this.#sources.get(kind)?.reader.lose()
    this.#awaitsKeyFrame = true
  }

  #take(kind: MediaKind, packet: RtpPacket, now: number): void {
    const source = this.#sources.get(kind)
    if (source === undefined) return
    const at = (now - this.#startedAt) / 1000 + BEGIN_S
    if (kind === "audio") this.#takeSound(packet, Math.round(source.clock.hear(packet.timestamp, at)), now)
    else for (const picture of source.reader.add(packet)) this.#takePicture(picture, source.clock, at, now)
  }

  #takeSound({ payload }: RtpPacket, time: number, now: number): void {
    if (payload.length === 0) return
    if (!this.#hasBegun && this.#kinds.has("video")) return
    this.#begin(now)
    if (this.#fragmenter.add("audio", time, [payload], true)) this.#pieceAt = now
  }

  #takePicture(picture: Picture | "torn", clock: SourceClock, at: number, now: number): void {
    if (picture === "torn") {
      this.#awaitsKeyFrame = true
      return
    }
    this.#tellTime(picture, clock, at)
    if (this.#keepSets(picture)) this.#endRun()
    const { units, isKeyFrame } = picture
    if (units.length === 0 || this.#sets === undefined) return
    if (isKeyFrame) this.#keyFrameAt = now
    // A description comes before a key frame alone.
    else if (this.#awaitsKeyFrame || !this.#hasBegun) return
    this.#begin(now)
    const data = units.flatMap((unit) => [uint(unit.length, 4), unit])
    const isTaken = this.#hasBegun && this.#fragmenter.add("video", Math.round(clock.time), data, isKeyFrame)
    // Pictures that refer to one that was not taken are not shown either.
    this.#awaitsKeyFrame = !isTaken
    if (isTaken) this.#pieceAt = now
  }

  /** Another description follows. */
  #endRun(): void {
    this.#fragmenter.end()
    this.#hasBegun = false
  }

  /** Brings the picture to the time of the sound: at once where nothing was shown, or where it is far away, and slowly otherwise. */
  #tellTime({ timestamp, isKeyFrame }: Picture, clock: SourceClock, at: number): void {
    const before = clock.own
    clock.hear(timestamp, at)
    const sound = this.#sources.get("audio")?.clock
    if (sound === undefined) return
    if (isKeyFrame && Math.abs(clock.missingTo(sound)) > FAR_S) this.#endRun()
    clock.approach(sound, this.#hasBegun ? (clock.own ?? 0) - (before ?? 0) : "at once")
  }

  /** Keeps the parameter sets of a picture; returns whether they differ from those before. */
  #keepSets({ sequenceSets, pictureSets }: Picture): boolean {
    const next = {
      sequence: sequenceSets.length === 0 ? (this.#sets?.sequence ?? []) : sequenceSets,
      picture: pictureSets.length === 0 ? (this.#sets?.picture ?? []) : pictureSets,
    }
    const all = [...next.sequence, ...next.picture]
    const bytes = all.reduce((sum, { length }) => sum + length, 0)
    if (next.sequence.length === 0 || next.picture.length === 0 || all.length > MOST_SETS || bytes > MOST_SET_BYTES)
      return false
    if (
      this.#sets !== undefined &&
      isSame(this.#sets.sequence, next.sequence) &&
      isSame(this.#sets.picture, next.picture)
    )
      return false
    this.#sets = next
    return true
  }

  #begin(now: number): void {
    if (this.#hasBegun) return
    try {
      const bytes = initOf(this.#kinds.has("video") ? this.#sets : undefined, this.#kinds.has("audio"))
      this.#hasBegun = true
      this.#pieceAt = now
      this.#events.onPiece({ isInit: true, bytes })
    } catch (cause) {
      if (!(cause instanceof Malformed)) throw cause
    }
  }
}
