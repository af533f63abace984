/**
 * Forwards messages between workers: each to all other workers that subscribe to its subject, in order. Messages for a worker that does not
 * take them are dropped above a limit, and the worker is notified once it takes messages again.
 */
import type { SupervisorMessage, WorkerMessage } from "../cluster/link/worker-messages.ts"

/** A worker as the hub sees it. */
export interface Receiver {
  /** `taken` is called when the message has left this process. */
  readonly send: (message: SupervisorMessage, taken: () => void) => void
}

const MOST_WAITING_BYTES = 16 * 1024 * 1024
const BYTES_PER_CHARACTER = 2

export class LinkHub {
  readonly #subscribers = new Map<string, Set<Receiver>>()
  /** Bytes in flight to a worker, and whether messages were dropped. */
  readonly #waiting = new Map<Receiver, { bytes: number; hasDropped: boolean }>()

  joined(worker: Receiver): void {
    this.#waiting.set(worker, { bytes: 0, hasDropped: false })
  }

  left(worker: Receiver): void {
    this.#waiting.delete(worker)
    for (const [subject, subscribers] of this.#subscribers) {
      subscribers.delete(worker)
      if (subscribers.size === 0) this.#subscribers.delete(subject)
    }
  }

  received(from: Receiver, message: WorkerMessage): void {
    switch (message.type) {
      case "publish":
        for (const worker of this.#subscribers.get(message.subject) ?? []) {
          if (worker !== from) this.#pass(worker, message.subject, message.text)
        }
        break
      case "subscribe":
        this.#subscribers.set(message.subject, (this.#subscribers.get(message.subject) ?? new Set()).add(from))
        break
      case "unsubscribe":
        this.#unsubscribe(from, message.subject)
        break
      case "ready":
        break
    }
  }

  #unsubscribe(worker: Receiver, subject: string): void {
    const subscribers = this.#subscribers.get(subject)
    subscribers?.delete(worker)
    if (subscribers?.size === 0) this.#subscribers.delete(subject)
  }

  #pass(worker: Receiver, subject: string, text: string): void {
    const waiting = this.#waiting.get(worker)
    if (waiting === undefined) return
    const bytes = text.length * BYTES_PER_CHARACTER
    // A worker that has taken all earlier messages gets a message of any length.
    if (waiting.bytes > 0 && waiting.bytes + bytes > MOST_WAITING_BYTES) {
      waiting.hasDropped = true
      return
    }
    waiting.bytes += bytes
    worker.send({ type: "message", subject, text }, () => {
      waiting.bytes -= bytes
      if (waiting.bytes > 0 || !waiting.hasDropped) return
      waiting.hasDropped = false
      worker.send({ type: "reset" }, () => {})
    })
  }
}
