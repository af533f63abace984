/**
 * Encoder bytes of one broadcast in three forms: one endless stream, files (HLS pushed by ffmpeg), and numbered pieces of a stream
 * (browsers). There is one encoder at a time: a new stream ends the previous one.
 */
import { LRUCache } from "lru-cache"
import type { Timers } from "../../clock/timers.ts"
import { EncoderReplaced, RateLimited, Unavailable } from "../../model/errors.ts"
import { SpeedLimit } from "../../model/limits/speed-limit.ts"
import type { Init } from "../broadcast/fmp4/init.ts"
import { FragmentedMp4Reader, type Mp4Event } from "../broadcast/fmp4/reader.ts"
import { EncoderRefused } from "../broadcast/fmp4/refusal.ts"
import { FileDescription } from "./file-description.ts"
import type { EncoderFailure, LiveBroadcast } from "./live-broadcast.ts"

/** An active stream. */
interface StreamInput {
  /** Throws `EncoderRefused`. */
  readonly write: (chunk: Uint8Array) => void
  /** Pauses until `resume`; the bytes gathered by then still arrive at once. */
  readonly pause: () => void
  readonly resume: () => void
  /** Called when the encoder has left or ended its stream, or its address has ended. */
  readonly end: (isAddressOver?: boolean) => void
}

/** Carries the number that the next piece must have. */
export class PieceOutOfOrder extends Error {
  override readonly name = "PieceOutOfOrder"
  readonly next: number

  constructor(next: number) {
    super(`the next piece is ${next}`)
    this.next = next
  }
}

interface Encoder {
  readonly cut: () => void
}

/** Maximum bytes of bodies gathered for one broadcast: an encoder sends a few at once. */
export const MOST_GATHERED = 64 * 1024 * 1024

/** Silence after which an encoder counts as lost. */
const LOST_AFTER_MS = 10_000
/** Number of replaced addresses that are remembered; each holder has one at a time. */
const MOST_REPLACED = 64

const BYTES_PER_KBIT = 125
/** Seconds of the maximum rate whose bytes may arrive at once. */
const HOLDS_SECONDS = 10
/** Maximum rate: one fragment per frame of picture and sound, with all boxes that may precede it. */
const BOXES_PER_SECOND = 1000
/** Maximum burst of boxes. Reading them blocks the event loop for some ten milliseconds. */
const MOST_BOXES = 3000
/** Bytes read before their boxes are counted. */
const SLICE_BYTES = 16_384

const tooFast = (): EncoderRefused =>
  new EncoderRefused("too_fast", "The encoder sends more than the broadcast may have; lower its bit rate.")
const tooMuch = new Unavailable({ detail: "The broadcast is stored more slowly than it comes.", retryAfterSeconds: 2 })
const ADDRESS_OVER: EncoderFailure = {
  code: "replaced",
  detail: "The encoder pushes to an address that has ended: it was replaced, or its holder may not send any more.",
}
const replaced = new Unavailable({ detail: "The address of the encoder was replaced.", retryAfterSeconds: 5 })

export class EncoderInput {
  readonly #live: LiveBroadcast
  readonly #timers: Timers
  readonly #speed: SpeedLimit
  readonly #boxes: SpeedLimit
  #encoder: Encoder | undefined
  #gathered = 0
  readonly #description: FileDescription
  #pieces: { readonly reader: FragmentedMp4Reader; readonly first: Buffer; next: number } | undefined
  /** Form of an encoder without a connection of its own. */
  #joined: "files" | "pieces" | undefined
  /** Address of the last encoder. */
  #from: string | undefined
  /** Addresses whose encoder was replaced: two encoders that reconnect by themselves must not take the broadcast in turns. */
  readonly #replaced = new LRUCache<string, true>({ max: MOST_REPLACED })
  #resets = 0

