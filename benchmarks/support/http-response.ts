/** Just enough of HTTP/1.1 for load generators. */

const HEAD_END = "\r\n\r\n"

/** Length of the response that `text` begins with, or 0 while its head is not complete. Latin-1 text: one character is one byte. */
const announcedLength = (text: string): number => {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return 0
  const length = /content-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1]
  return headEnd + HEAD_END.length + Number(length ?? 0)
}

/** Length of the first complete response in `text`, or 0. */
export const responseLength = (text: string): number => {
  const total = announcedLength(text)
  return text.length >= total ? total : 0
}

/** Of a complete response. */
export const statusOf = (text: string): number => Number(text.slice(9, 12))

/** Reads answers that come one after the other on a connection, and keeps nothing of their bodies, which may be long. */
export class AnswerReader {
  #head = ""
  #status = 0
  /** Bytes of the answer that are still to come. */
  #missing = 0

  /** The status, once an answer is complete. */
  take(chunk: Buffer): number | undefined {
    if (this.#missing > 0) this.#missing -= chunk.length
    else {
      this.#head += chunk.toString("latin1")
      const length = announcedLength(this.#head)
      if (length === 0) return undefined
      this.#status = statusOf(this.#head)
      this.#missing = length - this.#head.length
      this.#head = ""
    }
    return this.#missing > 0 ? undefined : this.#status
  }
}
