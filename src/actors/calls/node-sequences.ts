/**
 * Numbered messages to each node, and the last request of each node, which may be repeated. Messages are delivered after a whole request
 * has been applied: within one process a gateway answers a message synchronously with another request.
 */

import type { CallReply } from "./call-request.ts"
import type { CallNews, NodeMessage } from "./node-messages.ts"

interface NodeState {
  readonly sequence: string
  sent: number
  /** The last request's id and its reply. */
  last: { readonly id: string; readonly reply: CallReply } | undefined
}

export class NodeSequences {
  readonly #eventId: string
  readonly #tell: (node: string, message: NodeMessage) => void
  readonly #nodes = new Map<string, NodeState>()
  readonly #outgoing: Array<{ readonly node: string; readonly message: NodeMessage }> = []
  #isDelivering = false

  constructor(eventId: string, tell: (node: string, message: NodeMessage) => void) {
    this.#eventId = eventId
    this.#tell = tell
  }

  begin(node: string, sequence: string): void {
    this.#nodes.set(node, { sequence, sent: 0, last: undefined })
  }

  isCurrent(node: string, sequence: string): boolean {
    return this.#nodes.get(node)?.sequence === sequence
  }

  sent(node: string): number {
    return this.#nodes.get(node)?.sent ?? 0
  }

  repeated(node: string, requestId: string): CallReply | undefined {
    const last = this.#nodes.get(node)?.last
    return last?.id === requestId ? last.reply : undefined
  }

  keep(node: string, id: string, reply: CallReply): void {
    const state = this.#nodes.get(node)
    if (state !== undefined) state.last = { id, reply }
  }

  /** A node that returns starts a new sequence. */
  forget(node: string): void {
    this.#nodes.delete(node)
  }

  /** Queues a message for the node. An unknown node gets none: it reports its peers first. */
  put(node: string, news: CallNews): void {
    const state = this.#nodes.get(node)
    if (state === undefined) return
    state.sent++
    const message = { eventId: this.#eventId, sequence: state.sequence, n: state.sent, news }
    this.#outgoing.push({ node, message })
  }

  deliver(): void {
    if (this.#isDelivering) return
    this.#isDelivering = true
    try {
      for (let next = this.#outgoing.shift(); next !== undefined; next = this.#outgoing.shift()) {
        this.#tell(next.node, next.message)
      }
    } finally {
      this.#isDelivering = false
    }
  }
}
