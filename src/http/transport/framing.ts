/**
 * Framing of a request body (RFC 9112 §6). A proxy before this server may read ambiguous headers differently, and then the body of one
 * request is the next request of the other. The engine itself refuses a length beside an encoding. It refuses lists and signs in a length
 * only when it reads the body; of several headers it takes the first, and any encoding counts as `chunked`.
 */
import { lowerAscii } from "../../model/text/compared.ts"

/** Reason in one sentence why the end of the body is ambiguous; null when it is not. The values are those of all header lines. */
export const framingFault = (lengths: ReadonlyArray<string>, encodings: ReadonlyArray<string>): string | null => {
  // Two encodings would mean a body that is chunked twice, which HTTP does not allow.
  if (encodings.length > 1 || encodings.some((encoding) => lowerAscii(encoding) !== "chunked"))
    return "The only Transfer-Encoding understood is chunked, once."
  if (lengths.some((length) => !/^\d{1,15}$/.test(length))) return "Content-Length must be a number."
  return new Set(lengths).size > 1 ? "Content-Length is given twice." : null
}
