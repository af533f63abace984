/**
 * One broadcast that an encoder pushes to this process: its timeline, its journal on the disk and in the database, and the latest
 * bytes in memory. A segment is listed when it is stored; a part is listed at once. What comes while the journal is busy waits in a
 * bounded queue.
 */
import { createHash } from "node:crypto"
import { newId } from "../../model/ids.ts"
import { Listeners } from "../../model/listeners.ts"
import type { Fragment } from "../broadcast/fmp4/fragment.ts"
import type { Init } from "../broadcast/fmp4/init.ts"
import { type EncoderRefusalCode, EncoderRefused } from "../broadcast/fmp4/refusal.ts"
import { writeLivePlaylist } from "../broadcast/playlist.ts"
import type { OpenSegment, PartEvent, Position, SegmentEvent, TimelineEvent } from "../broadcast/segments.ts"
import { Timeline } from "../broadcast/timeline.ts"
import { type Window, type WindowState, withSegment } from "../broadcast/window.ts"
import { LIVE_OPTIONS, PART_MS, SEGMENT_MS, WINDOW } from "./live-settings.ts"
import { SegmentMemory } from "./segment-memory.ts"

/** The part of a broadcast that outlives the process. */
export interface Journal {
  /** A file begins. */
  readonly beginTake: (take: number, init: Init) => Promise<void>
  /** Resolves when the segment is on the disk and has its row, or has a row that says that it is not stored. */
  readonly append: (event: SegmentEvent) => Promise<void>
  readonly close: () => Promise<void>
  /** Of the recording that it makes; `undefined` before the first take. */
  readonly recordingId: () => string | undefined
  /** Why nothing of what comes is stored any more, for want of room. */
  readonly whyNotStored: () => string | undefined
}

interface LiveGiven {
  readonly journal: Journal
  readonly position: Position
  readonly window: Window
  /** Of the takes so far, by number. */
  readonly inits: ReadonlyMap<number, Init>
  readonly hasEnded: boolean
  readonly isPaused: boolean
  /** Of the encoder, before this object. */
  readonly failure: EncoderFailure | undefined
  /** The longest broadcast. */
  readonly maxMs: number
  /** Called once, when the journal cannot be written: this object is not used any more. */
  readonly onBroken: (cause: unknown) => void
}

export interface Playlist {
  readonly body: Buffer
  readonly etag: string
}

export interface EncoderFailure {
  /**
   * `busy`: too many encoders push to this server. `not_stored`: the database or the disk does not take it. `replaced`: another encoder took over, or
   * the address is another now. `no_room`: what comes is shown to viewers, and not recorded.
   */
  readonly code: EncoderRefusalCode | "busy" | "not_stored" | "replaced" | "no_room"
  readonly detail: string
}

interface Queued {
  readonly event: TimelineEvent
  /** The count of calls in which bytes of an encoder came; 0 for an event that its end caused. */
  readonly call: number
  /** The segment that was open after the event. */
  readonly open: OpenSegment | undefined
}

const PAUSE_ABOVE = 16 * 1024 * 1024
const RESUME_BELOW = 4 * 1024 * 1024

const bytesOf = (event: TimelineEvent): number =>
  event.type === "take" ? 0 : event.data.reduce((sum, { byteLength }) => sum + byteLength, 0)