  constructor(live: LiveBroadcast, timers: Timers, maxKbps: number) {
    this.#live = live
    this.#timers = timers
    this.#description = new FileDescription(timers, live.takeInit)
    const perSecond = maxKbps * BYTES_PER_KBIT
    this.#speed = new SpeedLimit(perSecond, perSecond * HOLDS_SECONDS, timers.elapsed())
    this.#boxes = new SpeedLimit(BOXES_PER_SECOND, MOST_BOXES, timers.elapsed())
  }

  /** Number of calls of `reset`: a body whose request began before the last one is refused. */
  get resets(): number {
    return this.#resets
  }

  /** Returns false when too much is already gathered. Gathered bytes must be released. */
  gather(bytes: number): boolean {
    this.#gathered += bytes
    return this.#gathered <= MOST_GATHERED
  }

  release(bytes: number): void {
    this.#gathered -= bytes
  }

  get hasStream(): boolean {
    return this.#encoder !== undefined
  }

  /** Whether bytes arrived recently. Segments cannot tell, because a pause makes none. */
  get hasRecentBytes(): boolean {
    const { lastBytesAt } = this.#live
    return lastBytesAt !== undefined && this.#timers.now() - lastBytesAt < LOST_AFTER_MS
  }

  /** Whether an encoder is still pushing. One that sends files or pieces has no visible end, and counts as gone when it is silent. */
  get isBusy(): boolean {
    return this.hasStream || (this.#joined !== undefined && this.hasRecentBytes)
  }

  /**
   * `from` is the encoder's address. Throws `EncoderReplaced`. `cut` is called when another encoder takes over, or the address is replaced.
   */
  openStream(cut: () => void, from = ""): StreamInput {
    this.#requireTurn(from)
    const reader = new FragmentedMp4Reader()
    const encoder = { cut }
    this.#takeOver(from, encoder)
    let pausedAt: number | undefined
    return {
      pause: () => {
        pausedAt ??= this.#timers.elapsed()
      },
      resume: () => {
        if (pausedAt !== undefined) this.#speed.allow(this.#timers.elapsed() - pausedAt)
        pausedAt = undefined
      },
      write: (chunk) => {
        this.#count(chunk.byteLength)
        this.#read(reader, chunk, this.#use)
      },
      end: (isAddressOver = false) => {
        if (this.#encoder !== encoder) return
        this.#encoder = undefined
        this.#live.endRun()
        if (isAddressOver) this.#live.fail(ADDRESS_OVER)
      },
    }
  }

  /** Adds a whole file: an init segment, or fragments. Another encoder is replaced once the file was read. Resolves when it is stored. */
  async putFile(bytes: Uint8Array, from = ""): Promise<void> {
    this.#requireSpace()
    this.#requireTurn(from)
    this.#count(bytes.byteLength)
    const resets = this.#resets
    const init = startsWithInit(bytes) ? undefined : await this.#description.find()
    if (resets !== this.#resets) throw replaced
    const events: Mp4Event[] = []
    const reader = new FragmentedMp4Reader(init)
    this.#read(reader, bytes, (some) => events.push(...some))
    this.#refusing(() => reader.end())
    if (this.#joined !== "files" || this.#from !== from) this.#takeOver(from, undefined, "files")
    if (init !== undefined && this.#description.present !== init) this.#begin(init)
    this.#use(events)
    this.#live.endFile(this.#timers.now())
    await this.#live.settled()
  }

  /**
   * Adds the piece with a number: 0 begins a stream. A repeated piece has no effect. Resolves to the number of the next piece, when
   * everything completed by this one is stored.
   */
  async putPiece(number: number, bytes: Uint8Array, from = ""): Promise<number> {
    this.#requireSpace()
    // A replaced stream has lost its middle, and does not continue after the other one.
    if (number > 0 && this.#from !== from && this.#replaced.has(from)) throw new EncoderReplaced()
    this.#requireTurn(from)
    this.#countPiece(bytes.byteLength)
    // The first piece may also be repeated; with other bytes it begins another stream.
    if (number === 0 && (this.#pieces?.first.equals(bytes) !== true || this.#from !== from)) {
      this.#takeOver(from, undefined, "pieces")
      this.#pieces = { reader: new FragmentedMp4Reader(), first: Buffer.from(bytes), next: 0 }
    }
    // Another encoder's numbers belong to its own stream.
    const pieces = this.#from === from ? this.#pieces : undefined
    if (pieces === undefined || number > pieces.next) throw new PieceOutOfOrder(pieces?.next ?? 0)
    if (number === pieces.next) {
      pieces.next += 1
      this.#read(pieces.reader, bytes, this.#use)
    }
    await this.#live.settled()
    return pieces.next
  }

  /** Replaces the address: bytes sent to the previous one are refused. */
  replace(): void {
    const had = this.#encoder !== undefined || this.#joined !== undefined
    this.reset()
    if (had) this.#live.fail(ADDRESS_OVER)
  }

  /** Called when the broadcast is over or leaves memory. */
  reset(): void {
    this.#resets += 1
    this.#takeOver(undefined, undefined)
    this.#description.forget()
  }

  /** Files and pieces come in separate requests, so only a stream can be cut. */
  #takeOver(from: string | undefined, encoder: Encoder | undefined, joined?: "files" | "pieces"): void {
    const before = this.#encoder
    if (this.#from !== undefined && from !== undefined && this.#from !== from) this.#replaced.set(this.#from, true)
    if (from !== undefined) this.#replaced.delete(from)
    if (this.#from === undefined || this.#from === from) this.#description.leave()
    else this.#description.forget()
    this.#encoder = encoder
    this.#from = from
    this.#joined = joined
    this.#pieces = undefined
    before?.cut()
    if (before !== undefined) this.#live.fail({ code: "replaced", detail: "Another encoder has taken over." })
    this.#live.endRun()
  }

  /** A replaced encoder's address waits until the other encoder has ended or is silent. */
  #requireTurn(from: string): void {
    if (this.#from !== from && this.#replaced.has(from) && this.isBusy) throw new EncoderReplaced()
  }

  /** Refuses while the database or the disk is behind: earlier bytes must be stored first. */
  #requireSpace(): void {
    if (this.#live.isFull) throw tooMuch
  }

  #count(bytes: number): void {
    if (!this.#speed.take(bytes, this.#timers.elapsed())) throw this.#live.refused(tooFast())
  }

  /** A browser that could not send for a while sends everything at once, and repeats pieces that came too fast. */
  #countPiece(bytes: number): void {
    const waitMs = this.#speed.wait(bytes, this.#timers.elapsed())
    if (waitMs === 0) return
    const why = this.#live.refused(tooFast())
    throw waitMs === undefined
      ? why
      : new RateLimited({ limit: "broadcast", retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }

  /** Boxes cost time, however few bytes they have, so they are counted while they are read. */
  #read(reader: FragmentedMp4Reader, chunk: Uint8Array, use: (events: ReadonlyArray<Mp4Event>) => void): void {
    for (let at = 0; at < chunk.byteLength; at += SLICE_BYTES) {
      const before = reader.boxes
      use(this.#refusing(() => reader.push(chunk.subarray(at, at + SLICE_BYTES))))
      if (reader.refusal !== undefined) throw this.#live.refused(reader.refusal)
      if (!this.#boxes.take(reader.boxes - before, this.#timers.elapsed())) {
        throw this.#live.refused(
          new EncoderRefused(
            "too_fast",
            "The encoder sends too many fragments; make them longer (ffmpeg: -frag_duration).",
          ),
        )
      }
    }
  }

  #refusing<A>(read: () => A): A {
    try {
      return read()
    } catch (cause) {
      throw cause instanceof EncoderRefused ? this.#live.refused(cause) : cause
    }
  }

  readonly #use = (events: ReadonlyArray<Mp4Event>): void => {
    for (const event of events) {
      if (event.type === "init") this.#begin(event.init)
      else this.#live.push(event.fragment, this.#timers.now())
    }
  }

  #begin(init: Init): void {
    this.#live.begin(init, this.#timers.now())
    if (this.#joined === "files") this.#description.came(init)
  }
}

const startsWithInit = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(4, 8)).toString("latin1") === "ftyp"
