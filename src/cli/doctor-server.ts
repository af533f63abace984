/** A running server's own report. Customers appear in it only as numbers: no titles, names or addresses. */
import { Redacted } from "effect"
import type { Config } from "../config/config.ts"
import { fetchText, serverBase } from "./reach-server.ts"

type Reached = Pick<Config, "host" | "port" | "adminPort" | "acme" | "publicUrl" | "metricsToken" | "platformKey">

const WITHIN_MS = 5000

/** Status fields that hold nothing of customers. */
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
  const answer = await fetchText(`${base}/v1/platform/status`, { "x-platform-key": Redacted.value(key) }, WITHIN_MS)
  return "status" in answer && answer.status === 200 ? numbersOf(answer.text) : answer
}

export const askServer = async (config: Reached) => {
  const { metricsToken, platformKey } = config
  const base = serverBase(config)
  if (base === undefined) return { missing: "With PORT 0 nobody knows where the server listens." }
  const ready = await fetchText(`${base}/readyz`, {}, WITHIN_MS)
  if ("failed" in ready) return { base, ...ready }
  const token = metricsToken === null ? undefined : Redacted.value(metricsToken)
  const metrics = await fetchText(
    `${base}/metrics`,
    token === undefined ? {} : { authorization: `Bearer ${token}` },
    WITHIN_MS,
  )
  return {
    base,
    ready,
    metrics: "text" in metrics ? { status: metrics.status, lines: metrics.text.trimEnd().split("\n") } : metrics,
    status: await readStatus(base, platformKey),
  }
}
