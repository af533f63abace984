/**
 * Applies participant changes to connections: their streams, their permitted commands, and whether they are inside or in the waiting room.
 * The state of the live event takes precedence over that of a token.
 */

import type { ParticipantChange } from "../../actors/state/state.ts"
import { roomStream } from "../../model/live/streams.ts"
import { hasSeat } from "../../model/modality.ts"
import { type EventRole, isStaff } from "../../model/roles.ts"
import type { UpdateReason } from "../../protocol/session.ts"
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Delivery } from "../broadcast/delivery.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { RoomGuard } from "../expulsion/room-guard.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import type { Attendance } from "./attendance.ts"
import type { RoleNotifier } from "./role-notifier.ts"

interface Needs {
  readonly subscriber: EventSubscriber
  readonly delivery: Delivery
  readonly roles: RoleNotifier
  /** Null: there is no media server. */
  readonly roomGuard: RoomGuard | null
}

export class MembershipSync {
  readonly #attendance: Attendance
  readonly #needs: Needs

  constructor(attendance: Attendance, needs: Needs) {
    this.#attendance = attendance
    this.#needs = needs
  }

  /** The reason why an identity may not even enter the waiting room. */
  refusal(identity: Identity): CloseCode | undefined {
    const { role, kind } = identity
    const { status, visibility } = this.#needs.subscriber
    if (status === "ended") return CLOSE.eventEnded
    if (this.#isBarred(identity)) return CLOSE.removed
    if (kind === "anonymous" && visibility !== "public") return CLOSE.revoked
    return status === "draft" && !isStaff(role) ? CLOSE.eventNotOpen : undefined
  }

  /** Whether the participant was removed for good. Participants who manage the workspace are exempt. */
  #isBarred({ participantId, manages }: Identity): boolean {
    return !manages && this.#needs.subscriber.removed.has(participantId)
  }

  /**
   * True when a newcomer is admitted; else it waits in the waiting room or is closed. From here on its identity has the role given at the
   * event.
   */
  admits(connection: Connection): boolean {
    const { participants: states } = this.#needs.subscriber
    connection.apply({ type: "became", identity: states.here(connection.identity) })
    this.#agree(connection)
    connection.apply({ type: "moved", roomId: states.roomOf(connection.identity.participantId) })
    const admission = states.admission(connection.identity)
    if (admission === "waits") this.#attendance.waitingRoom.hold(connection)
    if (admission === "denied") connection.apply({ type: "denied" })
    if (admission === "in") this.#attendance.waitingRoom.admit(connection.identity.participantId)
    return admission === "in"
  }

