/**
 * Watches a server's messages on one connection for `ReadyForQuery`, whose last byte shows whether the session is in a transaction
 * (PostgreSQL documentation, "Message Formats"). The pool trusts this byte instead of the driver: a connection that is in a transaction is
 * never given to another caller.
 */

/** `idle` means in no transaction, `failed` in one that can only be rolled back, and `unknown` that no statement has ended yet. */
export type SessionStatus = "unknown" | "idle" | "transaction" | "failed"

const READY_FOR_QUERY = 0x5a
/** Message header: one byte of type and four of length, which count themselves but not the type. */
const HEADER_BYTES = 5

const STATUS: { readonly [byte: number]: SessionStatus } = { 73: "idle", 84: "transaction", 69: "failed" }

export class TransactionStatus {
  #status: SessionStatus = "unknown"
  /** Remaining bytes of the current message. */
  #rest = 0
  /** Beginning of a message with an incomplete header. */
  #begun: Buffer | undefined

  get status(): SessionStatus {
    return this.#status
  }

  /** Processes the next bytes from the server, split anywhere. */
  take(chunk: Buffer): void {
    const bytes = this.#begun === undefined ? chunk : Buffer.concat([this.#begun, chunk])
    this.#begun = undefined
    let at = this.#rest
    while (at < bytes.length) {
      const isReady = bytes[at] === READY_FOR_QUERY
      if (bytes.length - at < HEADER_BYTES + (isReady ? 1 : 0)) {
        this.#begun = bytes.subarray(at)
        this.#rest = 0
        return
      }
      if (isReady) this.#status = STATUS[bytes[at + HEADER_BYTES] ?? 0] ?? "unknown"
      at += 1 + bytes.readUInt32BE(at + 1)
    }
    this.#rest = at - bytes.length
  }
}
