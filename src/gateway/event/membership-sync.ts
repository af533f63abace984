/**
 * Applies participant changes to connections: their streams, their permitted commands, and whether they are inside or in the
 * waiting room. The state of the live event precedes that of a token.
 */

import type { ParticipantChange } from "../../actors/domain/state.ts"
import type { Timers } from "../../clock/timers.ts"
import { roomStream } from "../../model/live/streams.ts"
import { isStaff } from "../../model/roles.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import { actingAs } from "../../protocol/rule.ts"
import type { UpdateReason } from "../../protocol/session.ts"
import type { Delivery } from "../broadcast/delivery.ts"
import { streamsOf } from "../broadcast/stream-names.ts"
import type { Topics } from "../broadcast/topics.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import type { ConnectionRegistry } from "./connection-registry.ts"
import type { PresenceReports } from "./presence-reports.ts"
import type { RoleNotifier } from "./role-notifier.ts"
import { WaitingRoom } from "./waiting-room.ts"

interface Needs {
  readonly timers: Timers
  readonly participants: ConnectionRegistry
  readonly presence: PresenceReports
  readonly topics: Topics
  readonly subscriber: EventSubscriber
  readonly connectionsPerParticipant: number
  readonly delivery: Delivery
  readonly roles: RoleNotifier
  /** Sends a connection a new `ready`. */
  readonly sendReady: (connection: Connection, reason: ReadyReason) => void
}

export class MembershipSync {
  readonly waitingRoom: WaitingRoom
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
    this.waitingRoom = new WaitingRoom(needs.timers, needs.connectionsPerParticipant, needs.presence)
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