  /** Keeps all tabs of a participant inside, or all waiting: if one token is in the event's list, it counts for all tabs. */
  #agree(connection: Connection): void {
    const { participantId } = connection.identity
    const tabs = [
      connection,
      ...this.#attendance.participants.connectionsOf(participantId),
      ...this.#attendance.waitingRoom.of(participantId),
    ]
    if (tabs.every(({ identity }) => identity.walkIn)) return
    for (const tab of tabs) {
      if (!tab.identity.walkIn) continue
      tab.apply({ type: "became", identity: { ...tab.identity, walkIn: false } })
      if (tab.state === "open") this.#attendance.presence.joined(tab.identity)
    }
  }

  /** Applies a participant change to the participant's connections. */
  follow(change: ParticipantChange): void {
    const { participantId, role, roomId, admission, because = "role", pollSubscription } = change
    const connections = this.#attendance.participants.connectionsOf(participantId)
    if (admission === "admitted") this.#attendance.waitingRoom.admit(participantId)
    if (admission === "denied") {
      this.#attendance.waitingRoom.deny(participantId)
      this.#closeInside(participantId, CLOSE.lobbyDenied)
    }
    for (const connection of connections) {
      if (pollSubscription !== undefined)
        connection.apply({ type: "pollSubscribed", pollId: pollSubscription.id, on: pollSubscription.on })
      if (roomId !== undefined) this.#move(connection, roomId)
      // When a role given here ends, the stored role applies; the grant watch looks it up shortly after.
      if (role !== undefined && role !== null)
        this.#applyIdentity(connection, { ...connection.identity, role }, because)
      if (admission === "waiting") this.#moveToWaitingRoom(connection)
    }
  }

  /** Applies the current state to every connection, after a gap in the feed. */
  followAll(): void {
    const { participants: states } = this.#needs.subscriber
    for (const connection of [...this.#attendance.participants.connections()]) {
      const { participantId } = connection.identity
      if (this.#isBarred(connection.identity)) connection.close(CLOSE.removed)
      this.#move(connection, states.roomOf(participantId))
      this.#applyIdentity(connection, states.here(connection.identity), "role")
      this.#judge(connection)
      // The live event may have counted them as waiting when they were reported.
      if (connection.state === "open" && connection.identity.walkIn)
        this.#attendance.presence.joined(connection.identity)
    }
    this.#needs.delivery.release()
    this.#admitAllowed()
  }

  /** Applies a new token, which may have another role or name, or be in the event's list and need no admission. */
  renew(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const { participants: states } = this.#needs.subscriber
    this.#applyIdentity(connection, states.here(identity), reason)
    this.#agree(connection)
    const waits = connection.state === "lobby" && states.admission(connection.identity) === "in"
    if (waits) this.#attendance.waitingRoom.admit(identity.participantId)
  }

  #applyIdentity(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const before = connection.identity
    const isSame = (["role", "name", "walkIn", "manages"] as const).every((field) => before[field] === identity[field])
    if (isSame) return
    if (connection.state === "open") {
      // A repeated join updates the identity at the live event, which publishes it.
      this.#attendance.presence.joined(identity)
    }
    connection.apply({ type: "became", identity })
    this.#unseat(connection, before.role)
    // A change to or from staff changes the streams, and the connection gets a new `ready`.
    const isSameKind = isStaff(before.role) === isStaff(identity.role)
    if (connection.state === "open" && before.role !== identity.role && isSameKind) {
      this.#needs.roles.notify(connection, reason)
    }
  }

  /** Expels a participant whose new role has no seat from the media server, which would otherwise keep them. */
  #unseat({ eventId, identity: { participantId, role } }: Connection, before: EventRole): void {
    const { modality } = this.#needs.subscriber.phase
    if (modality === null) return
    if (hasSeat(before, modality) && !hasSeat(role, modality)) this.#needs.roomGuard?.expel(eventId, participantId)
  }

  /** Moves the connection between the streams of two rooms and sends the new stream's position. */
  #move(connection: Connection, roomId: string | null): void {
    const before = connection.roomId
    if (before === roomId) return
    // A connection that gets `ready` soon is subscribed to the room then.
    const isSubscribed = connection.state === "open" && !connection.isPaused
    const dropped = before === null ? [] : [roomStream(before)]
    const entered = roomId === null ? [] : [roomStream(roomId)]
    // A connection receives from either room exactly the dispatches of its time in it.
    if (isSubscribed) this.#needs.delivery.flushIfPending([...dropped, ...entered])
    connection.apply({ type: "moved", roomId })
    if (!isSubscribed) return
    const cursors = Object.fromEntries(entered.map((stream) => [stream, this.#needs.delivery.published(stream)]))
    this.#needs.delivery.hold(connection, JSON.stringify({ op: 0, t: "subscribed", d: { cursors, dropped } }))
  }

  /** Moves a connection to the waiting room: it leaves presence and receives only the status of its admission. */
  #moveToWaitingRoom(connection: Connection): void {
    // An earlier part of the same change may have closed the connection.
    if (connection.state !== "open") return
    this.#attendance.participants.leave(connection)
    // The report that the participant waits ends their presence here.
    this.#attendance.waitingRoom.hold(connection)
  }

  /**
   * Applies a new waiting-room policy: participants inside who were admitted only by an open policy move to the waiting room, and
   * participants who need not wait any more come in. The live event admits the participants that it knows, in the commit that closes the
   * policy.
   */
  reevaluate(): void {
    for (const connection of [...this.#attendance.participants.connections()]) this.#judge(connection)
    this.#admitAllowed()
  }

  #judge(connection: Connection): void {
    if (connection.state !== "open") return
    const admission = this.#needs.subscriber.participants.admission(connection.identity)
    if (admission === "waits") this.#moveToWaitingRoom(connection)
    if (admission === "denied") connection.apply({ type: "denied" })
  }

  #admitAllowed(): void {
    const { participants: states } = this.#needs.subscriber
    for (const identity of this.#attendance.waitingRoom.identities()) {
      if (this.#isBarred(identity)) this.#attendance.waitingRoom.close(identity.participantId, CLOSE.removed)
      else if (states.admission(identity) === "in") this.#attendance.waitingRoom.admit(identity.participantId)
    }
  }

  closeAll(participantId: string, why: CloseCode): void {
    this.#attendance.waitingRoom.close(participantId, why)
    this.#closeInside(participantId, why)
  }

  #closeInside(participantId: string, why: CloseCode): void {
    for (const connection of this.#attendance.participants.connectionsOf(participantId)) connection.close(why)
  }

  /** Closes the connections of a participant who shares the email address of somebody on whom a host has decided. */
  closeNamesake(eventId: string, participantId: string): void {
    this.#needs.roomGuard?.expel(eventId, participantId)
    this.closeAll(participantId, CLOSE.removed)
  }

  /** Closes anonymous viewers, who were allowed only because the event was public. */
  closeAnonymous(): void {
    for (const connection of [
      ...this.#attendance.participants.connections(),
      ...this.#attendance.waitingRoom.connections(),
    ]) {
      if (connection.identity.kind === "anonymous") connection.close(CLOSE.revoked)
    }
  }
}
