/** What each node has committed for its sockets, and whether its sockets wait in vain. */
import type { Crowd } from "../load/crowd.ts"

export class NodesServed {
  readonly #lastAt: Array<number>
  readonly #clients: Crowd["clients"]

  constructor(nodes: number, clients: Crowd["clients"]) {
    this.#lastAt = Array.from({ length: nodes }, () => Date.now())
    this.#clients = clients
  }

  committed(node: number): void {
    this.#lastAt[node] = Date.now()
  }

  /**
   * Unix milliseconds of the last command that was done for a socket of the node; now, unless a command has waited there ever since,
   * because nobody may have asked for anything.
   */
  lastAt(node: number): number {
    const last = this.#lastAt[node] ?? 0
    const waits = this.#clients().flatMap((client) => (client.node === node ? [client.waitsSince ?? Date.now()] : []))
    return Math.max(last, Math.min(Date.now(), ...waits))
  }
}
