/**
 * The waiting participants: connected, not present. They are kept in memory like presence; only an admission is stored. Staff
 * receive the difference at intervals, each participant once.
 */
import type { ParticipantKind } from "../../model/participants.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { type NodeConnections, type OpenConnection, opened, reported, withoutNode } from "./open-connections.ts"

/** Changes published at once: a whole broadcast audience may enter the waiting room at the same time. */
const PUBLISHED_AT_ONCE = 500

export interface WaitingParticipant {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly since: Timestamp
}

interface Entry {
  readonly waiting: WaitingParticipant
  connections: ReadonlyArray<OpenConnection>
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

  find(participantId: string): WaitingParticipant | undefined {
    return this.#entries.get(participantId)?.waiting
  }

  *all(): IterableIterator<WaitingParticipant> {
    for (const { waiting } of this.#entries.values()) yield waiting
  }

  connectionsOf(participantId: string): ReadonlyArray<OpenConnection> {
    return this.#entries.get(participantId)?.connections ?? []
  }

  /** The participant's connections on a node wait: the first one is there, or they are others than before. */
  enter(from: NodeConnections, participant: Omit<WaitingParticipant, "since">, since: Timestamp): void {
    const entry = this.#entries.get(participant.participantId)
    if (entry === undefined) this.receive(opened(from), participant, since)
    else entry.connections = reported(entry.connections, from)
  }

  /** The participant waits, with these connections and those on other nodes that wait already. */
  receive(
    connections: ReadonlyArray<OpenConnection>,
    { participantId, name, kind }: Omit<WaitingParticipant, "since">,
    since: Timestamp,
  ): void {
    if (connections.length === 0) return
    const known = this.#entries.get(participantId)
    if (known === undefined) {
      this.#entries.set(participantId, { waiting: { participantId, name, kind, since }, connections })
      this.#changed.add(participantId)
      return
    }
    const isElsewhere = ({ node }: OpenConnection): boolean => connections.every((one) => one.node !== node)
    known.connections = [...known.connections.filter(isElsewhere), ...connections]
  }

  /** No connection on that node waits any more: admitted, denied, or gone. */
  leave(node: string, participantId: string): void {
    const entry = this.#entries.get(participantId)
    if (!entry?.connections.some((one) => one.node === node)) return
    entry.connections = withoutNode(entry.connections, node)
    if (entry.connections.length > 0) return
    this.#entries.delete(participantId)
    this.#changed.add(participantId)
  }

  /** The node is gone with all connections there. */
  forgetNode(node: string): void {
    for (const participantId of this.#entries.keys()) this.leave(node, participantId)
  }

  /** The changes that staff have not received yet. */
  get news(): { readonly add: ReadonlyArray<WaitingParticipant>; readonly remove: ReadonlyArray<string> } {
    const add: WaitingParticipant[] = []
    const remove: string[] = []
    for (const participantId of this.#next) {
      const waiting = this.find(participantId)
      if (waiting === undefined) remove.push(participantId)
      else add.push(waiting)
    }
    return { add, remove }
  }

  /** The last `news` was published; more may remain. */
  settle(): void {
    for (const participantId of this.#next) this.#changed.delete(participantId)
  }

  get #next(): ReadonlyArray<string> {
    return [...this.#changed].slice(0, PUBLISHED_AT_ONCE)
  }
}
