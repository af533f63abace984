/**
 * Presence at the event: kept in memory, counted per participant and node, O(1) for every join and leave. A second tab does not count
 * twice, and a `left` always follows a `joined`. No participant is present before the event is live; connected ones become present when it
 * starts (docs/gateway.md).
 */
import { newId } from "../../model/ids.ts"
import type { EventRole } from "../../model/roles.ts"
import { type Timestamp, toMillis } from "../../model/timestamp.ts"
import type { WaitingView } from "../../protocol/messages/participants.ts"
import type { Participant } from "../commands.ts"
import { GroupIndex } from "../state/record-index.ts"
import { Absences } from "./absences.ts"
import type { AdmissionResult } from "./admission-policy.ts"
import { type NodeConnections, type OpenConnection, opened, reported, withoutNode } from "./open-connections.ts"
import { Lobby } from "./waiting-room.ts"

export interface Present extends Participant {
  readonly joinedAt: Timestamp
}

/** Read-only access to presence. */
export interface PresentPeople {
  readonly find: (participantId: string) => Present | undefined
  readonly all: () => IterableIterator<Present>
  /** Ids of the participants with that stored role. */
  readonly storedAs: (role: EventRole) => Iterable<string>
  /** Participants in the waiting room. */
  readonly waiting: () => IterableIterator<WaitingView>
  /** Participants who lost their connections and may still return. */
  readonly absent: () => IterableIterator<Participant>
}

export const NOBODY: PresentPeople = {
  find: () => undefined,
  all: () => [].values(),
  storedAs: () => [],
  waiting: () => [].values(),
  absent: () => [].values(),
}

/** A presence change for webhook receivers, in order of occurrence. */
export interface PresenceChange {
  /** Id of the change's webhook event: the same on every attempt to store it. */
  readonly id: string
  /** `updated`: a present participant has another role or name; receivers get only joins and leaves. */
  readonly type: "joined" | "left" | "updated"
  readonly participant: Participant
  readonly at: Timestamp
  /** Former role, for an update. */
  readonly before?: EventRole
  /** Set for a departure: the time of arrival, and whether the participant announced that they leave. */
  readonly since?: Timestamp
  readonly isForGood?: boolean
}

const roleOf = ({ role }: Participant): EventRole => role

interface Entry {
  present: Present
  /** Nearly always a single connection. */
  connections: ReadonlyArray<OpenConnection>
}

export class Presence implements PresentPeople {
  readonly lobby: Lobby
  readonly #entries = new Map<string, Entry>()
  /** Roles of everyone in `#entries`, to find a few speakers among thousands of viewers. */
  readonly #roles = new GroupIndex(roleOf)
  /** Participants without a connection, and the end of their grace period. */
  #leaving: Map<string, number> | undefined
  readonly #absences = new Absences<Participant>()
  #changes: PresenceChange[] = []
  #open: boolean
  readonly #graceMs: number
  readonly #returnWithinMs: number

