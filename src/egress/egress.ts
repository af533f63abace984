/**
 * Guarded HTTP client for targets chosen by users: webhook targets and key sets.
 *
 * Each send resolves the host (an answer is kept for seconds), refuses when any of its addresses is not public, and takes a connection that
 * belongs to the origin *and* that set of checked addresses. Its connector knows no others, and checks the address that a new socket
 * reached before sending a byte. So a reused connection leads to an address that was just checked, and a name that moves gets new
 * connections. TLS still verifies the certificate for the name. No redirects, no proxies: undici's `Client` knows neither. A
 * request on a kept connection that the other side closes at once, without an answer, is sent once more on a new one, because any server
 * may close idle connections (RFC 9112 §9.3.1 and §9.5), and may do so while a request is on its way. Bounds: the total time, the bytes of
 * an answer, and the names and connections kept. The callers limit the concurrent requests.
 */
import { Resolver } from "node:dns/promises"
import type { IncomingHttpHeaders } from "node:http"
import { Context, Data, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { Client, Dispatcher } from "undici"
import {
  checkAddress,
  checkTarget,
  type EgressPolicy,
  EgressRefused,
  isLoopbackName,
  literalAddress,
} from "../model/integrations/egress-target.ts"
import { StallClock } from "../telemetry/stall-clock.ts"
import { ConnectFailed } from "./connect-failed.ts"
import type { OriginConnections } from "./connections.ts"

/** A request that its target may safely receive twice. */
export interface EgressRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Time from the lookup to the last byte of the answer. Default 10,000. */
  readonly timeoutMs?: number
  /** Maximum bytes read of the answer's body; the rest is cut off. Default 64 KiB. */
  readonly maxBytes?: number
}

export interface EgressAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Whether the body was longer than `maxBytes`. */
  readonly truncated: boolean
}

type EgressFailureReason = "timeout" | "dns" | "connect" | "tls" | "protocol"

/** The target may be called, but did not answer. */
export class EgressFailed extends Data.TaggedError("EgressFailed")<{
  readonly reason: EgressFailureReason
  readonly detail: string
}> {}

/** Resolves to all addresses of a name; rejects when there are none. */
type ResolveHost = (host: string) => Promise<ReadonlyArray<string>>

export interface EgressOptions extends EgressPolicy {
  /** Defaults to DNS. */
  readonly resolve?: ResolveHost
  /** Lifetime of a lookup: long enough to serve a burst, short enough to follow a name that moves. Default 5,000. */
  readonly lookupLifetimeMs?: number
}

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_BYTES = 64 * 1024
const DEFAULT_LOOKUP_LIFETIME_MS = 5_000
const MAX_LOOKUPS = 1_024
/** Maximum number of address sets with open connections. */
const MAX_TARGETS = 256
/** All addresses of a name are checked; at most this many are tried. */
const MAX_PINNED = 8

/**
 * DNS without the system's `getaddrinfo`, which runs on the four threads that also hash passwords, where a name whose servers do not answer
 * would hold one for many seconds. A failing address family does no harm: only received answers are used.
 */
const dns = (): { readonly resolve: ResolveHost; readonly cancel: () => void } => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return {
    resolve: async (host) => {
      const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const addresses = [four, six].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
      if (addresses.length === 0 && four.status === "rejected") throw four.reason
      return addresses
    },
    cancel: () => resolver.cancel(),
  }
}

/** Caches lookups for a few seconds; concurrent lookups of the same name share one query. */
const remembering = (resolve: ResolveHost, lifetimeMs: number): ResolveHost => {
  const lookups = new LRUCache<string, Promise<ReadonlyArray<string>>>({
    max: MAX_LOOKUPS,
    ttl: lifetimeMs,
    ttlResolution: 0,
  })
  return (host) => {
    const known = lookups.get(host)
    if (known !== undefined) return known
    const answer = resolve(host)
    lookups.set(host, answer)
    // A failure is reported only to the callers that awaited this lookup.
    answer.catch(() => lookups.peek(host) === answer && lookups.delete(host))
    return answer
  }
}

/** Caches checked URLs; the check depends only on the text and the policy. A refusal is created anew each time. */
const rememberingTargets = (check: (text: string) => URL): ((text: string) => URL) => {
  const targets = new LRUCache<string, URL>({ max: MAX_LOOKUPS })
  return (text) => {
    const known = targets.get(text)
    if (known !== undefined) return known
    const url = check(text)
    targets.set(text, url)
    return url
  }
}

