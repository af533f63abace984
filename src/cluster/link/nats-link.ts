/**
 * The link between nodes on NATS core: at most once, with no memory. Messages that are published while the connection is lost
 * are not kept for later: their receivers compare their state with the store after the reset.
 */
import {
  connect,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  type Status,
} from "@nats-io/transport-node"
import { Effect, Layer, Redacted } from "effect"
import { Listeners } from "../../model/listeners.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { guard, NodeLink } from "./node-link.ts"

/** NATS cannot be used; the message is one sentence for the operator. */
export class NatsRefused extends Error {
  override readonly name = "NatsRefused"
}

const CONNECT_WITHIN_MS = 2000
const RECONNECT_EVERY_MS = 250
/** A connection without an answer to so many pings is given up. */
const PING_EVERY_MS = 2000
const PINGS_WITHOUT_ANSWER = 2
const SUBJECTS = "gathercue"
/** NATS' own default. */
const DEFAULT_MOST_BYTES = 1_048_576

/** Of comma separated `nats://` and `tls://` addresses, of which one or all name the user. A user alone is a token. */
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
    // A node hears its own messages directly.
    noEcho: true,
    timeout: CONNECT_WITHIN_MS,
    maxReconnectAttempts: -1,
    // Credentials that NATS refuses for a while must not end the link for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: RECONNECT_EVERY_MS,
    reconnectJitterTLS: RECONNECT_EVERY_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: PINGS_WITHOUT_ANSWER,
  })

class NatsLink {
  readonly #nats: NatsConnection
  readonly #log: Telemetry["Service"]["log"]
  readonly #metrics: Telemetry["Service"]["metrics"]
  readonly #resets = new Listeners()
  #isConnected = true

  constructor(nats: NatsConnection, { log, metrics }: Pick<Telemetry["Service"], "log" | "metrics">) {
    this.#nats = nats
    this.#log = log
    this.#metrics = metrics
    metrics.natsConnected.set(1)
    void this.#watch()
  }

  readonly onReset = this.#resets.subscribe

  readonly mostBytes = (): number => this.#nats.info?.max_payload ?? DEFAULT_MOST_BYTES

  readonly publish = (subject: string, text: string): void => {
    const isOpen = this.#isConnected && !this.#nats.isClosed()
    if (isOpen) this.#nats.publish(`${SUBJECTS}.${subject}`, text)
    this.#metrics.nodeMessages.add(1, isOpen ? "sent" : "lost")
  }

  readonly subscribe = (subject: string, listener: (text: string) => void): (() => void) => {
    const guarded = guard(this.#log, subject, listener)
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) return
      this.#metrics.nodeMessages.add(1, "received")
      guarded(message.string())
    }
    const subscription = this.#nats.subscribe(`${SUBJECTS}.${subject}`, { callback })
    return () => subscription.unsubscribe()
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

/** Fails with a defect, `NatsRefused`, when NATS is not reached at the start. */
export const natsLinkLayer = (urls: Redacted.Redacted<string>): Layer.Layer<NodeLink, never, Telemetry> =>
  Layer.effect(
    NodeLink,
    Effect.gen(function* () {
      const telemetry = yield* Telemetry
      const nats = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => open(urls),
          catch: (cause) => new NatsRefused(`NATS at NATS_URL cannot be used (${(cause as Error).message}).`),
        }).pipe(Effect.orDie),
        (connection) => Effect.promise(() => connection.close().catch(() => {})),
      )
      return new NatsLink(nats, telemetry)
    }),
  )
