/**
 * One broadcast that an encoder pushes to this process: its timeline, its journal on the disk and in the database, and the latest bytes in
 * memory. A segment is listed when it is stored; a part is listed at once. Bytes that arrive while the journal is busy wait in a bounded
 * queue.
 */
import { createHash } from "node:crypto"
import { newId } from "../../model/ids.ts"
import { Listeners } from "../../model/listeners.ts"
import type { Fragment } from "../broadcast/fmp4/fragment.ts"
import type { Init } from "../broadcast/fmp4/init.ts"
import { type EncoderRefusalCode, EncoderRefused } from "../broadcast/fmp4/refusal.ts"
import { writeLivePlaylist } from "../broadcast/playlist.ts"
import type { BroadcastPosition, OpenSegment, PartEvent, SegmentEvent, TimelineEvent } from "../broadcast/segments.ts"
import { Timeline } from "../broadcast/timeline.ts"
import { type Window, type WindowState, withSegment } from "../broadcast/window.ts"
import { LIVE_OPTIONS, PART_MS, SEGMENT_MS, WINDOW } from "./live-settings.ts"
import { SegmentMemory } from "./segment-memory.ts"

/** Persistent part of a broadcast. */
export interface Journal {
  /** Begins a file. */
  readonly beginTake: (take: number, init: Init) => Promise<void>
  /** Resolves when the segment is on the disk and has its row, or has a row that marks it as not stored. */
  readonly append: (event: SegmentEvent) => Promise<void>
  readonly close: () => Promise<void>
  /** Id of the recording; `undefined` before the first take. */
  readonly recordingId: () => string | undefined
  /** Reason why nothing more is stored, for lack of space. */
  readonly whyNotStored: () => string | undefined
}

interface LiveGiven {
  readonly journal: Journal
  readonly position: BroadcastPosition
  readonly window: Window
  /** Inits of the takes so far, by number. */
  readonly inits: ReadonlyMap<number, Init>
  readonly hasEnded: boolean
  readonly isPaused: boolean
  /** Failure of the encoder before this object existed. */
  readonly failure: EncoderFailure | undefined
  /** Maximum length of a broadcast. */
  readonly maxMs: number
  /** Called once, when the journal cannot be written: this object is then discarded. */
  readonly onBroken: (cause: unknown) => void
}

export interface Playlist {
  readonly body: Buffer
  readonly etag: string
}

export interface EncoderFailure {
  /**
   * `busy` means that too many encoders push to this server, `not_stored` that the database or the disk failed, `replaced` that another
   * encoder took over or the address was replaced, and `no_room` that the broadcast is shown to viewers but not recorded.
   */
  readonly code: EncoderRefusalCode | "busy" | "not_stored" | "replaced" | "no_room"
  readonly detail: string
}

interface Queued {
  readonly event: TimelineEvent
  /** Number of the call that brought the encoder's bytes; 0 for an event caused by the end. */
  readonly call: number
  /** Open segment after the event. */
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
  /** Id of this object: another one may have other bytes for a segment that was not stored. */
  readonly epoch = newId()
  /** Fires when the playlist has changed, the broadcast has ended or left memory, or the queue is short again. */
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

  /** Changes with each update. */
  get version(): number {
    return this.#version
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether it has left memory: later bytes of the broadcast are not seen here. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get recordingId(): string | undefined {
    return this.#given.journal.recordingId()
  }

  get takes(): number {
    return this.#timeline.position.take?.number ?? 0
  }

  get takeInit(): Init | undefined {
    return this.#takeInit
  }

  /** Duration of the whole segments. */
  get durationMs(): number {
    return this.#endMs
  }

  /** Time in Unix milliseconds of the last accepted encoder bytes, including those dropped by a pause. */
  get lastBytesAt(): number | undefined {
    return this.#lastBytesAt
  }

  /** Time in Unix milliseconds at which this process got the last segment. */
  get lastSegmentAt(): number | undefined {
    return this.#lastSegmentAt
  }

  /**
   * Reason why the encoder was refused, until a segment of later bytes is accepted; otherwise the reason why an ongoing broadcast is no
   * longer recorded.
   */
  get failure(): EncoderFailure | undefined {
    return this.#failure?.why ?? (this.#hasEnded ? undefined : this.#notRecorded)
  }

  get #notRecorded(): EncoderFailure | undefined {
    const reason = this.#given.journal.whyNotStored()
    if (reason === undefined) return undefined
    return { code: "no_room", detail: `The broadcast goes on live, and is not recorded any more: ${reason}.` }
  }

  /** Whether the encoder must wait until the queue is shorter, which `changes` reports. */
  get isFull(): boolean {
    return this.#queuedBytes > PAUSE_ABOVE
  }

  get takesMore(): boolean {
    return this.#queuedBytes <= RESUME_BELOW
  }

  /** Called for each init segment: an encoder begins, or begins again. `now` is in Unix milliseconds. Throws `EncoderRefused`. */
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

  /** `now` is in Unix milliseconds. Throws `EncoderRefused`. */
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

  /** Keeps the reason for people who monitor the encoder, which does not show it. */
  refused(why: EncoderRefused): EncoderRefused {
    this.fail({ code: why.code, detail: why.message })
    return why
  }

  fail(why: EncoderFailure): void {
    this.#failure = { why, call: this.#calls }
  }

  /** `now` is in Unix milliseconds. */
  endFile(now: number): void {
    this.#add(this.#timeline.endFile(), now)
  }

  /** Called when the encoder has left. */
  endRun(): void {
    this.#add(this.#timeline.end())
  }

  pause(): void {
    if (!this.#timeline.isPaused) this.#add(this.#timeline.pause())
  }

  resume(): void {
    if (this.#timeline.isPaused) this.#timeline.resume()
  }

  /** Ends the broadcast. Resolves when everything is stored. */
  async end(): Promise<void> {
    this.endRun()
    await this.settled()
    this.#hasEnded = true
    this.#open = undefined
    this.#changed()
    await this.#given.journal.close()
  }

  /** Removes it from this process's memory; the broadcast continues. */
  async close(): Promise<void> {
    this.endRun()
    await this.settled().catch(() => {})
    // Another object may continue the same file.
    this.#isBroken = true
    this.#isClosed = true
    this.#changed()
    await this.#given.journal.close()
  }

  /** Resolves when everything received is stored; rejects when it cannot be. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working
    if (this.#isBroken) throw new Error("the journal of the broadcast cannot be written")
  }

  get playlist(): Playlist {
    this.#playlist ??= playlistOf(this.state)
    return this.#playlist
  }

  /** `now` is the time of an encoder's bytes; without it the events belong to its end. */
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
    // The last part of a segment is listed by the segment itself.
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
