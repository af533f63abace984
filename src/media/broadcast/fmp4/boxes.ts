/** Boxes of ISO 14496-12 and their fields, each read within its bounds. */
import { EncoderRefused } from "./refusal.ts"

export interface Box {
  readonly type: string
  /** Offset of the header. */
  readonly start: number
  /** Offset of the content, after the header. */
  readonly body: number
  readonly end: number
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const damaged = (what: string): EncoderRefused =>
  new EncoderRefused("damaged", `The stream is damaged: ${what}.`)

export const typeAt = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))

/** Reads eight bytes as a number. Refuses values beyond 2^53: no time or size is that large. */
export const largeAt = (view: DataView, at: number): number => {
  const value = view.getUint32(at) * 0x1_0000_0000 + view.getUint32(at + 4)
  if (!Number.isSafeInteger(value)) throw damaged("a number is out of range")
  return value
}

const boxAt = (view: DataView, start: number, end: number): Box => {
  if (end - start < 8) throw damaged("a box is cut off")
  const size = view.getUint32(start)
  const type = typeAt(view, start + 4)
  if (size === 1 && end - start < 16) throw damaged(`the box ${type} is cut off`)
  const body = size === 1 ? start + 16 : start + 8
  const length = size === 1 ? largeAt(view, start + 8) : size
  if (length < body - start || length > end - start) throw damaged(`the box ${type} has an impossible size`)
  return { type, start, body, end: start + length }
}

/** Boxes that fill a range. */
export const boxesIn = (view: DataView, from: number, to: number): ReadonlyArray<Box> => {
  const boxes: Box[] = []
  for (let at = from; at < to; ) {
    const box = boxAt(view, at, to)
    boxes.push(box)
    at = box.end
  }
  return boxes
}

export const childrenOf = (view: DataView, box: Box): ReadonlyArray<Box> => boxesIn(view, box.body, box.end)

/** The one box of a type; more than one is refused, because readers differ in which one they use. */
export const atMostOne = (boxes: ReadonlyArray<Box>, type: string): Box | undefined => {
  const [first, second] = boxes.filter((box) => box.type === type)
  if (second !== undefined) throw damaged(`there are two ${type} boxes where one belongs`)
  return first
}

export const exactlyOne = (boxes: ReadonlyArray<Box>, type: string): Box => {
  const box = atMostOne(boxes, type)
  if (box === undefined) throw damaged(`the box ${type} is missing`)
  return box
}

/** Box at the end of a path of types. */
export const within = (view: DataView, box: Box, ...path: ReadonlyArray<string>): Box =>
  path.reduce((outer, type) => exactlyOne(childrenOf(view, outer), type), box)

/** Reads the fields of a box one after the other. */
export class Fields {
  readonly #view: DataView
  readonly #end: number
  #at: number

  constructor(view: DataView, box: Box) {
    this.#view = view
    this.#at = box.body
    this.#end = box.end
  }

  get at(): number {
    return this.#at
  }

  get left(): number {
    return this.#end - this.#at
  }

  skip(count: number): this {
    this.#take(count)
    return this
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2))
  }

  u24(): number {
    return this.u8() * 0x1_0000 + this.u16()
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4))
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4))
  }

  u64(): number {
    return largeAt(this.#view, this.#take(8))
  }

  type(): string {
    return typeAt(this.#view, this.#take(4))
  }

  #take(count: number): number {
    const at = this.#at
    if (count > this.#end - at) throw damaged("a box is shorter than its fields")
    this.#at = at + count
    return at
  }
}
