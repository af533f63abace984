/**
 * Waiting participants: connected, but not present. They are kept in memory like presence. Admissions are stored, and the time since when
 * each participant waits, which is their place in the queue and is kept like everything that they hold (`model/live/holdings.ts`). Staff
 * receive the changes at intervals, each participant once.
 */
import { byCodeUnits } from "../../model/text/compared.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { WaitingView } from "../../protocol/messages/participants.ts"
import { Absences } from "./absences.ts"
import { type NodeConnections, type OpenConnection, opened, reported, withoutNode } from "./open-connections.ts"

/** Most changes published at once: a whole broadcast audience may enter the waiting room at the same time. */
const PUBLISHED_AT_ONCE = 500

interface Entry {
  readonly waiting: WaitingView
  connections: ReadonlyArray<OpenConnection>
}

/** The collections are created on first use: in most events nobody waits. */
export class Lobby {
  #entries: Map<string, Entry> | undefined
  #changed: Set<string> | undefined
  /** Includes participants who lost their connections and may return. */
  #places: Map<string, Timestamp> | undefined
  readonly #absences = new Absences<never>()
  /** Participants whose place differs from the stored one. */
  #unstored: Set<string> | undefined
  readonly #returnWithinMs: number

  constructor(returnWithinMs: number) {
    this.#returnWithinMs = returnWithinMs
  }

  get size(): number {
    return this.#entries?.size ?? 0
  }

  get hasChanges(): boolean {
    return (this.#changed?.size ?? 0) + (this.#unstored?.size ?? 0) > 0
  }

  /** Waiting participants in the order of their places. */
  all(): IterableIterator<WaitingView> {
    const waiting = Array.from(this.#entries?.values() ?? [], (entry) => entry.waiting)
    return waiting.sort((a, b) => byCodeUnits(a.since, b.since)).values()
  }

  connectionsOf(participantId: string): ReadonlyArray<OpenConnection> {
    return this.#entries?.get(participantId)?.connections ?? []
  }

  /** Sets the participant's waiting connections on a node, the first or changed ones. */
  enter(from: NodeConnections, participant: Omit<WaitingView, "since">, since: Timestamp): void {
    const entry = this.#entries?.get(participant.participantId)
    if (entry === undefined) this.receive(opened(from), participant, since)
    else entry.connections = reported(entry.connections, from)
  }

  /** The participant waits, with these connections and those already waiting on other nodes. */
  receive(
    connections: ReadonlyArray<OpenConnection>,
    { participantId, name, kind }: Omit<WaitingView, "since">,
    since: Timestamp,
  ): void {
    if (connections.length === 0) return
    const known = this.#entries?.get(participantId)
    this.#absences.end(participantId)
    if (known === undefined) {
      const place = this.#places?.get(participantId) ?? since
      this.#entries ??= new Map()
      this.#entries.set(participantId, { waiting: { participantId, name, kind, since: place }, connections })
      this.#setPlace(participantId, place)
      this.#note(participantId)
      return
    }
    const isElsewhere = ({ node }: OpenConnection): boolean => connections.every((one) => one.node !== node)
    known.connections = [...known.connections.filter(isElsewhere), ...connections]
  }

  /** No connection of the participant on that node waits any more: admitted, denied, or lost. */
  leave(node: string, participantId: string, now: number, isForGood = false): void {
    const entry = this.#entries?.get(participantId)
    if (!entry?.connections.some((one) => one.node === node)) return
    entry.connections = withoutNode(entry.connections, node)
    if (entry.connections.length > 0) return
    this.#entries?.delete(participantId)
    this.#note(participantId)
    if (isForGood) this.endPlace(participantId)
    else if (this.#places?.has(participantId)) this.#absences.begin(participantId, now + this.#returnWithinMs)
  }

  #note(participantId: string): void {
    this.#changed ??= new Set()
    this.#changed.add(participantId)
  }

  /** Ends the participant's place: a host has decided, they are inside, or they left for good. If they wait again, they get a new place. */
  endPlace(participantId: string): void {
    this.#absences.end(participantId)
    this.#setPlace(participantId, undefined)
  }

  /** Restores places from before this activation; their participants may return until then. */
  restore(places: ReadonlyMap<string, { readonly since: Timestamp }>, until: number): void {
    for (const [participantId, { since }] of places) {
      this.#places ??= new Map()
      this.#places.set(participantId, since)
      this.#absences.begin(participantId, until)
    }
  }

  /** Ends the places of participants who did not return in time. */
  lapse(now: number): void {
    for (const participantId of this.#absences.lapse(now)) this.#setPlace(participantId, undefined)
  }

  get nextLapse(): number | undefined {
    return this.#absences.next
  }

  /** Some of the places to be stored; `undefined`: the place has ended. They stay until they are `stored`. */
  get unstoredPlaces(): ReadonlyArray<readonly [participantId: string, since: Timestamp | undefined]> {
    return [...(this.#unstored ?? [])].slice(0, PUBLISHED_AT_ONCE).map((id) => [id, this.#places?.get(id)])
  }

  stored(places: Lobby["unstoredPlaces"]): void {
    for (const [id, since] of places) if (this.#places?.get(id) === since) this.#unstored?.delete(id)
  }

  #setPlace(participantId: string, since: Timestamp | undefined): void {
    if (this.#places?.get(participantId) === since) return
    this.#places ??= new Map()
    if (since === undefined) this.#places.delete(participantId)
    else this.#places.set(participantId, since)
    this.#unstored ??= new Set()
    this.#unstored.add(participantId)
  }

  /** The node is gone with all its connections. */
  forgetNode(node: string, now: number): void {
    for (const participantId of this.#entries?.keys() ?? []) this.leave(node, participantId, now)
  }

  /** Changes that staff have not received yet. */
  get news(): { readonly add: ReadonlyArray<WaitingView>; readonly remove: ReadonlyArray<string> } {
    const add: WaitingView[] = []
    const remove: string[] = []
    for (const participantId of this.#next) {
      const waiting = this.#entries?.get(participantId)?.waiting
      if (waiting === undefined) remove.push(participantId)
      else add.push(waiting)
    }
    return { add, remove }
  }

  /** Called when the last `news` was published; more may remain. */
  settle(): void {
    for (const participantId of this.#next) this.#changed?.delete(participantId)
  }

  get #next(): ReadonlyArray<string> {
    return [...(this.#changed ?? [])].slice(0, PUBLISHED_AT_ONCE)
  }
}
