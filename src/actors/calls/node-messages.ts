/** Messages of live events to the gateway of one node: lists and signals of calls, which concern some of its sockets. */
import type { CallPeer, PeerSignal } from "./room.ts"

/** A socket of the node, by its number, and its peer. */
export interface PeerSocket {
  readonly socket: number
  readonly connectionId: string
}

export type CallNews =
  /** `isAsked`: the peer joined again, and gets the list also without a change. */
  | {
      readonly type: "list"
      readonly roomId: string
      readonly peers: ReadonlyArray<CallPeer>
      readonly to: ReadonlyArray<PeerSocket>
      readonly isAsked: boolean
    }
  | { readonly type: "signal"; readonly from: string; readonly signal: PeerSignal; readonly to: PeerSocket }
  /** The peer belongs to this socket no longer. */
  | { readonly type: "closed"; readonly to: PeerSocket; readonly why: "left" | "moved" | "replaced" }

export interface NodeMessage {
  readonly eventId: string
  /** The name of the sequence, and the number in it, from 1: a gap shows that a message was lost. */
  readonly sequence: string
  readonly n: number
  readonly news: CallNews
}

export type NodeListener = (message: NodeMessage) => void

/** The listeners of this process, by node and event. Tests have several nodes in a process. */
export class NodeListeners {
  readonly #nodes = new Map<string, Map<string, Set<NodeListener>>>()

  has(node: string): boolean {
    return this.#nodes.has(node)
  }

  /** Returns the end of it. */
  add(node: string, eventId: string, listener: NodeListener): () => void {
    const events = this.#nodes.get(node) ?? new Map<string, Set<NodeListener>>()
    const listeners = events.get(eventId) ?? new Set()
    this.#nodes.set(node, events.set(eventId, listeners.add(listener)))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && events.get(eventId) === listeners) events.delete(eventId)
      if (events.size === 0 && this.#nodes.get(node) === events) this.#nodes.delete(node)
    }
  }

  tell(node: string, message: NodeMessage): void {
    for (const listener of this.#nodes.get(node)?.get(message.eventId) ?? []) listener(message)
  }
}
