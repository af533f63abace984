/**
 * The media server rooms that participants of one live event may be in, and the expulsions when that changes. A participant may be in the
 * main room of the active phase and in the room that the live event assigned to them.
 */

import type { FeedMessage } from "../../actors/feed.ts"
import type { LiveReading } from "../../actors/protocol.ts"
import type { ActivePhase, ParticipantChange } from "../../actors/state/state.ts"
import { mediaRoomOf } from "../../media/seats.ts"
import { hasSeat, isStage } from "../../model/modality.ts"
import type { EventRole } from "../../model/roles.ts"

/**
 * `close`: everybody leaves the room. `isMove`: people have another seat and are given time to connect to it before they leave this room.
 */
export type Expulsion =
  | { readonly type: "expel"; readonly room: string; readonly participantId: string; readonly isMove?: true }
  | { readonly type: "close"; readonly room: string; readonly isMove?: true }

/** Former rooms remembered per participant, who may still be in them: participants are moved at most this often within a few seconds. */
const REMEMBERED_ROOMS = 2
const MOVE = { isMove: true } as const

/** Whether a change takes away a participant's seat in the call, whatever room they are in. */
const losesCall = ({ admission, barred }: ParticipantChange): boolean =>
  barred === true || admission === "waiting" || admission === "denied"

const runs = (status: FeedMessage["status"]): boolean => status === "live"

export class RoomAccess {
  readonly #eventId: string
  #phase: ActivePhase
  #isLive: boolean
  #seats: Map<string, string>
  #removed: Set<string>
  #held: Set<string>
  #roles: Map<string, EventRole>
  /** Former rooms, keyed by participant. */
  readonly #left = new Map<string, ReadonlyArray<string>>()
  /** Main room of the previous phase. */
  #leftMain: string | null = null

  constructor(eventId: string, { snapshot }: Pick<LiveReading, "snapshot">) {
    this.#eventId = eventId
    this.#phase = snapshot.phase
    this.#isLive = runs(snapshot.event.status)
    this.#seats = new Map(Object.entries(snapshot.seats))
    this.#removed = new Set(snapshot.removed)
    this.#held = new Set(Object.keys(snapshot.admissions).filter((id) => snapshot.admissions[id] === "held"))
    this.#roles = new Map(Object.entries(snapshot.roles))
  }

