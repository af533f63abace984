/**
 * One session on the database, for the lifetime of its socket. It is a driver client of exactly one connection that never reconnects: an
 * ended session is discarded with its client, so nothing of the driver's own pool (its queues, its pipeline, its reconnecting) is ever
 * active. The session's transaction status is read off the wire.
 */
import type { Socket } from "node:net"
import postgres from "postgres"
import { type DatabaseTls, splitTls } from "../../model/database-address.ts"
import { CODECS } from "./codecs.ts"
import { type Address, dial } from "./dial.ts"
import { PoolError, type PoolErrorCode } from "./errors.ts"
import type { Bound, Rows } from "./statement.ts"
import { type SessionStatus, TransactionStatus } from "./transaction-status.ts"

/** Settings of the session on the server, as `SET` takes them. */
export interface SessionSettings {
  readonly [name: string]: string | number
}

/** The driver's parsed options, which it accepts as input. */
interface ParsedOptions extends Address {
  readonly shared: unknown
}

/** The used part of the driver's client. */
interface Client {
  readonly options: ParsedOptions
  readonly json: (value: unknown) => postgres.Parameter<unknown>
  readonly unsafe: (
    text: string,
    values?: ReadonlyArray<unknown>,
    options?: { readonly prepare: boolean; readonly simple: boolean },
  ) => PromiseLike<Rows<ReadonlyArray<object>> & { readonly command: string }>
  readonly end: (options: { readonly timeout: number }) => Promise<void>
}

/** The driver's own types lack parsed options, a socket, `simple`, and arbitrary names of settings and codecs. */
const driver = postgres as unknown as {
  (url: string, options: object): Client
  (options: object): Client
}

/** Reason for giving up a connection. */
export type Ending = "lost" | "deadline" | "in_transaction" | "unfinished" | "protocol" | "suspect" | "closed"

/** Whether the cause is an error of the server after which the session continues. */
const isServersWord = (cause: unknown): cause is postgres.PostgresError =>
  cause instanceof postgres.PostgresError && cause.severity === "ERROR"

/** SQLSTATEs of `statement_timeout` and `lock_timeout` (PostgreSQL documentation, appendix A). */
const SERVERS_LIMITS: ReadonlySet<string> = new Set(["57014", "55P03"])

/** Opens sessions of one address; `attempt` counts them, so that the hosts of an address take turns. */
export class Connector {
  readonly #options: ParsedOptions
  readonly #tls: DatabaseTls
  /** Used only to make values for statements; never connected. */
  readonly #client: Client
  #attempts = 0