  /** `open`: the event is live, so joining counts. `returnWithinMs`: see `model/live/holdings.ts`. */
  constructor(open: boolean, graceMs: number, returnWithinMs: number) {
    this.#open = open
    this.#graceMs = graceMs
    this.#returnWithinMs = Math.max(graceMs, returnWithinMs)
    this.lobby = new Lobby(this.#returnWithinMs)
  }

  get size(): number {
    return this.#open ? this.#entries.size : 0
  }

  /** Connected participants, present or waiting for the start. */
  get connected(): number {
    return this.#entries.size
  }

  get hasChanges(): boolean {
    return this.#changes.length > 0
  }

  /** Number of unpublished changes. */
  get changes(): number {
    return this.#changes.length
  }

  waiting(): IterableIterator<WaitingView> {
    return this.lobby.all()
  }

  absent(): IterableIterator<Participant> {
    return this.#absences.all()
  }

  /**
   * Everyone connected, even if the event is not live: a turn that starts it handles the participants who will be present after its commit.
   */
  get connectedPeople(): PresentPeople {
    const entries = this.#entries
    return {
      find: (participantId) => entries.get(participantId)?.present,
      all: () => this.#everybody(),
      storedAs: (role) => this.#roles.of(role).keys(),
      waiting: () => this.waiting(),
      absent: () => this.absent(),
    }
  }

  *#everybody(): IterableIterator<Present> {
    for (const { present } of this.#entries.values()) yield present
  }

  /** A participant's room or hand, which others see, has changed. */
  touch(participantId: string, at: Timestamp): void {
    const entry = this.#entries.get(participantId)
    if (entry !== undefined) this.#note({ type: "updated", participant: entry.present, at })
  }

  /**
   * A gateway has let a participant in. If it did not know a newer policy, the participant goes to the waiting room and was never present.
   */
  enter(from: NodeConnections, participant: Participant, admission: AdmissionResult, at: Timestamp): void {
    if (admission === "waits") this.lobby.enter(from, participant, at)
    if (admission !== "in") return
    this.lobby.leave(from.node, participant.participantId, toMillis(at))
    this.lobby.endPlace(participant.participantId)
    this.join(from, participant, at)
  }

  /** Sets a participant's connections on a node, the first or changed ones. */
  join(from: NodeConnections, participant: Participant, at: Timestamp): void {
    this.#leaving?.delete(participant.participantId)
    this.#absences.end(participant.participantId)
    const entry = this.#entries.get(participant.participantId)
    if (entry !== undefined) {
      entry.connections = reported(entry.connections, from)
      this.#update(entry, participant, at)
      return
    }
    this.#enter({ present: { ...participant, joinedAt: at }, connections: opened(from) })
    this.#note({ type: "joined", participant, at })
  }

  /** A participant's last connection on a node closed, inside or in the waiting room. `isForGood`: they are not awaited. */
  leave(node: string, participantId: string, now: number, at: Timestamp, isForGood = false): void {
    this.lobby.leave(node, participantId, now, isForGood)
    this.#drop(node, participantId, now, at, isForGood)
  }

  /** The participant waits on that node, so none of their connections there is inside any more. */
  joinWaitingRoom(from: NodeConnections, participant: Participant, now: number, at: Timestamp): void {
    this.#drop(from.node, participant.participantId, now, at)
    this.lobby.enter(from, participant, at)
  }

  /** A participant's connections on all nodes, oldest first: those inside, else those in the waiting room. */
  connectionsOf(participantId: string): ReadonlyArray<OpenConnection> {
    const inside = this.#entries.get(participantId)?.connections ?? []
    return inside.length > 0 ? inside : this.lobby.connectionsOf(participantId)
  }

  #drop(node: string, participantId: string, now: number, at: Timestamp, isForGood = false): void {
    const entry = this.#disconnect(node, participantId)
    if (entry === undefined) return
    if (isForGood) this.#absences.leave(participantId)
    else this.#absences.begin(participantId, now + this.#returnWithinMs, entry.present)
    if (isForGood || this.#graceMs === 0) this.#remove(participantId, entry, at, isForGood)
    else this.#expect(participantId, now + this.#graceMs)
  }

  /** Keeps the participant present until `due`, unless they come back. */
  #expect(participantId: string, due: number): void {
    this.#leaving ??= new Map()
    this.#leaving.set(participantId, due)
  }

