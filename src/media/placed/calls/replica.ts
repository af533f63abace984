/**
 * The copy of a broadcast at a node that does not own it, for its viewers there. It follows the owner: each answer has the new state and
 * the bytes of the new parts, which are joined into segments here. The owner thus sends each byte to a node once, however many viewers it
 * has.
 */
import type { Cancel, Timers } from "../../../clock/timers.ts"
import { NotFound, Unavailable } from "../../../model/errors.ts"
import type { Visibility } from "../../../model/event.ts"
import { Listeners } from "../../../model/listeners.ts"
import type { WindowState } from "../../broadcast/window.ts"
import { type Playlist, playlistOf } from "../../live/live-broadcast.ts"
import { WINDOW } from "../../live/live-settings.ts"
import { SegmentMemory } from "../../live/segment-memory.ts"
import type { WatchedBroadcast } from "../watched-broadcast.ts"
import { type FollowAnswer, type FollowRequest, type OwnerAnswer, toBytes } from "./protocol.ts"
import { causeOf, noAnswer } from "./refusals.ts"

/** Retry interval after a failed answer of the owner. */
const AGAIN_MS = 200
/** Time for which viewers get the last state of an owner that does not answer. */
const LOST_AFTER_MS = 30_000
/** Time without a viewer after which it leaves memory. */
const IDLE_MS = 60_000

const NOTHING: WindowState = {
  window: { segments: [], discontinuities: 0 },
  open: undefined,
  nextSegment: 0,
  hasEnded: false,
}

interface ReplicaGiven {
  readonly broadcastId: string
  readonly timers: Timers
  readonly ask: (request: FollowRequest) => Promise<OwnerAnswer>
  /** Called when it is discarded. */
  readonly onClosed: () => void
}

export class Replica implements WatchedBroadcast {
  readonly live: LiveCopy
  readonly #given: ReplicaGiven
  #visibility: Visibility = "private"
  #lastUsedAt: number
  #heardAt: number
  #stopTimer: Cancel | undefined

  constructor(given: ReplicaGiven) {
    this.#given = given
    this.live = new LiveCopy()
    this.#lastUsedAt = given.timers.elapsed()
    this.#heardAt = this.#lastUsedAt
  }

  get visibility(): Visibility {
    return this.#visibility
  }

  use(): this {
    this.#lastUsedAt = this.#given.timers.elapsed()
    return this
  }

  close(): void {
    if (this.live.isClosed) return
    this.#stopTimer?.()
    this.#given.onClosed()
    this.live.close()
  }

  /** Resolves when it has a first state, and keeps following. Rejects with `NotFound` or `Unavailable`. */
  async begin(): Promise<void> {
    try {
      while (!this.live.isWhole) this.#apply(await this.#given.ask(this.#request))
    } catch (cause) {
      this.close()
      throw cause instanceof NotFound || cause instanceof Unavailable ? cause : noAnswer
    }
    void this.#follow()
  }

  get #request(): FollowRequest {
    return { type: "follow", broadcastId: this.#given.broadcastId, ...this.live.known }
  }

  async #follow(): Promise<void> {
    const { timers } = this.#given
    while (!this.live.isClosed && !this.live.hasEnded) {
      if (timers.elapsed() - this.#lastUsedAt > IDLE_MS) break
      try {
        this.#apply(await this.#given.ask(this.#request))
      } catch (cause) {
        if (cause instanceof NotFound || timers.elapsed() - this.#heardAt > LOST_AFTER_MS) break
        await new Promise<void>((resolve) => {
          this.#stopTimer = timers.after(AGAIN_MS, resolve)
        })
      }
    }
    // An ended broadcast stays for a moment, so that its viewers learn of the end.
    if (!this.live.hasEnded) this.close()
    else if (!this.live.isClosed) this.#stopTimer = timers.after(IDLE_MS, () => this.close())
  }

  #apply(answer: OwnerAnswer): void {
    if (answer.type === "refused") throw causeOf(answer)
    if (answer.type !== "followed") throw noAnswer
    this.#heardAt = this.#given.timers.elapsed()
    this.#visibility = answer.visibility
    this.live.apply(answer)
  }
}

/** State and bytes of a followed broadcast. */
class LiveCopy {
  readonly changes = new Listeners()
  memory = new SegmentMemory(WINDOW)
  state = NOTHING
  recordingId: string | undefined
  isClosed = false
  /** Whether a state has arrived with all of its bytes. */
  isWhole = false
  #playlist: Playlist | undefined
  #epoch: string | null = null
  #version = 0
  #segment = 0
  #part = 0
  /** Bytes received so far of the next part. */
  #stretches: Buffer[] = []

  get hasEnded(): boolean {
    return this.state.hasEnded
  }

  get playlist(): Playlist {
    this.#playlist ??= playlistOf(this.state)
    return this.#playlist
  }

  /** Position from which the owner continues. Without a whole state the version is one that the owner answers at once. */
  get known(): Omit<FollowRequest, "type" | "broadcastId"> {
    return {
      epoch: this.#epoch,
      version: this.#version,
      segment: this.#segment,
      part: this.#part,
      partBytes: this.#stretches.reduce((sum, { byteLength }) => sum + byteLength, 0),
      take: this.memory.lastTake,
    }
  }

  close(): void {
    this.isClosed = true
    this.changes.notify()
  }

  apply({ epoch, version, recordingId, state, init, parts }: FollowAnswer): void {
    const isNews = epoch !== this.#epoch || version !== this.#version
    if (epoch !== this.#epoch) this.#beginAnew(epoch)
    this.recordingId = recordingId ?? undefined
    if (init !== null) this.memory.addInit(init.take, toBytes(init.bytes))
    for (const part of parts) this.#take(part)
    this.#version = state === null ? -1 : version
    if (state === null || !isNews) return
    this.#become({ ...state, open: state.open ?? undefined })
  }

  #take({ segment, index, bytes, isWhole }: FollowAnswer["parts"][number]): void {
    // The owner may continue at a later position than the requested one.
    if (segment !== this.#segment || index !== this.#part) this.#stretches = []
    this.#stretches.push(toBytes(bytes))
    this.#segment = segment
    this.#part = index
    if (!isWhole) return
    if (index === this.memory.partsOf(segment).length) this.memory.addPart(segment, this.#stretches)
    this.#stretches = []
    this.#part = index + 1
  }

  #beginAnew(epoch: string): void {
    this.#stretches = []
    this.#epoch = epoch
    this.#segment = 0
    this.#part = 0
    this.memory = new SegmentMemory(WINDOW)
  }

  #become(state: WindowState): void {
    for (const { number, parts } of state.window.segments) {
      if (this.memory.file({ kind: "segment", segment: number }) !== undefined) continue
      const all = this.memory.partsOf(number)
      if (parts.length > 0 && all.length === parts.length) this.memory.addSegment(number, all)
    }
    this.state = state
    this.isWhole = true
    this.#playlist = undefined
    this.changes.notify()
  }
}
