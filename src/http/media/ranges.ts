/** Byte ranges (RFC 9110 §14): one range, from a start or from the end. Requests for several ranges get the whole. */

/** `end` is exclusive. */
interface Range {
  readonly start: number
  readonly end: number
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/

/** The requested part of `size` bytes; `whole` without a usable header; `unsatisfiable` when the part lies beyond the end. */
export const rangeOf = (header: string | undefined, size: number): Range | "whole" | "unsatisfiable" => {
  const [, first = "", last = ""] = ONE_RANGE.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return "whole"
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== "" && Number(last) < start) return "whole"
  if (start >= size) return "unsatisfiable"
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) }
}

/** `Content-Range` of a resumed upload: `bytes <first>-<last>/<size or *>`. */
export interface UploadRange {
  readonly start: number
  /** Size of the whole upload, if the client knows it. */
  readonly size: number | null
}

const UPLOAD_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/

/** Returns `undefined` for a malformed header. */
export const uploadRangeOf = (header: string): UploadRange | undefined => {
  const match = UPLOAD_RANGE.exec(header.trim())
  if (match === null) return undefined
  const [, first, last, size] = match
  if (Number(last) < Number(first)) return undefined
  return { start: Number(first), size: size === "*" ? null : Number(size) }
}
