/**
 * Where a request's body ends (RFC 9112 §6). A proxy before this server may read doubtful headers otherwise than it does, and then one's body is the other's next request. The engine refuses a length beside an encoding by itself, and lists and signs in a
 * length only when it reads the body; of several headers it takes the first, and any encoding for `chunked`.
 */
export class Framing {
  #length: string | undefined
  #encoding: string | undefined
  #fault: string | null = null

  /** Each header as it comes; names in lower case. */
  see(name: string, value: string): void {
    if (name === "content-length") this.#seeLength(value)
    else if (name === "transfer-encoding") this.#seeEncoding(value)
  }

  /** Why it is not certain where the body ends, in one sentence; null when it is. */
  get fault(): string | null {
    return this.#fault
  }

  #seeLength(value: string): void {
    if (!/^\d{1,15}$/.test(value)) this.#fault = "Content-Length must be a number."
    else if (this.#length !== undefined && this.#length !== value) this.#fault = "Content-Length is given twice."
    this.#length = value
  }

  /** Given twice it would mean a body that is chunked twice, which there is not. */
  #seeEncoding(value: string): void {
    if (this.#encoding !== undefined || value.toLowerCase() !== "chunked") {
      this.#fault = "The only Transfer-Encoding understood is chunked, once."
    }
    this.#encoding = value
  }
}