  /** The participant was removed for good. This does not apply to participants that manage the workspace. */
  #isBarred({ participantId, manages }: Identity): boolean {
    return !manages && this.#needs.subscriber.removed.has(participantId)
  }

  /**
   * True when a newcomer is admitted; else it waits in the waiting room or is closed. From here on its identity has the event's
   * role.
   */
  admits(connection: Connection): boolean {
    const { participants: places } = this.#needs.subscriber
    connection.apply({ type: "became", identity: places.here(connection.identity) })
    this.#agree(connection)
    connection.apply({ type: "moved", roomId: places.roomOf(connection.identity.participantId) })
    const admission = places.admission(connection.identity)
    if (admission === "waits") this.waitingRoom.hold(connection)
    if (admission === "denied") this.waitingRoom.refuse(connection)
    if (admission === "in") this.#admit(connection.identity.participantId)
    return admission === "in"
  }

  /** All tabs of a participant are inside or all wait: when one token is on the event's list, all tabs are. */
  #agree(connection: Connection): void {
    const { participantId } = connection.identity
    const tabs = [
      connection,
      ...this.#needs.participants.connectionsOf(participantId),
      ...this.waitingRoom.of(participantId),
    ]
    if (tabs.every(({ identity }) => identity.walkIn)) return
    for (const tab of tabs) {
      if (!tab.identity.walkIn) continue
      tab.apply({ type: "became", identity: { ...tab.identity, walkIn: false } })
      if (tab.state === "open") this.#needs.presence.joined(tab.identity)
    }
  }

  /** Applies a participant change to the participant's connections. */
  follow(change: ParticipantChange): void {
    const { participantId, role, roomId, admission, because = "role", hearsPoll } = change
    const connections = this.#needs.participants.connectionsOf(participantId)
    if (admission === "admitted") this.#admit(participantId)
    if (admission === "denied") this.closeAll(participantId, CLOSE.lobbyDenied)
    for (const connection of connections) {
      if (hearsPoll !== undefined) this.#needs.topics.subscribePoll(connection, hearsPoll.id, hearsPoll.on)
      if (roomId !== undefined) this.#move(connection, roomId)
      // When a role given here ends, the stored role applies; the grant watch looks it up shortly after.
      if (role !== undefined && role !== null) this.applyIdentity(connection, { ...connection.identity, role }, because)
      if (admission === "waiting") this.#moveToWaitingRoom(connection)
    }
  }

  /** After a gap in the feed: applies the present state to every connection. */
  followAll(): void {
    const { participants: places } = this.#needs.subscriber
    for (const connection of [...this.#needs.participants.connections()]) {
      const { participantId } = connection.identity
      if (this.#isBarred(connection.identity)) connection.close(CLOSE.removed)
      this.#move(connection, places.roomOf(participantId))
      this.applyIdentity(connection, places.here(connection.identity), "role")
      this.#judge(connection)
      // The live event may have counted them as waiting when they were reported.
      if (connection.state === "open" && connection.identity.walkIn) this.#needs.presence.joined(connection.identity)
    }
    this.#admitAllowed()
  }

  /** A new token may have another role or name, or be on the event's list, which needs no admission. */
  renew(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const { participants: places } = this.#needs.subscriber
    this.applyIdentity(connection, places.here(identity), reason)
    this.#agree(connection)
    const waits = connection.state === "lobby" && places.admission(connection.identity) === "in"
    if (waits) this.#admit(identity.participantId)
  }

  applyIdentity(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const before = connection.identity
    connection.apply({ type: "became", identity })
    const isSame = (["role", "name", "walkIn", "manages"] as const).every((field) => before[field] === identity[field])
    if (connection.state !== "open" || isSame) return
    // A repeated join updates the identity at the live event, which publishes it.
    this.#needs.presence.joined(identity)
    if (before.role === identity.role) return
    this.#needs.topics.changeRole(connection, actingAs(before), actingAs(identity))
    if (isStaff(before.role) === isStaff(identity.role)) {
      this.#needs.roles.notify(connection, reason)
      return
    }
    this.pause(connection, before)
    this.#needs.sendReady(connection, "roleChanged")
  }

  /** Unsubscribes the connection until it gets `ready`: dispatches meanwhile would follow a gap. */
  pause(connection: Connection, identity: Identity = connection.identity): void {
    for (const stream of streamsOf(identity, connection.roomId)) this.#needs.topics.unsubscribe(connection, stream)
    connection.apply({ type: "paused" })
  }

  /** Moves the connection between the streams of two rooms and sends the new stream's position. */
  #move(connection: Connection, roomId: string | null): void {
    const before = connection.roomId
    if (before === roomId) return
    connection.apply({ type: "moved", roomId })
    // A connection that gets `ready` soon is subscribed to the room then.
    if (connection.state !== "open" || connection.isPaused) return
    const dropped = before === null ? [] : [roomStream(before)]
    const heard = roomId === null ? [] : [roomStream(roomId)]
    // A connection receives from either room exactly the dispatches of its time in it.
    this.#needs.delivery.flushIfPending([...dropped, ...heard])
    for (const stream of dropped) this.#needs.topics.unsubscribe(connection, stream)
    for (const stream of heard) this.#needs.topics.subscribe(connection, stream)
    const cursors = Object.fromEntries(heard.map((stream) => [stream, this.#needs.delivery.published(stream)]))
    connection.send(JSON.stringify({ op: 0, t: "subscribed", d: { cursors, dropped } }))
  }

  #admit(participantId: string): void {
    for (const connection of this.waitingRoom.admit(participantId)) {
      this.#needs.sendReady(connection, "new")
    }
  }

  /** Moves a connection to the waiting room: it leaves presence and receives only the status of its admission. */
  #moveToWaitingRoom(connection: Connection): void {
    // An earlier part of the same change may have closed it.
    if (connection.state !== "open") return
    this.pause(connection)
    for (const id of connection.life.polls) this.#needs.topics.subscribePoll(connection, id, false)
    connection.socket.unsubscribe(this.#needs.topics.roleTopic(actingAs(connection.identity)))
    const { participantId } = connection.identity
    const wasLast = this.#needs.participants.leave(connection)
    // If another tab is in the waiting room already, its report has ended the participant's presence here.
    if (wasLast && this.waitingRoom.of(participantId).length === 0) this.#needs.presence.left(participantId)
    this.waitingRoom.hold(connection)
  }

  /**
   * Applies a new waiting-room policy: participants inside that were admitted only by an open policy move to the waiting room,
   * and participants that need not wait any more come in. The live event admits the participants that it knows, in the commit
   * that closes the policy.
   */
  reevaluate(): void {
    for (const connection of [...this.#needs.participants.connections()]) this.#judge(connection)
    this.#admitAllowed()
  }

  #judge(connection: Connection): void {
    if (connection.state !== "open") return
    const admission = this.#needs.subscriber.participants.admission(connection.identity)
    if (admission === "waits") this.#moveToWaitingRoom(connection)
    if (admission === "denied") this.waitingRoom.refuse(connection)
  }

  #admitAllowed(): void {
    const { participants: places } = this.#needs.subscriber
    for (const identity of this.waitingRoom.identities()) {
      if (this.#isBarred(identity)) this.waitingRoom.close(identity.participantId, CLOSE.removed)
      else if (places.admission(identity) === "in") this.#admit(identity.participantId)
    }
  }

  closeAll(participantId: string, why: CloseCode): void {
    this.waitingRoom.close(participantId, why)
    for (const connection of this.#needs.participants.connectionsOf(participantId)) connection.close(why)
  }

  /** Closes anonymous viewers, who were allowed only because the event was public. */
  closeAnonymous(): void {
    for (const connection of [...this.#needs.participants.connections(), ...this.waitingRoom.connections()]) {
      if (connection.identity.kind === "anonymous") connection.close(CLOSE.revoked)
    }
  }
}
