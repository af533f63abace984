/** Failed connection attempts: which of them end the client, and when the others are repeated. */

/** The server ended the connection for good. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed"
  /** Close code of the gateway. */
  readonly code: number

  constructor(code: number, reason: string) {
    super(`the connection has ended: ${code} ${reason}`)
    this.code = code
  }
}

interface Failure {
  readonly status?: unknown
  readonly retryAfterSeconds?: unknown
}

const fieldsOf = (cause: unknown): Failure => (typeof cause === "object" && cause !== null ? cause : {})

/** Statuses of refusals that may be temporary: Request Timeout, Too Early, Too Many Requests. */
const TEMPORARY = [408, 425, 429]

/**
 * Whether the same request would be refused again. It checks fields instead of the class, because a page may hold two copies of this
 * package.
 */
export const isFinal = (cause: unknown): boolean => {
  const { status } = fieldsOf(cause)
  return typeof status === "number" && status >= 400 && status < 500 && !TEMPORARY.includes(status)
}

/** Wait that the server asked for, in milliseconds. */
export const askedWait = (cause: unknown): number | undefined => {
  const { retryAfterSeconds: seconds } = fieldsOf(cause)
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined
}
