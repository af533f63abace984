/**
 * Framing of a request body (RFC 9112 §6). A proxy before this server may read ambiguous headers differently, and then the body of one
 * request is the next request of the other. The engine itself refuses a length beside an encoding. It refuses lists and signs in a length
 * only when it reads the body; of several headers it takes the first, and any encoding counts as `chunked`.
 */
import { lowerAscii } from "../../model/text/compared.ts"

export class Framing {
  #length: string | undefined
  #encoding: string | undefined
  #fault: string | null = null

  /** Checks each header as it arrives; names are in lower case. */
  see(name: string, value: string): void {
    if (name === "content-length") this.#seeLength(value)
    else if (name === "transfer-encoding") this.#seeEncoding(value)
  }

  /** Reason in one sentence why the end of the body is ambiguous; null when it is not. */
  get fault(): string | null {
    return this.#fault
  }

  #seeLength(value: string): void {
    if (!/^\d{1,15}$/.test(value)) this.#fault = "Content-Length must be a number."
    else if (this.#length !== undefined && this.#length !== value) this.#fault = "Content-Length is given twice."
    this.#length = value
  }

  /** Two encodings would mean a body that is chunked twice, which HTTP does not allow. */
  #seeEncoding(value: string): void {
    if (this.#encoding !== undefined || lowerAscii(value) !== "chunked") {
      this.#fault = "The only Transfer-Encoding understood is chunked, once."
    }
    this.#encoding = value
  }
}
