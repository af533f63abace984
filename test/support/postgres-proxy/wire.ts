/** PostgreSQL's wire protocol 3.0, as far as the proxy has to read it: frames, and a few fields of the client's messages. */

export interface Message {
  readonly type: string
  /** The whole frame, with its header. */
  readonly bytes: Buffer
}

const TYPE_BYTES = 1
const LENGTH_BYTES = 4

/** Cuts a byte stream into messages. A message that is not complete waits for the next chunk. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): ReadonlyArray<Message> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Array<Message> = []
    while (bytes.length >= TYPE_BYTES + LENGTH_BYTES) {
      const end = TYPE_BYTES + bytes.readUInt32BE(TYPE_BYTES)
      if (bytes.length < end) break
      messages.push({ type: String.fromCharCode(bytes[0] ?? 0), bytes: bytes.subarray(0, end) })
      bytes = bytes.subarray(end)
    }
    this.#rest = bytes
    return messages
  }
}

export const STARTUP = { tls: 80_877_103, gss: 80_877_104, cancel: 80_877_102 } as const

/** The first messages of a client have no type. */
interface StartupMessage {
  /** One of `STARTUP`, or a protocol version. */
  readonly code: number
  readonly bytes: Buffer
  readonly rest: Buffer
}

/** `undefined` while the message is not complete. */
export const readStartup = (bytes: Buffer): StartupMessage | undefined => {
  if (bytes.length < 2 * LENGTH_BYTES) return undefined
  const length = bytes.readUInt32BE(0)
  if (bytes.length < length) return undefined
  return { code: bytes.readUInt32BE(LENGTH_BYTES), bytes: bytes.subarray(0, length), rest: bytes.subarray(length) }
}

const textAt = (bytes: Buffer, at: number): string => {
  const end = bytes.indexOf(0, at)
  return bytes.toString("utf8", at, end < 0 ? bytes.length : end)
}

/** A parameter of the startup message, such as `application_name`. */
export const startupParameter = (bytes: Buffer, name: string): string | undefined => {
  const words = bytes.toString("utf8", 2 * LENGTH_BYTES).split("\0")
  const index = words.findIndex((word, at) => at % 2 === 0 && word === name)
  return index < 0 ? undefined : words[index + 1]
}

const BODY = TYPE_BYTES + LENGTH_BYTES

/** Two texts that follow each other: name and SQL of a Parse, portal and statement of a Bind. */
export const twoTexts = (bytes: Buffer): readonly [string, string] => {
  const first = textAt(bytes, BODY)
  return [first, textAt(bytes, BODY + Buffer.byteLength(first) + 1)]
}

/** SQL of a Query, portal of an Execute. */
export const oneText = (bytes: Buffer): string => textAt(bytes, BODY)

export type TransactionState = "idle" | "open" | "failed"

/** The status in a ReadyForQuery. */
export const transactionState = (bytes: Buffer): TransactionState => {
  const status = String.fromCharCode(bytes[BODY] ?? 0)
  if (status === "T") return "open"
  return status === "E" ? "failed" : "idle"
}

/** A simple Query. */
const queryMessage = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`, "utf8")
  const head = Buffer.alloc(BODY)
  head.write("Q")
  head.writeUInt32BE(LENGTH_BYTES + body.length, TYPE_BYTES)
  return Buffer.concat([head, body])
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A statement that the server answers with an error of our choice, so that its transaction fails as it would for real. */
export const failingStatement = (code: string, message: string): Buffer =>
  queryMessage(
    `do $proxy$ begin raise exception using errcode = ${quoted(code)}, message = ${quoted(message)}; end $proxy$`,
  )
