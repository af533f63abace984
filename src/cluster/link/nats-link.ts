/**
 * The link between nodes on NATS core: at most once, without persistence. Messages published while the connection is lost are not queued:
 * their receivers compare their state with the store after the reset.
 */
import {
  connect,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  type Status,
} from "@nats-io/transport-node"
import { Effect, Layer, Redacted } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { Listeners } from "../../model/listeners.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { MessageSeal, MOST_OFF_MS, type RejectedMessage, SEAL_BYTES } from "./message-seal.ts"
import { guard, NodeLink } from "./node-link.ts"

/** NATS cannot be used; the message is one sentence for the operator. */
class NatsRefused extends Error {
  override readonly name = "NatsRefused"
}

const CONNECT_WITHIN_MS = 2000
const RECONNECT_EVERY_MS = 250
/** Ping interval; a connection with too many unanswered pings is closed. */
const PING_EVERY_MS = 2000
const PINGS_WITHOUT_ANSWER = 2
const SUBJECTS = "gathercue"
/** Default of NATS. */
const DEFAULT_MOST_BYTES = 1_048_576

/**
 * Options from comma separated `nats://` and `tls://` addresses, of which one or all contain the user. A user without a password is a
 * token.
 */
export const natsOptions = (urls: string): NodeConnectionOptions => {
  const parsed = urls.split(",").map((url) => new URL(url.trim()))
  const { username, password } = parsed.find((url) => url.username !== "") ?? { username: "", password: "" }
  const user = decodeURIComponent(username)
  return {
    servers: parsed.map(({ host }) => host),
    ...(parsed.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
    ...(user !== "" && (password === "" ? { token: user } : { user, pass: decodeURIComponent(password) })),
  }
}

const open = (urls: Redacted.Redacted<string>): Promise<NatsConnection> =>
  connect({
    ...natsOptions(Redacted.value(urls)),
    name: "gathercue",
    // A node receives its own messages directly.
    noEcho: true,
    timeout: CONNECT_WITHIN_MS,
    maxReconnectAttempts: -1,
    // Temporary refusals of the credentials by NATS must not end the link for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: RECONNECT_EVERY_MS,
    reconnectJitterTLS: RECONNECT_EVERY_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: PINGS_WITHOUT_ANSWER,
  })

const WHY: Readonly<Record<RejectedMessage["refused"], string>> = {
  forged:
    "it is not sealed with this node's CLUSTER_SECRET: somebody else uses NATS, or a node has another secret or release",
  replayed: "it was received before",
  stale: `its time is more than ${MOST_OFF_MS / 1000} seconds off: somebody sends it again, or the clock of a node is wrong`,
}

class NatsLink {
  readonly #nats: NatsConnection
  /** Null: messages are not sealed, because there is no secret and NATS is on this machine. */
  readonly #seal: MessageSeal | null
  readonly #prefix: string
  /** Kinds of refused messages that have been logged. */
  readonly #told = new Set<string>()
  readonly #log: Telemetry["Service"]["log"]
  readonly #metrics: Telemetry["Service"]["metrics"]
  readonly #resets = new Listeners()
  #isConnected = true

  constructor(
    nats: NatsConnection,
    seal: MessageSeal | null,
    link: string | null,
    { log, metrics }: Pick<Telemetry["Service"], "log" | "metrics">,
  ) {
    this.#nats = nats
    this.#seal = seal
    this.#prefix = link === null ? SUBJECTS : `${SUBJECTS}-${link}`
    this.#log = log
    this.#metrics = metrics
    metrics.natsConnected.set(1)
    void this.#watch()
  }

  readonly onReset = this.#resets.subscribe

  readonly mostBytes = (): number =>
    (this.#nats.info?.max_payload ?? DEFAULT_MOST_BYTES) - (this.#seal === null ? 0 : SEAL_BYTES)

  readonly publish = (subject: string, text: string): void => {
    const isOpen = this.#isConnected && !this.#nats.isClosed()
    if (isOpen) this.#nats.publish(`${this.#prefix}.${subject}`, this.#seal?.seal(subject, text) ?? text)
    this.#metrics.nodeMessages.add(1, isOpen ? "sent" : "lost")
  }

  readonly subscribe = (subject: string, listener: (text: string) => void): (() => void) => {
    const guarded = guard(this.#log, subject, listener)
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) return
      const text = this.#seal === null ? message.string() : this.#seal.open(subject, message.data)
      if (typeof text !== "string") {
        this.#refuse(subject, text)
        return
      }
      this.#metrics.nodeMessages.add(1, "received")
      guarded(text)
    }
    const subscription = this.#nats.subscribe(`${this.#prefix}.${subject}`, { callback })
    return () => subscription.unsubscribe()
  }

  /** Refuses a message. Somebody else may send any number of them: the metric counts each, and only the first is logged. */
  #refuse(subject: string, { refused }: RejectedMessage): void {
    this.#metrics.nodeMessages.add(1, "refused")
    if (this.#told.has(refused)) return
    this.#told.add(refused)
    this.#log.warn({ subject }, `a message on NATS is dropped, and others like it: ${WHY[refused]}`)
  }

  async #watch(): Promise<void> {
    for await (const status of this.#nats.status()) this.#follow(status)
  }

  #follow(status: Status): void {
    switch (status.type) {
      case "disconnect":
        if (this.#isConnected) this.#log.warn("the connection to NATS is lost")
        this.#isConnected = false
        this.#metrics.natsConnected.set(0)
        break
      case "reconnect":
        this.#isConnected = true
        this.#metrics.natsConnected.set(1)
        this.#log.info("the connection to NATS is back")
        this.#resets.notify()
        break
      case "error":
        this.#log.warn({ err: status.error }, "NATS reports an error")
        break
      default:
    }
  }
}

const refusedBy = (cause: unknown): NatsRefused =>
  new NatsRefused(`NATS at NATS_URL cannot be used (${(cause as Error).message}).`)

/** Tries the connection for the operator's check. @throws NatsRefused */
export const tryNats = async (urls: Redacted.Redacted<string>): Promise<void> => {
  try {
    const connection = await open(urls)
    await connection.rtt()
    await connection.close()
  } catch (cause) {
    throw refusedBy(cause)
  }
}

/**
 * Without `secret` messages are not sealed. `otherSecret`: a second secret that opens messages. `link`: name for the nodes on a copied
 * database. Fails with a defect, `NatsRefused`, if NATS is unreachable at the start.
 */
export const natsLinkLayer = (
  urls: Redacted.Redacted<string>,
  secret: Redacted.Redacted<string> | null,
  otherSecret: Redacted.Redacted<string> | null = null,
  link: string | null = null,
): Layer.Layer<NodeLink, never, Telemetry> =>
  Layer.effect(
    NodeLink,
    Effect.gen(function* () {
      const telemetry = yield* Telemetry
      const nats = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => open(urls),
          catch: refusedBy,
        }).pipe(Effect.orDie),
        (connection) => Effect.promise(() => connection.close().catch(() => {})),
      )
      const { now } = yield* currentTimers
      const other = otherSecret === null ? undefined : Redacted.value(otherSecret)
      const seal = secret === null ? null : new MessageSeal(Redacted.value(secret), now, other)
      return new NatsLink(nats, seal, link, telemetry)
    }),
  )