  /** Returns the participant's entry if their last connections were on that node. */
  #disconnect(node: string, participantId: string): Entry | undefined {
    const entry = this.#entries.get(participantId)
    if (!entry?.connections.some((one) => one.node === node)) return undefined
    entry.connections = withoutNode(entry.connections, node)
    return entry.connections.length === 0 ? entry : undefined
  }

  /** The node is gone with all its connections. Its participants have left unless they reconnect elsewhere in time. */
  forgetNode(node: string, now: number): void {
    this.lobby.forgetNode(node, now)
    const due = now + this.#returnWithinMs
    for (const participantId of this.#entries.keys()) {
      const entry = this.#disconnect(node, participantId)
      if (entry === undefined) continue
      this.#expect(participantId, due)
      this.#absences.begin(participantId, due, entry.present)
    }
  }

  /** Ends the presence of participants who have to wait: they move to the waiting room, or are gone if the policy denies them. */
  moveToWaitingRoom(admission: (participant: Participant) => AdmissionResult, now: number, at: Timestamp): void {
    for (const [participantId, entry] of this.#entries) {
      const outcome = admission(entry.present)
      if (outcome === "in") continue
      this.#leaving?.delete(participantId)
      this.#absences.begin(participantId, now + this.#returnWithinMs, entry.present)
      this.#remove(participantId, entry, at)
      if (outcome === "waits") this.lobby.receive(entry.connections, entry.present, at)
    }
  }

  #update(entry: Entry, participant: Participant, at: Timestamp): void {
    const { role, name, joinedAt } = entry.present
    this.#roles.remove(participant.participantId, entry.present)
    entry.present = { ...participant, joinedAt }
    this.#roles.add(participant.participantId, entry.present)
    // A change of `walkIn` alone is not visible to others.
    if (role === participant.role && name === participant.name) return
    this.#note({ type: "updated", participant, at, before: role })
  }

  /** Records a change at a live event; elsewhere nobody is announced. */
  #note(change: Omit<PresenceChange, "id">): void {
    if (this.#open) this.#changes.push({ id: newId(), ...change })
  }

  #enter(entry: Entry): void {
    const { participantId } = entry.present
    const before = this.#entries.get(participantId)
    if (before !== undefined) this.#roles.remove(participantId, before.present)
    this.#entries.set(participantId, entry)
    this.#roles.add(participantId, entry.present)
  }

  #remove(participantId: string, entry: Entry, at: Timestamp, isForGood = false): void {
    this.#entries.delete(participantId)
    this.#roles.remove(participantId, entry.present)
    const { joinedAt: since } = entry.present
    this.#note({ type: "left", participant: entry.present, at, since, isForGood })
  }

  /** Removes and returns the participants who did not return in time and have departed. */
  lapse(now: number): ReadonlyArray<string> {
    this.lobby.lapse(now)
    return this.#absences.lapse(now)
  }

  /** End of the earliest absence, if anybody is absent. */
  get nextLapse(): number | undefined {
    const [inside, waiting] = [this.#absences.next, this.lobby.nextLapse]
    return inside === undefined || waiting === undefined ? (inside ?? waiting) : Math.min(inside, waiting)
  }

  /** Whether the participant is inside with a connection, present or waiting for the start. */
  isConnected(participantId: string): boolean {
    return (this.#entries.get(participantId)?.connections.length ?? 0) > 0
  }

  /** Removes participants whose grace period has passed; returns the end of the next one, if any. */
  expire(now: number, at: Timestamp): number | undefined {
    let next: number | undefined
    for (const [participantId, due] of this.#leaving ?? []) {
      if (due > now) {
        next = Math.min(next ?? due, due)
        continue
      }
      this.#leaving?.delete(participantId)
      const entry = this.#entries.get(participantId)
      if (entry !== undefined && entry.connections.length === 0) this.#remove(participantId, entry, at)
    }
    return next
  }

  /**
   * Participants present before a restart stay present if they return until `due` (Unix milliseconds). `holders`: participants who held
   * something then, and keep it as long.
   */
  restore(roster: ReadonlyArray<Present>, holders: Iterable<string>, due: number): void {
    for (const participantId of holders) this.#absences.begin(participantId, due)
    for (const present of roster) {
      this.#enter({ present, connections: [] })
      this.#expect(present.participantId, due)
      this.#absences.begin(present.participantId, due, present)
    }
  }

  /** The event went live: connected participants are now present. */
  open(at: Timestamp): void {
    if (this.#open) return
    this.#open = true
    for (const { present } of this.#entries.values()) this.#note({ type: "joined", participant: present, at })
  }

  /** Removes everyone at once, for a deleted event. */
  clear(at: Timestamp): void {
    for (const [participantId, entry] of this.#entries) this.#remove(participantId, entry, at)
    this.#leaving?.clear()
  }

  /** The oldest unpublished changes, at most `most`; they stay until they are `drop`ped, so that a failed commit loses none. */
  peek(most: number): ReadonlyArray<PresenceChange> {
    return this.#changes.slice(0, most)
  }

  drop(count: number): void {
    this.#changes = this.#changes.slice(count)
  }

  find(participantId: string): Present | undefined {
    return this.#open ? this.#entries.get(participantId)?.present : undefined
  }

  all(): IterableIterator<Present> {
    return this.#open ? this.#everybody() : NOBODY.all()
  }

  storedAs(role: EventRole): Iterable<string> {
    return this.#open ? this.#roles.of(role).keys() : []
  }

  /** `read`: maps a stored role to the effective one in the active phase. */
  counts(read: (role: EventRole) => EventRole): {
    readonly total: number
    readonly byRole: { readonly [role: string]: number }
  } {
    const byRole: { [role: string]: number } = {}
    if (this.#open)
      for (const [role, size] of this.#roles.sizes())
        byRole[read(role as EventRole)] = (byRole[read(role as EventRole)] ?? 0) + size
    return { total: this.size, byRole }
  }
}
