/**
 * Who waits in the lobby: connected, not present. Kept in memory like presence; being let in is what lasts. Staff are told
 * the difference now and then, each person once.
 */
import type { ParticipantKind } from "../../model/participants.ts"
import type { Timestamp } from "../../model/timestamp.ts"

/** Comings and goings told at once: a broadcast's audience may come before the door as one. */
const TOLD_AT_ONCE = 500

export interface Waiting {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly since: Timestamp
}

interface Entry {
  readonly waiting: Waiting
  readonly nodes: Set<string>
}

export class Lobby {
  readonly #entries = new Map<string, Entry>()
  readonly #changed = new Set<string>()

  get size(): number {
    return this.#entries.size
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0
  }

  find(participantId: string): Waiting | undefined {
    return this.#entries.get(participantId)?.waiting
  }

  *all(): IterableIterator<Waiting> {
    for (const { waiting } of this.#entries.values()) yield waiting
  }

  /** A first connection on a node waits. */
  knock(node: string, { participantId, name, kind }: Omit<Waiting, "since">, since: Timestamp): void {
    const entry = this.#entries.get(participantId)
    if (entry !== undefined) {
      entry.nodes.add(node)
      return
    }
    this.#entries.set(participantId, { waiting: { participantId, name, kind, since }, nodes: new Set([node]) })
    this.#changed.add(participantId)
  }

  /** No connection on that node waits any more: let in, turned away, or gone. */
  giveUp(node: string, participantId: string): void {
    const entry = this.#entries.get(participantId)
    if (entry === undefined || !entry.nodes.delete(node) || entry.nodes.size > 0) return
    this.#entries.delete(participantId)
    this.#changed.add(participantId)
  }

  /** What staff have not been told yet. */
  get news(): { readonly add: ReadonlyArray<Waiting>; readonly remove: ReadonlyArray<string> } {
    const add: Waiting[] = []
    const remove: string[] = []
    for (const participantId of this.#next) {
      const waiting = this.find(participantId)
      if (waiting === undefined) remove.push(participantId)
      else add.push(waiting)
    }
    return { add, remove }
  }

  /** The news was told; there may be more. */
  settle(): void {
    for (const participantId of this.#next) this.#changed.delete(participantId)
  }

  get #next(): ReadonlyArray<string> {
    return [...this.#changed].slice(0, TOLD_AT_ONCE)
  }
}