  /** Rooms that may have participants. */
  get rooms(): ReadonlySet<string> {
    const main = this.#mainRoom
    return new Set([...(main === null ? [] : [main]), ...Array.from(this.#seats.values(), (room) => this.#named(room))])
  }

  /** Rooms that this participant may be in. */
  roomsOf(participantId: string): ReadonlyArray<string> {
    if (this.#removed.has(participantId) || this.#held.has(participantId) || !this.#mayTakePart(participantId))
      return []
    const [main, seat] = [this.#mainRoom, this.#seats.get(participantId)]
    return [...(main === null ? [] : [main]), ...(seat === undefined ? [] : [this.#named(seat)])]
  }

  /** Rooms that the participant may be in, and rooms that they may still be leaving. */
  placesOf(participantId: string): ReadonlyArray<string> {
    const left = this.#left.get(participantId) ?? []
    return [...new Set([...this.roomsOf(participantId), ...left, ...(this.#leftMain === null ? [] : [this.#leftMain])])]
  }

  /** The role given by the live event, which takes precedence over the stored one. */
  roleOf(participantId: string): EventRole | undefined {
    return this.#roles.get(participantId)
  }

  /** Whether this role has a seat in the active phase. */
  seats(role: EventRole): boolean {
    return this.#phase.modality === null || hasSeat(role, this.#phase.modality)
  }

  /** Applies a committed message. Returns the expulsions to perform at the media server. */
  apply(message: Pick<FeedMessage, "phase" | "status" | "participantChanges" | "ejections">): ReadonlyArray<Expulsion> {
    if (this.#staysAfter(message)) return []
    const [before, main] = [this.rooms, this.#mainRoom]
    const leaving = message.participantChanges.flatMap((change) => this.#change(change))
    for (const ejection of message.ejections) {
      if (ejection.who === "participant") leaving.push(...this.#remove(ejection.participantId))
    }
    this.#phase = message.phase
    this.#isLive = runs(message.status)
    if (this.#mainRoom !== main) this.#leftMain = main
    return this.#since(before, leaving)
  }

  /** Whether the message changes no access. Most messages are chat and the like, and must not each cost a pass over all seats. */
  #staysAfter({ phase, status, participantChanges, ejections }: Parameters<RoomAccess["apply"]>[0]): boolean {
    const hasSamePhase = phase.id === this.#phase.id && phase.modality === this.#phase.modality
    return hasSamePhase && runs(status) === this.#isLive && participantChanges.length + ejections.length === 0
  }

  /** Applies a newer read, after messages were missed. */
  become(next: RoomAccess): ReadonlyArray<Expulsion> {
    const before = this.rooms
    const people = new Set([
      ...this.#seats.keys(),
      ...this.#roles.keys(),
      ...next.#roles.keys(),
      ...next.#removed,
      ...next.#held,
    ])
    const leaving = [...people].flatMap((participantId) => {
      const hasLostStage = this.#roles.has(participantId) && !next.#roles.has(participantId) && next.#isStage
      const kept = hasLostStage ? [] : next.roomsOf(participantId)
      return this.roomsOf(participantId)
        .filter((room) => !kept.includes(room))
        .map((room): Expulsion => ({ type: "expel", room, participantId }))
    })
    this.#phase = next.#phase
    this.#isLive = next.#isLive
    this.#seats = next.#seats
    this.#removed = next.#removed
    this.#held = next.#held
    this.#roles = next.#roles
    return this.#since(before, leaving)
  }

  /** Closes a room without seats in one call: the end of a rotation's round empties a thousand rooms. */
  #since(before: ReadonlySet<string>, leaving: ReadonlyArray<Expulsion>): ReadonlyArray<Expulsion> {
    const now = this.rooms
    const closed = [...before].filter((room) => !now.has(room))
    // Most people have no seat on a stage, and nobody has one after the end.
    const isMove = now.size > 0 && !this.#isStage
    const isClosed = new Set(isMove ? [] : closed)
    return [
      ...closed.map((room): Expulsion => ({ type: "close", room, ...(isMove && MOVE) })),
      ...leaving.filter((one) => now.has(one.room) || (one.isMove !== true && !isClosed.has(one.room))),
    ]
  }

  #change(change: ParticipantChange): Expulsion[] {
    const { participantId } = change
    const [before, places] = [this.roomsOf(participantId), this.placesOf(participantId)]
    this.#note(change)
    const kept = losesCall(change) || this.#losesStage(change) ? [] : this.roomsOf(participantId)
    if (kept.length === 0) return before.length === 0 ? [] : this.#expelled(participantId, places)
    const left = before.filter((room) => !kept.includes(room))
    if (left.length > 0)
      this.#left.set(participantId, [...(this.#left.get(participantId) ?? []), ...left].slice(-REMEMBERED_ROOMS))
    return left.map((room) => ({ type: "expel", room, participantId, ...MOVE }))
  }

  #note({ participantId, role, roomId, admission, barred }: ParticipantChange): void {
    if (roomId === null) this.#seats.delete(participantId)
    else if (roomId !== undefined) this.#seats.set(participantId, roomId)
    if (role === null) this.#roles.delete(participantId)
    else if (role !== undefined) this.#roles.set(participantId, role)
    if (barred === false) this.#removed.delete(participantId)
    if (barred === true) this.#removed.add(participantId)
    if (admission === "admitted" || admission === "denied") this.#held.delete(participantId)
    if (admission === "waiting") this.#held.add(participantId)
  }

  #remove(participantId: string): ReadonlyArray<Expulsion> {
    const places = this.roomsOf(participantId).length === 0 ? [] : this.placesOf(participantId)
    this.#removed.add(participantId)
    return this.#expelled(participantId, places)
  }

  #expelled(participantId: string, rooms: ReadonlyArray<string>): Expulsion[] {
    this.#left.delete(participantId)
    return rooms.map((room) => ({ type: "expel", room, participantId }))
  }

  /** On a stage a participant whose role there ended becomes audience again, and their stored role has no seat. */
  #losesStage({ role }: ParticipantChange): boolean {
    return role === null && this.#isStage
  }

  get #isStage(): boolean {
    return isStage(this.#phase.modality)
  }

  #mayTakePart(participantId: string): boolean {
    const given = this.#roles.get(participantId)
    return given === undefined || this.seats(given)
  }

  get #mainRoom(): string | null {
    const { id: phaseId } = this.#phase
    return phaseId === null || !this.#isLive ? null : mediaRoomOf({ eventId: this.#eventId, phaseId, roomId: null })
  }

  #named(roomId: string): string {
    return mediaRoomOf({ eventId: this.#eventId, phaseId: "", roomId })
  }
}
