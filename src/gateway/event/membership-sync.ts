/**
 * Where participants stand, put into effect on their connections: which streams they hear, which commands they may send,
 * and whether they are in or wait in the lobby. Follows the live event's word, whatever a token says.
 */
import type { ParticipantChange } from "../../actors/domain/state.ts"
import { isStaff } from "../../model/roles.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import { actingAs } from "../../protocol/rule.ts"
import type { UpdateReason } from "../../protocol/session.ts"
import type { ReadyReason } from "../../protocol/state.ts"
import { roomStream, type StreamName, streamsOf } from "../broadcast/stream-names.ts"
import type { Topics } from "../broadcast/topics.ts"
import type { Connection, Identity } from "../connection/connection.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import type { ConnectionRegistry } from "./connection-registry.ts"
import type { PresenceReports } from "./presence-reports.ts"
import { WaitingRoom } from "./waiting-room.ts"

/** Streams a connection hears, by what it is now. */
export const subscribedStreams = ({ identity, roomId }: Connection): ReadonlyArray<StreamName> =>
  streamsOf(identity, roomId)

interface Needs {
  readonly participants: ConnectionRegistry
  readonly presence: PresenceReports
  readonly topics: Topics
  readonly follower: EventSubscriber
  readonly connectionsPerParticipant: number
  /** Highest `s` that subscribers have been sent. */
  readonly published: (stream: StreamName) => number
  /** If something of these streams waits for the tick, all that waits is sent now. */
  readonly publishWaiting: (streams: ReadonlyArray<StreamName>) => void
  /** Tells a connection that its role is another. */
  readonly tell: (connection: Connection, reason: UpdateReason) => void
  /** Tells a connection where it stands, from scratch. */
  readonly bring: (connection: Connection, reason: ReadyReason) => void
}

