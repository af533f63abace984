/**
 * Forwards the cluster engine's log lines to the server's log. Its information is for its developers and is logged at `debug`. The end of a
 * socket to another node is an error to the engine but a warning here, because the calls are repeated. Some warnings come once per shard,
 * so identical ones are logged once in five seconds.
 */
import { Cause, Effect, Layer, Logger } from "effect"
import { Telemetry } from "./telemetry.ts"

const LEVELS: { readonly [level: string]: "error" | "warn" } = { Fatal: "error", Error: "warn", Warn: "warn" }

const ALIKE_EVERY_MS = 5000
/** Number of engine texts remembered; they contain no values, so there are few. */
const MOST_TEXTS = 100

export const engineLogLayer: Layer.Layer<never, never, Telemetry> = Layer.unwrap(
  Effect.map(Telemetry, ({ log }) => {
    const loggedAt = new Map<string, number>()
    const isRepeated = (text: string): boolean => {
      const now = performance.now()
      if (now - (loggedAt.get(text) ?? Number.NEGATIVE_INFINITY) < ALIKE_EVERY_MS) return true
      if (loggedAt.size >= MOST_TEXTS) loggedAt.clear()
      loggedAt.set(text, now)
      return false
    }
    return Logger.layer([
      Logger.make(({ message, logLevel, cause }) => {
        const text = [message]
          .flat()
          .filter((part) => typeof part === "string")
          .join(" ")
        const level = LEVELS[logLevel] ?? "debug"
        if (level !== "debug" && isRepeated(text)) return
        const err = cause.reasons.length === 0 ? undefined : Cause.squash(cause)
        log[level]({ from: "cluster", err }, text)
      }),
    ])
  }),
)
