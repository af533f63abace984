/** A running server as it tells of itself. Of customers there are numbers alone: no titles, names or addresses. */
import { Redacted } from "effect"
import type { Config } from "../config/config.ts"
import { listenUrl } from "../model/listen-url.ts"

type Reached = Pick<Config, "host" | "port" | "adminPort" | "acme" | "publicUrl" | "metricsToken" | "platformKey">

const WITHIN_MS = 5000
const LOOPBACK = "127.0.0.1"

const ask = async (url: string, headers: Readonly<Record<string, string>>) => {
  const abort = new AbortController()
  const late = setTimeout(() => abort.abort(new Error("no answer in time")), WITHIN_MS)
  try {
    const answer = await fetch(url, { headers, signal: abort.signal, redirect: "manual" })
    return { status: answer.status, text: await answer.text() }
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : (cause as Error)
    return { failed: inner.message }
  } finally {
    clearTimeout(late)
  }
}

/** Fields of the status that hold nothing of customers. */
const NUMBERS = ["release", "at", "quiet", "certificate", "process", "nodes", "backlog"] as const

const numbersOf = (text: string) => {
  const status = JSON.parse(text) as Readonly<Record<string, unknown>> & {
    readonly liveEvents: { readonly total: number }
    readonly failingWebhooks: ReadonlyArray<unknown>
  }
  return {
    ...Object.fromEntries(NUMBERS.map((name) => [name, status[name]])),
    liveEvents: status.liveEvents.total,
    failingWebhooks: status.failingWebhooks.length,
  }
}

const readStatus = async (base: string, key: Config["platformKey"]) => {
  if (key === null) return { missing: "PLATFORM_KEY is not set." }
  const answer = await ask(`${base}/v1/platform/status`, { "x-platform-key": Redacted.value(key) })
  return "status" in answer && answer.status === 200 ? numbersOf(answer.text) : answer
}

/** A port with TLS answers under its names alone. */
const baseOf = ({ host, port, adminPort, acme, publicUrl }: Reached): string => {
  if (adminPort !== null) return listenUrl(LOOPBACK, adminPort)
  return acme === null || publicUrl === null ? listenUrl(host, port) : publicUrl
}

export const askServer = async (config: Reached) => {
  const { port, adminPort, metricsToken, platformKey } = config
  if (port === 0 && adminPort === null) return { missing: "With PORT 0 nobody knows where the server listens." }
  const base = baseOf(config)
  const ready = await ask(`${base}/readyz`, {})
  if ("failed" in ready) return { base, ...ready }
  const token = metricsToken === null ? undefined : Redacted.value(metricsToken)
  const metrics = await ask(`${base}/metrics`, token === undefined ? {} : { authorization: `Bearer ${token}` })
  return {
    base,
    ready,
    metrics: "text" in metrics ? { status: metrics.status, lines: metrics.text.trimEnd().split("\n") } : metrics,
    status: await readStatus(base, platformKey),
  }
}