  /** @throws for an unknown mode of TLS */
  constructor(address: string, settings: SessionSettings) {
    const split = splitTls(address)
    if (split === undefined) throw new Error("the address names no mode of TLS that there is")
    this.#tls = split.tls
    this.#client = driver(split.url, {
      max: 1,
      // The pool's deadline covers the whole connect.
      connect_timeout: 0,
      idle_timeout: 0,
      max_lifetime: null,
      // Types are known by number (`codecs.ts`); fetching them would be an extra statement of the driver.
      fetch_types: false,
      onnotice: () => {},
      transform: { column: { from: postgres.toCamel } },
      connection: settings,
      types: CODECS,
    })
    this.#options = this.#client.options
  }

  readonly json = (value: unknown): postgres.Parameter<unknown> => this.#client.json(value)

  /** Resolves when the session can take statements. Rejects, and leaves nothing open, when `signal` is aborted. */
  async open(signal: AbortSignal): Promise<PoolConnection> {
    const attempt = this.#attempts++
    let socket: Socket | undefined
    const status = new TransactionStatus()
    const connect = async (): Promise<Socket> => {
      // A client that connects again has lost its session, and a session is never replaced.
      if (socket !== undefined) throw new PoolError("POOL_CONNECTION_LOST")
      socket = await dial(this.#options, this.#tls, attempt, signal)
      socket.on("data", (chunk: Buffer) => status.take(chunk))
      return socket
    }
    // The socket is already encrypted if needed, so the driver must not do it again.
    const client = driver({ ...this.#options, ...ONE_HOST, ssl: false, socket: connect })
    let abort = (): void => {}
    const aborted = new Promise<never>((_, reject) => {
      abort = () => {
        socket?.destroy()
        reject(new PoolError("POOL_TIMEOUT"))
      }
    })
    signal.addEventListener("abort", abort)
    try {
      // An attempt ends with its signal, even if the driver forgets its first statement.
      await Promise.race([client.unsafe(""), aborted])
      if (socket === undefined || socket.destroyed) throw new PoolError("POOL_CONNECTION_LOST")
      return new PoolConnection(client, socket, status)
    } catch (cause) {
      socket?.destroy()
      throw signal.aborted ? new PoolError("POOL_TIMEOUT", cause) : cause
    } finally {
      signal.removeEventListener("abort", abort)
    }
  }
}

/** The driver would try the next host by itself, and forget the waiting statement; `dial` takes the hosts in turn. */
const ONE_HOST = { host: ["database"], port: [5432] }

export class PoolConnection {
  readonly #client: Client
  readonly #socket: Socket
  readonly #status: TransactionStatus
  /**
   * Rejections of the statements without an answer: the first `#inFlight` entries. The array never shrinks: a collection that grows and
   * shrinks with each statement leaves tables that keep garbage alive.
   */
  readonly #refusals: Array<((cause: unknown) => void) | undefined> = []
  #inFlight = 0
  #ending: Ending | undefined
  /** Called once, when the session is given up or found lost. */
  onEnd: (why: Ending) => void = () => {}
  /** Called when the server ends a statement because it took too long or waited too long for a lock. */
  onServersLimit: () => void = () => {}

  constructor(client: Client, socket: Socket, status: TransactionStatus) {
    this.#client = client
    this.#socket = socket
    this.#status = status
    socket.once("close", () => this.#end("lost"))
  }

  get isOpen(): boolean {
    return this.#ending === undefined
  }

  get status(): SessionStatus {
    return this.#status.status
  }

  /** Number of statements without an answer. */
  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * Runs one statement; the statements of a transaction may be sent without waiting for each other. `answered` is called before the promise
   * settles, which saves a caller that waits for the connection the turns of a promise.
   */
  run({ text, values }: Bound, answered: () => void = nothing): Promise<Rows<ReadonlyArray<object>>> {
    return this.#answer(() => this.#client.unsafe(text, values, PREPARED), answered)
  }

  /** Runs `begin`, `commit` or the like; resolves to the command that the server reports as executed. */
  async control(text: string): Promise<string> {
    const { command } = await this.#answer(() => this.#client.unsafe(text))
    return command
  }

  /** Gives up the connection at once: waiting statements are refused, and the socket is closed without a message. */
  destroy(why: Ending): void {
    this.#socket.destroy()
    this.#end(why)
  }

  /** Sends the server a final message, so that it ends the session at once. Only for an unused connection. */
  close(): void {
    void this.#client.end({ timeout: 0 })
    this.#socket.destroySoon()
    this.#end("closed")
  }

  /** We reject the statements ourselves: one that the driver forgets must not leave its caller without an answer. */
  #end(why: Ending): void {
    if (this.#ending !== undefined) return
    this.#ending = why
    this.#inFlight = 0
    for (const refuse of this.#refusals.splice(0)) refuse?.(new PoolError(CODES[why] ?? "POOL_CONNECTION_LOST"))
    this.onEnd(why)
  }

  /** Returns false when the statement was already rejected because the session had ended. */
  #settled(refuse: (cause: unknown) => void): boolean {
    const at = this.#refusals.indexOf(refuse)
    if (at < 0) return false
    this.#inFlight--
    this.#refusals[at] = this.#refusals[this.#inFlight]
    this.#refusals[this.#inFlight] = undefined
    return true
  }

  /** The error for the caller. Without an answer of the server the session's state is unknown, so the connection is given up. */
  #judged(cause: unknown): unknown {
    if (isServersWord(cause)) {
      if (SERVERS_LIMITS.has(cause.code)) this.onServersLimit()
      return cause
    }
    const isLost = isLoss(cause)
    this.destroy(isLost ? "lost" : "protocol")
    return isLost ? new PoolError("POOL_CONNECTION_LOST", cause) : cause
  }

  #answer<A>(send: () => PromiseLike<A>, answered: () => void = nothing): Promise<A> {
    const ending = this.#ending
    if (ending !== undefined) {
      answered()
      return Promise.reject(new PoolError(CODES[ending] ?? "POOL_CONNECTION_LOST"))
    }
    return new Promise((resolve, fail) => {
      const reject = (cause: unknown): void => {
        answered()
        fail(cause)
      }
      this.#refusals[this.#inFlight++] = reject
      send().then(
        (answer) => {
          if (!this.#settled(reject)) return
          answered()
          resolve(answer)
        },
        (cause: unknown) => {
          if (this.#settled(reject)) reject(this.#judged(cause))
        },
      )
    })
  }
}

const nothing = (): void => {}

/** The driver prepares a statement once per session, and does not send its text again. */
const PREPARED = { prepare: true, simple: false }

const CODES: { readonly [why in Ending]?: PoolErrorCode } = { deadline: "POOL_DEADLINE", closed: "POOL_CLOSED" }

/** Whether the cause is a code of the driver or the system for a lost connection. */
const isLoss = (cause: unknown): boolean => {
  // The server announced the end of the session.
  if (cause instanceof postgres.PostgresError) return true
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === "string" && /^(?:CONNECTION_|E[A-Z]+$|POOL_)/.test(code)
}
