/** The link between the workers of one machine: their supervisor forwards messages, so that no broker is needed. */
import { Effect, Layer } from "effect"
import { Listeners } from "../../model/listeners.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { guard, NodeLink } from "./node-link.ts"
import type { SupervisorMessage, WorkerMessage } from "./worker-messages.ts"

/** The supervisor drops messages that a worker does not take (workers/link-hub.ts), so a message of any length may be sent. */
const MOST_BYTES = Number.MAX_SAFE_INTEGER

/** Sends a message to the supervisor. If the supervisor is gone, the message is lost: this process is about to stop. */
export const toSupervisor = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message, () => {})
}

const openWorkerLink = (log: Telemetry["Service"]["log"]): NodeLink["Service"] => {
  const subjects = new Map<string, Set<(text: string) => void>>()
  const resets = new Listeners()
  process.on("message", (message: SupervisorMessage) => {
    if (message.type === "reset") return resets.notify()
    for (const listener of subjects.get(message.subject) ?? []) listener(message.text)
  })
  return {
    publish: (subject, text) => toSupervisor({ type: "publish", subject, text }),
    subscribe: (subject, listener) => {
      const listeners = subjects.get(subject) ?? new Set()
      if (listeners.size === 0) toSupervisor({ type: "subscribe", subject })
      const guarded = guard(log, subject, listener)
      subjects.set(subject, listeners.add(guarded))
      return () => {
        if (!listeners.delete(guarded) || listeners.size > 0) return
        subjects.delete(subject)
        toSupervisor({ type: "unsubscribe", subject })
      }
    },
    onReset: resets.subscribe,
    mostBytes: () => MOST_BYTES,
  }
}

export const workerLinkLayer: Layer.Layer<NodeLink, never, Telemetry> = Layer.effect(
  NodeLink,
  Effect.map(Telemetry, ({ log }) => openWorkerLink(log)),
)
