/** Messages from live events to the gateway of one node: peer lists and signals of calls, addressed to some of its sockets. */
import type { MutedSource } from "../../protocol/messages/media.ts"
import type { CallPeer, PeerSignal } from "./call.ts"
import type { ServerSignal } from "./call-server.ts"

/** A socket, by its number on the node, and its peer. */
export interface PeerSocket {
  readonly socket: number
  readonly connectionId: string
}

export type CallNews =
  /** `isAsked`: the peer joined again and gets the list even if it is unchanged. */
  | {
      readonly type: "list"
      readonly roomId: string
      readonly peers: ReadonlyArray<CallPeer>
      readonly to: ReadonlyArray<PeerSocket>
      readonly isAsked: boolean
      /** Session of the media server; absent where browsers connect to each other. */
      readonly server?: string
    }
  | {
      readonly type: "signal"
      readonly from: string
      readonly signal: PeerSignal | Omit<ServerSignal, "from">
      readonly to: PeerSocket
    }
  /** A host asks the person to turn the source on. */
  | { readonly type: "asked"; readonly source: MutedSource; readonly to: PeerSocket }
  /** The socket no longer holds the peer. */
  | { readonly type: "closed"; readonly to: PeerSocket; readonly why: "left" | "moved" | "replaced" }

export interface NodeMessage {
  readonly eventId: string
  /** Name of the sequence, and the message's number in it, starting at 1. A gap reveals a lost message. */
  readonly sequence: string
  readonly n: number
  readonly news: CallNews
}

export type NodeListener = (message: NodeMessage) => void

/** Listeners of this process by node and event. Tests run several nodes in one process. */
export class NodeListeners {
  readonly #nodes = new Map<string, Map<string, Set<NodeListener>>>()

  has(node: string): boolean {
    return this.#nodes.has(node)
  }

  /** Returns a function that removes the listener. */
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
