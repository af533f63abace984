/** Links of nodes in one process, whose messages cross as text, and which a test can cut. */
import { Layer } from "effect"
import { NodeLink } from "../../src/cluster/link/node-link.ts"
import { Listeners } from "../../src/model/listeners.ts"

interface Node {
  readonly subjects: Map<string, Set<(text: string) => void>>
  readonly resets: Listeners
}

export interface MemoryNetwork {
  /** Everything that was sent, in order. */
  readonly sent: ReadonlyArray<{ readonly subject: string; readonly text: string }>
  readonly node: () => Layer.Layer<NodeLink>
  readonly reset: () => void
}

export const openMemoryNetwork = (mostBytes = 1_000_000): MemoryNetwork => {
  const nodes = new Set<Node>()
  const sent: Array<{ subject: string; text: string }> = []
  const join = (): NodeLink["Service"] => {
    const self: Node = { subjects: new Map(), resets: new Listeners() }
    nodes.add(self)
    return {
      publish: (subject, text) => {
        sent.push({ subject, text })
        for (const node of nodes) {
          if (node !== self) for (const listener of node.subjects.get(subject) ?? []) listener(text)
        }
      },
      subscribe: (subject, listener) => {
        const listeners = self.subjects.get(subject) ?? new Set()
        self.subjects.set(subject, listeners.add(listener))
        return () => listeners.delete(listener)
      },
      onReset: self.resets.subscribe,
      mostBytes: () => mostBytes,
    }
  }
  return {
    sent,
    node: () => Layer.sync(NodeLink, join),
    reset: () => {
      for (const { resets } of nodes) resets.notify()
    },
  }
}