export const playlistOf = (state: WindowState): Playlist => {
  const text = writeLivePlaylist(state, LIVE_OPTIONS)
  return {
    body: Buffer.from(text),
    etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`,
  }
}

const kindsOf = ({ tracks }: Init): string =>
  tracks.map(({ kind }) => (kind === "video" ? "picture" : "sound")).join(" and ")

export class LiveBroadcast {
  /** Of this object: another one may have other bytes for a segment that was not stored. */
  readonly epoch = newId()
  /** The playlist has changed, the broadcast has ended or left memory, or the queue is short again. */
  readonly changes = new Listeners()
  readonly memory = new SegmentMemory(WINDOW)
  readonly #given: LiveGiven
  readonly #timeline: Timeline
  #takeInit: Init | undefined
  #window: Window
  #open: OpenSegment | undefined
  #nextSegment: number
  #endMs: number
  #hasEnded: boolean
  #queue: Queued[] = []
  #queuedBytes = 0
  #working: Promise<void> | undefined
  #isBroken = false
  #isClosed = false
  #playlist: Playlist | undefined
  #version = 0
  #lastBytesAt: number | undefined
  #lastSegmentAt: number | undefined
  #calls = 0
  #failure: { readonly why: EncoderFailure; readonly call: number } | undefined

  constructor(given: LiveGiven) {
    const { position, window, inits, hasEnded, isPaused, failure } = given
    this.#given = given
    this.#takeInit = position.take === undefined ? undefined : inits.get(position.take.number)
    this.#timeline = new Timeline({ segmentMs: SEGMENT_MS, partMs: PART_MS }, position, this.#takeInit)
    if (isPaused) this.#timeline.pause()
    this.#window = window
    this.#nextSegment = position.nextSegment
    const last = window.segments.at(-1)
    this.#endMs = last === undefined ? 0 : last.startMs + last.durationMs
    this.#hasEnded = hasEnded
    this.#failure = failure && { why: failure, call: 0 }
    for (const [take, { bytes }] of inits) this.memory.addInit(take, bytes)
  }

  get state(): WindowState {
    return { window: this.#window, open: this.#open, nextSegment: this.#nextSegment, hasEnded: this.#hasEnded }
  }

  /** Another one after each change. */
  get version(): number {
    return this.#version
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** It has left memory: what comes of the broadcast is not seen here. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get recordingId(): string | undefined {
    return this.#given.journal.recordingId()
  }

  get takes(): number {
    return this.#timeline.position.take?.number ?? 0
  }

  /** Of the last take. */
  get takeInit(): Init | undefined {
    return this.#takeInit
  }

  /** Of the whole segments. */
  get durationMs(): number {
    return this.#endMs
  }

  /** Unix milliseconds at which bytes of an encoder were taken last, also those that a pause drops. */
  get lastBytesAt(): number | undefined {
    return this.#lastBytesAt
  }

  /** Unix milliseconds at which the last segment came to this process. */
  get lastSegmentAt(): number | undefined {
    return this.#lastSegmentAt
  }

  /** Why the encoder was refused, until a segment of later bytes is taken; else why a broadcast that goes on is not recorded any more. */
  get failure(): EncoderFailure | undefined {
    return this.#failure?.why ?? (this.#hasEnded ? undefined : this.#notRecorded)
  }

  get #notRecorded(): EncoderFailure | undefined {
    const reason = this.#given.journal.whyNotStored()
    if (reason === undefined) return undefined
    return { code: "no_room", detail: `The broadcast goes on live, and is not recorded any more: ${reason}.` }
  }

  /** The encoder has to wait until there is room, which `changes` reports. */
  get isFull(): boolean {
    return this.#queuedBytes > PAUSE_ABOVE
  }

  get hasRoom(): boolean {
    return this.#queuedBytes <= RESUME_BELOW
  }

  /** A description comes: an encoder begins, or begins again. `now`: Unix milliseconds. Throws `EncoderRefused`. */
  begin(init: Init, now: number): void {
    const before = this.#takeInit
    if (before !== undefined && kindsOf(before) !== kindsOf(init)) {
      throw this.refused(
        new EncoderRefused(
          "tracks",
          `The broadcast has ${kindsOf(before)}, the encoder sends ${kindsOf(init)}: players cannot go on with it.`,
        ),
      )
    }
    this.#lastBytesAt = now
    this.#add(this.#timeline.begin(init))
  }

  /** `now`: Unix milliseconds. Throws `EncoderRefused`. */
  push(fragment: Fragment, now: number): void {
    if (this.#timeline.position.endMs > this.#given.maxMs) {
      throw this.refused(new EncoderRefused("too_long", "The broadcast has reached the longest that one may last."))
    }
    try {
      const events = this.#timeline.push(fragment, now)
      this.#lastBytesAt = now
      this.#add(events, now)
    } catch (cause) {
      throw cause instanceof EncoderRefused ? this.refused(cause) : cause
    }
  }

  /** Keeps the reason for those that look after the encoder, which does not show it. */
  refused(why: EncoderRefused): EncoderRefused {
    this.fail({ code: why.code, detail: why.message })
    return why
  }

  fail(why: EncoderFailure): void {
    this.#failure = { why, call: this.#calls }
  }

  /** `now`: Unix milliseconds. */
  endFile(now: number): void {
    this.#add(this.#timeline.endFile(), now)
  }

  /** The encoder is gone. */
  endRun(): void {
    this.#add(this.#timeline.end())
  }

  pause(): void {
    if (!this.#timeline.isPaused) this.#add(this.#timeline.pause())
  }

  resume(): void {
    if (this.#timeline.isPaused) this.#timeline.resume()
  }

  /** Ends the broadcast. Resolves when all of it is stored. */
  async end(): Promise<void> {
    this.endRun()
    await this.settled()
    this.#hasEnded = true
    this.#open = undefined
    this.#changed()
    await this.#given.journal.close()
  }

  /** Leaves the memory of this process; the broadcast goes on. */
  async close(): Promise<void> {
    this.endRun()
    await this.settled().catch(() => {})
    // Another object may go on with the same file.
    this.#isBroken = true
    this.#isClosed = true
    this.#changed()
    await this.#given.journal.close()
  }

  /** Resolves when everything that came is stored; rejects when it cannot be. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working
    if (this.#isBroken) throw new Error("the journal of the broadcast cannot be written")
  }

  get playlist(): Playlist {
    this.#playlist ??= playlistOf(this.state)
    return this.#playlist
  }

  /** `now`: of an encoder's bytes; without it the events are of its end. */
  #add(events: ReadonlyArray<TimelineEvent>, now?: number): void {
    const { open } = this.#timeline
    if (now !== undefined) this.#calls += 1
    const call = now === undefined ? 0 : this.#calls
    for (const event of events) {
      if (this.#isBroken || this.#hasEnded) return
      this.#queue.push({ event, open, call })
      this.#queuedBytes += bytesOf(event)
      if (event.type === "segment" && now !== undefined) this.#lastSegmentAt = now
    }
    if (this.#queue.length > 0) this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        await this.#store(next)
        this.#queuedBytes -= bytesOf(next.event)
        this.#changed()
      }
    } catch (cause) {
      this.#isBroken = true
      this.#queue = []
      this.#queuedBytes = 0
      this.#given.onBroken(cause)
    } finally {
      this.#working = undefined
    }
  }

  async #store({ event, open, call }: Queued): Promise<void> {
    if (event.type === "take") {
      await this.#given.journal.beginTake(event.take.number, event.init)
      this.#takeInit = event.init
      this.memory.addInit(event.take.number, event.init.bytes)
    } else if (event.type === "part") this.#partCame(event, open)
    else {
      await this.#given.journal.append(event)
      this.#segmentCame(event)
      if (this.#failure !== undefined && (this.#failure.why.code === "not_stored" || call > this.#failure.call))
        this.#failure = undefined
    }
  }

  #partCame({ segment, index, data }: PartEvent, open: OpenSegment | undefined): void {
    this.memory.addPart(segment, data)
    // The last part of a segment comes with the segment, which lists it.
    if (open?.number === segment) this.#open = { ...open, parts: open.parts.slice(0, index + 1) }
  }

  #segmentCame({ segment, parts, data }: SegmentEvent): void {
    this.memory.addSegment(segment.number, data)
    this.#window = withSegment(this.#window, { ...segment, parts }, WINDOW)
    this.#nextSegment = segment.number + 1
    this.#endMs = segment.startMs + segment.durationMs
    this.#open = undefined
  }

  #changed(): void {
    this.#playlist = undefined
    this.#version += 1
    this.changes.notify()
  }
}