/** A connection for one request; `release` returns it. */
interface Taken {
  readonly client: Client
  readonly wasIdle: boolean
  readonly release: (reusable: boolean) => void
}

/** Codes for a connection that the other side closed, or that undici found closed. */
const CLOSED = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])
/** A close that crosses the request arrives within a round trip; a later close is the receiver's answer to it. */
const CROSSING_MS = 1_000

type Result = Effect.Effect<EgressAnswer, EgressRefused | EgressFailed>

/** One request in flight. It resumes exactly once; later callbacks of undici are ignored. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly request: EgressRequest
  private readonly resume: (result: Result) => void
  private readonly stalls: StallClock
  private readonly stalledBefore: number
  private timer: NodeJS.Timeout
  private readonly chunks: Array<Buffer> = []
  private release: (reusable: boolean) => void = () => {}
  /** Repeats the request on a new connection; `undefined` for one that was new already. */
  private repeat: (() => void) | undefined
  /** Time on the clock of `performance.now()`. */
  private sentAt = 0
  private settled = false
  private status = 0
  private headers: IncomingHttpHeaders = {}
  private bytes = 0

  constructor(request: EgressRequest, resume: (result: Result) => void, stalls: StallClock) {
    this.request = request
    this.resume = resume
    this.stalls = stalls
    this.stalledBefore = stalls.stalledMs
    this.timer = setTimeout(() => this.timeRanOut(), this.timeoutMs)
  }

  private get timeoutMs(): number {
    return this.request.timeoutMs ?? DEFAULT_TIMEOUT_MS
  }

  /** Time in which this process was stopped is given back once, because the receiver did not cause it. */
  private timeRanOut(): void {
    const late = (): void => this.fail("timeout", `No complete answer within ${this.timeoutMs} ms.`)
    const stalledMs = Math.min(this.stalls.stalledMs - this.stalledBefore, this.timeoutMs)
    if (stalledMs > 0) this.timer = setTimeout(late, stalledMs)
    else late()
  }

  /** Sends, unless the time ran out during the lookup. `take` returns a connection, on request a new one. */
  start(url: URL, take: (isNew: boolean) => Taken): void {
    if (this.settled) return
    const taken = take(false)
    if (taken.wasIdle) this.repeat = () => this.sendOn(take(true), url)
    this.sendOn(taken, url)
  }

  private sendOn({ client, release }: Taken, url: URL): void {
    this.release = release
    this.sentAt = performance.now()
    const { method, headers, body } = this.request
    client.dispatch({ method, path: url.pathname + url.search, headers, body: body ?? null }, this)
  }

  fail(reason: EgressFailureReason, detail: string): void {
    this.finish(Effect.fail(new EgressFailed({ reason, detail })))
  }

  finish(result: Result, reusable = false): void {
    if (this.settled) return
    this.cancel(reusable)
    this.resume(result)
  }

  cancel(reusable = false): void {
    if (this.settled) return
    this.settled = true
    clearTimeout(this.timer)
    this.release(reusable)
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return
    const room = (this.request.maxBytes ?? DEFAULT_MAX_BYTES) - this.bytes
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.bytes += Math.min(chunk.length, room)
    if (chunk.length > room) this.finish(Effect.succeed(this.answer(true)))
  }

  onResponseEnd(): void {
    this.finish(Effect.succeed(this.answer(false)), true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { repeat } = this
    this.repeat = undefined
    const { code = "" } = error as { readonly code?: string }
    const hasCrossed = this.status === 0 && CLOSED.has(code) && performance.now() - this.sentAt < CROSSING_MS
    if (repeat !== undefined && !this.settled && hasCrossed) {
      this.release(false)
      repeat()
    } else if (error instanceof EgressRefused) this.finish(Effect.fail(error))
    else this.fail(error instanceof ConnectFailed ? error.reason : "protocol", error.message)
  }

  private answer(truncated: boolean): EgressAnswer {
    return { status: this.status, headers: this.headers, body: Buffer.concat(this.chunks), truncated }
  }
}