export class MembershipSync {
  readonly waitingRoom: WaitingRoom
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
    this.waitingRoom = new WaitingRoom(needs.connectionsPerParticipant, needs.presence)
  }

  /** Why somebody may not even knock. */
  refusal(identity: Identity): CloseCode | undefined {
    const { role, kind } = identity
    const { status, visibility } = this.#needs.follower
    if (status === "ended") return CLOSE.eventEnded
    if (this.#isBarred(identity)) return CLOSE.removed
    if (kind === "anonymous" && visibility !== "public") return CLOSE.revoked
    return status === "draft" && !isStaff(role) ? CLOSE.eventNotOpen : undefined
  }

  /** Was removed for good. Nobody keeps those who manage the workspace out. */
  #isBarred({ participantId, manages }: Identity): boolean {
    return !manages && this.#needs.follower.removed.has(participantId)
  }

  /** May a newcomer come in? Else it waits in the lobby or is turned away. From here on it is who the event says it is. */
  admits(connection: Connection): boolean {
    const { participants: places } = this.#needs.follower
    connection.identity = places.here(connection.identity)
    this.#agree(connection)
    connection.roomId = places.roomOf(connection.identity.participantId)
    const admission = places.admission(connection.identity)
    if (admission === "waits") this.waitingRoom.hold(connection)
    if (admission === "denied") this.waitingRoom.refuse(connection)
    if (admission === "in") this.#letIn(connection.identity.participantId)
    return admission === "in"
  }

  /** All tabs of a participant are inside or wait: what one token says of the event's list holds for all. */
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
      tab.identity = { ...tab.identity, walkIn: false }
      if (tab.state === "open") this.#needs.presence.joined(tab.identity)
    }
  }

  /** A participant stands elsewhere: their connections follow. */
  follow(standing: ParticipantChange): void {
    const { participantId, role, roomId, admission, because = "role", hearsPoll } = standing
    const connections = this.#needs.participants.connectionsOf(participantId)
    if (admission === "admitted") this.#letIn(participantId)
    if (admission === "denied") this.closeAll(participantId, CLOSE.lobbyDenied)
    for (const connection of connections) {
      if (hearsPoll !== undefined) this.#needs.topics.subscribePoll(connection, hearsPoll.id, hearsPoll.on)
      if (roomId !== undefined) this.#move(connection, roomId)
      // Without a role given here it is the stored one, which is looked up in a moment.
      if (role !== undefined && role !== null) this.become(connection, { ...connection.identity, role }, because)
      if (admission === "waiting") this.#sendOut(connection)
    }
  }

  /** After a hole in what was heard: every connection is put where it belongs. */
  followAll(): void {
    const { participants: places } = this.#needs.follower
    for (const connection of [...this.#needs.participants.connections()]) {
      const { participantId } = connection.identity
      if (this.#isBarred(connection.identity)) connection.close(CLOSE.removed)
      this.#move(connection, places.roomOf(participantId))
      this.become(connection, places.here(connection.identity), "role")
      this.#judge(connection)
      // The live event may have taken them for waiting when it was told of them.
      if (connection.state === "open" && connection.identity.walkIn) this.#needs.presence.joined(connection.identity)
    }
    this.#openDoor()
  }

  /** A new token may say another role or name, or that they are on the event's list by now and need not wait. */
  renew(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const { participants: places } = this.#needs.follower
    this.become(connection, places.here(identity), reason)
    this.#agree(connection)
    const waits = connection.state === "lobby" && places.admission(connection.identity) === "in"
    if (waits) this.#letIn(identity.participantId)
  }

  become(connection: Connection, identity: Identity, reason: UpdateReason): void {
    const before = connection.identity
    connection.identity = identity
    const isSame = (["role", "name", "walkIn", "manages"] as const).every((field) => before[field] === identity[field])
    if (connection.state !== "open" || isSame) return
    // Joining again is how the live event, and through it the others, learn of it.
    this.#needs.presence.joined(identity)
    if (before.role === identity.role) return
    this.#needs.topics.changeRole(connection, actingAs(before), actingAs(identity))
    if (isStaff(before.role) === isStaff(identity.role)) {
      this.#needs.tell(connection, reason)
      return
    }
    this.pause(connection, before)
    this.#needs.bring(connection, "roleChanged")
  }

  /** Nothing reaches it until it is told where it stands: what is said meanwhile would follow upon a hole. */
  pause(connection: Connection, identity: Identity = connection.identity): void {
    for (const stream of streamsOf(identity, connection.roomId)) this.#needs.topics.unsubscribe(connection, stream)
    connection.getsEphemeral = false
    connection.isPaused = true
  }

  /** Out of one room's stream and into another's; the client is told where the new one stands. */
  #move(connection: Connection, roomId: string | null): void {
    const before = connection.roomId
    if (before === roomId) return
    connection.roomId = roomId
    // Who is told where they stand in a moment hears the room from then on.
    if (connection.state !== "open" || connection.isPaused) return
    const dropped = before === null ? [] : [roomStream(before)]
    const heard = roomId === null ? [] : [roomStream(roomId)]
    // Of either room one hears what was said while one was in it, and nothing else.
    this.#needs.publishWaiting([...dropped, ...heard])
    for (const stream of dropped) this.#needs.topics.unsubscribe(connection, stream)
    for (const stream of heard) this.#needs.topics.subscribe(connection, stream)
    const cursors = Object.fromEntries(heard.map((stream) => [stream, this.#needs.published(stream)]))
    connection.send(JSON.stringify({ op: 0, t: "subscribed", d: { cursors, dropped } }))
  }

  #letIn(participantId: string): void {
    for (const connection of this.waitingRoom.admit(participantId)) {
      this.#needs.bring(connection, "new")
    }
  }

  /** Back to the lobby: present no more, and deaf to all but being let in again. */
  #sendOut(connection: Connection): void {
    this.pause(connection)
    for (const id of connection.polls) this.#needs.topics.subscribePoll(connection, id, false)
    connection.socket.unsubscribe(this.#needs.topics.roleTopic(actingAs(connection.identity)))
    const { participantId } = connection.identity
    const wasLast = this.#needs.participants.leave(connection)
    // Where another tab is at the door already, its knock has said that nobody of theirs is inside.
    if (wasLast && this.waitingRoom.of(participantId).length === 0) this.#needs.presence.left(participantId)
    this.waitingRoom.hold(connection)
  }

  /**
   * Others have to wait than before: whoever was let in by a door that was open, and by nobody else, goes before it, and
   * whoever need not wait any more comes in. The live event lets those it knows of stay, in the commit that shuts the door.
   */
  sortOut(): void {
    for (const connection of [...this.#needs.participants.connections()]) this.#judge(connection)
    this.#openDoor()
  }

  #judge(connection: Connection): void {
    if (connection.state !== "open") return
    const admission = this.#needs.follower.participants.admission(connection.identity)
    if (admission === "waits") this.#sendOut(connection)
    if (admission === "denied") this.waitingRoom.refuse(connection)
  }

  #openDoor(): void {
    const { participants: places } = this.#needs.follower
    for (const identity of this.waitingRoom.identities()) {
      if (this.#isBarred(identity)) this.waitingRoom.close(identity.participantId, CLOSE.removed)
      else if (places.admission(identity) === "in") this.#letIn(identity.participantId)
    }
  }

  closeAll(participantId: string, why: CloseCode): void {
    this.waitingRoom.close(participantId, why)
    for (const connection of this.#needs.participants.connectionsOf(participantId)) connection.close(why)
  }

  /** They were there because the event was public, and for no other reason. */
  closeAnonymous(): void {
    for (const connection of [...this.#needs.participants.connections(), ...this.waitingRoom.connections()]) {
      if (connection.identity.kind === "anonymous") connection.close(CLOSE.revoked)
    }
  }
}
