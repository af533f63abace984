/**
 * Incremental reader of fragmented MP4, split anywhere: a whole stream, or one file of it. It returns `ftyp` with `moov` and `moof` with
 * `mdat`, and skips all other boxes without keeping them. An index (`sidx`) in particular would give players wrong times once fragments are
 * joined.
 */
import { damaged, largeAt, typeAt } from "./boxes.ts"
import { type Fragment, readFragment } from "./fragment.ts"
import { Gathered } from "./gathered.ts"
import { type Init, readInit } from "./init.ts"
import { LARGEST_FRAGMENT, LARGEST_INIT, LARGEST_MOOF, LARGEST_SKIPPED } from "./limits.ts"
import { EncoderRefused } from "./refusal.ts"

export type Mp4Event =
  | { readonly type: "init"; readonly init: Init }
  | { readonly type: "fragment"; readonly fragment: Fragment }

/** Boxes with which a stream or a file of it may begin. */
const FIRST_BOXES: ReadonlySet<string> = new Set(["ftyp", "styp", "moof", "sidx", "prft", "emsg"])

const SHORT_HEADER = 8
const LONG_HEADER = 16

export class FragmentedMp4Reader {
  #init: Init | undefined
  /** The last gathered box, which waits for its counterpart. */
  #half: "" | "ftyp" | "moof" = ""
  readonly #gathered = new Gathered()
  /** Offset of the box that is being gathered. */
  #start = 0
  /** Number of gathered bytes needed for the next step. */
  #need = SHORT_HEADER
  #skip = 0
  #boxes = 0
  /** Type of the box whose header was read. */
  #type = ""
  #isFirst = true
  #refusal: EncoderRefused | undefined

  /** `init` describes the files that hold only fragments. */
  constructor(init?: Init) {
    this.#init = init
  }

  /** Number of bytes that wait for more. */
  get buffered(): number {
    return this.#gathered.length
  }

  get boxes(): number {
    return this.#boxes
  }

  /** Set from the first refused bytes on. */
  get refusal(): EncoderRefused | undefined {
    return this.#refusal
  }

  /**
   * Copies the bytes that it keeps. After refused bytes, every later call throws `EncoderRefused`. The call that meets them throws too,
   * unless the chunk completed events before them: it then returns these, and sets `refusal`.
   */
  push(chunk: Uint8Array): ReadonlyArray<Mp4Event> {
    if (this.#refusal !== undefined) throw this.#refusal
    const events: Mp4Event[] = []
    try {
      this.#read(chunk, events)
    } catch (cause) {
      if (!(cause instanceof EncoderRefused)) throw cause
      this.#refusal = cause
      this.#gathered.take()
      if (events.length === 0) throw cause
    }
    return events
  }

  /** Ends a file, which must end between boxes. A stream may end anywhere: a killed encoder does not finish. */
  end(): void {
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isFirst) throw new EncoderRefused("not_fmp4", "The file is empty.")
    if (this.#gathered.length > 0 || this.#skip > 0) throw damaged("the file is cut off")
  }

  #read(chunk: Uint8Array, events: Mp4Event[]): void {
    for (let at = 0; at < chunk.length; ) {
      const wanted = this.#skip > 0 ? this.#skip : this.#need - this.#gathered.length
      const part = chunk.subarray(at, at + wanted)
      at += part.length
      if (this.#skip > 0) this.#skip -= part.length
      else {
        this.#gathered.add(part, this.#need)
        if (part.length === wanted) this.#step(events)
      }
    }
  }

  #step(events: Mp4Event[]): void {
    const type = this.#type
    this.#type = ""
    if (type === "") {
      this.#header()
      return
    }
    if (type === "ftyp" || type === "moof") this.#half = type
    else {
      this.#half = ""
      events.push(type === "moov" ? this.#initRead() : this.#fragmentRead())
    }
    this.#start = this.#gathered.length
    this.#need = this.#start + SHORT_HEADER
  }

  #initRead(): Mp4Event {
    this.#init = readInit(this.#gathered.take())
    return { type: "init", init: this.#init }
  }

  #fragmentRead(): Mp4Event {
    return { type: "fragment", fragment: readFragment(this.#gathered.take(), this.#knownInit()) }
  }

  #knownInit(): Init {
    if (this.#init === undefined)
      throw new EncoderRefused("no_init", "Fragments come before the part that describes them (ftyp and moov).")
    return this.#init
  }

  #header(): void {
    const view = this.#gathered.view
    const type = typeAt(view, this.#start + 4)
    const short = view.getUint32(this.#start)
    const headerSize = short === 1 ? LONG_HEADER : SHORT_HEADER
    this.#refuseOtherFormats(type)
    if (view.byteLength < this.#start + headerSize) {
      this.#need = this.#start + headerSize
      return
    }
    const size = short === 1 ? largeAt(view, this.#start + SHORT_HEADER) : short
    if (size < headerSize) throw damaged(`the box ${type} has an impossible size`)
    this.#isFirst = false
    this.#enter(type, size, headerSize)
  }

  #refuseOtherFormats(type: string): void {
    if (this.#isFirst && !FIRST_BOXES.has(type))
      throw new EncoderRefused("not_fmp4", "This is not fragmented MP4: send MP4 with fragments, not MPEG-TS or WebM.")
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) throw damaged("a box has no type")
  }

  /** Decides about a box by its header alone. */
  #enter(type: string, size: number, headerSize: number): void {
    this.#boxes += 1
    const limit = this.#limitOf(type)
    if (this.#start + size > limit)
      throw new EncoderRefused(
        "too_large",
        `The box ${type} is larger than the ${limit - this.#start} bytes it may have.`,
      )
    if (type === "ftyp" || type === "moov" || type === "moof" || type === "mdat") {
      this.#type = type
      this.#need = this.#start + size
      // A box may consist of its header only.
      if (size === headerSize) throw damaged(`the box ${type} is empty`)
      return
    }
    this.#gathered.truncate(this.#start)
    this.#skip = size - headerSize
    this.#need = this.#start + SHORT_HEADER
  }

  /** Maximum number of bytes to gather with the box, or to skip; refuses a box that is out of place. */
  #limitOf(type: string): number {
    if (this.#half === "moof" && type !== "mdat") throw damaged("a moof is not followed by its mdat")
    switch (type) {
      case "ftyp":
        if (this.#half === "ftyp") throw damaged("there are two ftyp boxes where one belongs")
        return LARGEST_INIT
      case "moov":
        if (this.#half !== "ftyp") throw damaged("a moov has no ftyp")
        return LARGEST_INIT
      case "moof":
        this.#knownInit()
        if (this.#half === "ftyp") throw damaged("a ftyp is not followed by its moov")
        return LARGEST_MOOF
      case "mdat":
        if (this.#half !== "moof")
          throw new EncoderRefused(
            "not_fmp4",
            "The stream is a plain MP4 file: send fragmented MP4 (ffmpeg: -movflags empty_moov).",
          )
        return LARGEST_FRAGMENT
      default:
        return LARGEST_SKIPPED
    }
  }
}