export class Egress extends Context.Service<
  Egress,
  {
    /** Checks a URL as far as possible without looking up its host. */
    readonly check: (url: string) => Effect.Effect<void, EgressRefused>
    readonly send: (request: EgressRequest) => Effect.Effect<EgressAnswer, EgressRefused | EgressFailed>
  }
>()("gathercue/Egress") {
  static readonly layer = (options: EgressOptions): Layer.Layer<Egress> =>
    Layer.effect(
      Egress,
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => openEgress(options)),
          (egress) => Effect.promise(() => egress.close()),
        ),
        ({ check, send }) => ({ check, send }),
      ),
    )
}

type ConnectionModule = typeof import("./connections.ts")

const openEgress = (options: EgressOptions): Egress["Service"] & { readonly close: () => Promise<void> } => {
  const system = dns()
  const stalls = new StallClock()
  const resolve = remembering(options.resolve ?? system.resolve, options.lookupLifetimeMs ?? DEFAULT_LOOKUP_LIFETIME_MS)
  const targetOf = rememberingTargets((text) => checkTarget(text, options))
  const targets = new Map<string, OriginConnections>()
  const inUse = new Set<Client>()
  let loaded: ConnectionModule | undefined

  const connectionsTo = (
    { OriginConnections, connectorTo }: ConnectionModule,
    url: URL,
    addresses: ReadonlyArray<string>,
  ): OriginConnections => {
    const key = `${url.origin} ${addresses.toSorted().join(" ")}`
    const connections = targets.get(key) ?? new OriginConnections(url, connectorTo(url, addresses, options))
    targets.delete(key)
    targets.set(key, connections)
    const [leastRecent] = targets
    if (targets.size > MAX_TARGETS && leastRecent !== undefined) {
      targets.delete(leastRecent[0])
      void leastRecent[1].retire()
    }
    return connections
  }

  const takeFrom = (connections: OriginConnections) => (isNew: boolean) => {
    const idle = isNew ? undefined : connections.takeIdle()
    const client = idle ?? connections.open()
    inUse.add(client)
    const release = (reusable: boolean) => {
      inUse.delete(client)
      if (!(reusable && connections.keep(client))) void client.destroy()
    }
    return { client, wasIdle: idle !== undefined, release }
  }

  const startAt = (exchange: Exchange, url: URL, addresses: ReadonlyArray<string>): void => {
    if (addresses.length === 0) exchange.fail("dns", "The name has no address.")
    for (const address of addresses) checkAddress(url, address, options)
    const start = (module: ConnectionModule): void =>
      exchange.start(url, takeFrom(connectionsTo(module, url, addresses.slice(0, MAX_PINNED))))
    if (loaded !== undefined) {
      start(loaded)
      return
    }
    // Loaded on demand: the HTTP client is a tenth of what the server would load at its start, and may never be needed.
    import("./connections.ts").then(
      (module) => {
        loaded = module
        guarded(exchange, () => start(module))
      },
      (cause: unknown) => exchange.finish(Effect.die(cause)),
    )
  }

  const begin = (exchange: Exchange, text: string): void => {
    const url = targetOf(text)
    const literal = literalAddress(url)
    if (literal !== undefined) startAt(exchange, url, [literal])
    else if (isLoopbackName(url.hostname)) startAt(exchange, url, ["127.0.0.1", "::1"])
    else {
      resolve(url.hostname).then(
        (addresses) => guarded(exchange, () => startAt(exchange, url, addresses)),
        (cause: Error) => exchange.fail("dns", cause.message),
      )
    }
  }

  return {
    check: (url) =>
      Effect.asVoid(Effect.try({ try: () => checkTarget(url, options), catch: (cause) => cause as EgressRefused })),
    send: (request) =>
      Effect.callback((resume) => {
        const exchange = new Exchange(request, resume, stalls)
        guarded(exchange, () => begin(exchange, request.url))
        return Effect.sync(() => exchange.cancel())
      }),
    close: async () => {
      system.cancel()
      stalls.stop()
      await Promise.all([...inUse].map((client) => client.destroy()))
      await Promise.all([...targets.values()].map((connections) => connections.retire()))
    },
  }
}

/** A refusal ends the exchange; any other error is a defect of this server and is thrown. */
const guarded = (exchange: Exchange, body: () => void): void => {
  try {
    body()
  } catch (cause) {
    exchange.finish(cause instanceof EgressRefused ? Effect.fail(cause) : Effect.die(cause))
  }
}
