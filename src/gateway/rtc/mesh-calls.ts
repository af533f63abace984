/**
 * The sockets of this node in the calls of one event. This class decides who may be in which call, by the facts that this node has. The
 * live event holds the rooms (`actors/calls/calls.ts`); this class sends it requests and passes its messages to the sockets. Nothing here
 * is published, stored or logged: signals contain addresses of people, and go to one connection.
 */

import { NO_SUCH_PEER } from "../../actors/calls/call.ts"
import type { StepAnswer } from "../../actors/calls/call-request.ts"
import type { CallNews, PeerSocket } from "../../actors/calls/node-messages.ts"
import { DueRun } from "../../clock/throttle.ts"
import { RETURN_WITHIN_MS } from "../../model/live/holdings.ts"
import type { CommandData, ReplyData } from "../../protocol/contract.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionLeft } from "../connection/step.ts"
import type { GatewayServices } from "../services.ts"
import { CallFrames } from "./call-frames.ts"
import { CallLine, type LineServices } from "./call-line.ts"
import { type CallMember, type MemberPeer, Members } from "./members.ts"
import { callOf, callOfAbsent, type Facts } from "./places.ts"
import { rememberedRooms } from "./remembered-rooms.ts"
import { SignalBudget } from "./signal-budget.ts"

type CallCommand = "rtc.join" | "rtc.leave" | "rtc.signal" | "rtc.mute"
type Answer<T extends CallCommand> = { readonly d: ReplyData<T> } | { readonly refusal: Refusal }
type Reply<T extends CallCommand> = (answer: Answer<T>) => void

const ELSEWHERE: Refusal = { code: "not_found", message: "You are not in this room now." }
const MEDIA_SERVER: Refusal = {
  code: "conflict",
  message: "Calls go through the media server here: connect to it with your media seat.",
}

/** Random delay after a reset of the link, before the calls of all events are reported again. */
const RESET_WITHIN_MS = 500

/** Whether the participant may return to the call at once after such a close. */
const isLoss = ({ why }: ConnectionLeft): boolean =>
  why === undefined || (why.advice !== "stop" && why.code !== CLOSE.revoked.code)

type MeshServices = LineServices & Pick<GatewayServices, "options" | "media">

export class MeshCalls {
  readonly #services: MeshServices
  readonly #facts: Facts
  readonly #line: CallLine
  readonly #frames: CallFrames
  readonly #members = new Members()
  /** Peers dropped on this node until the live event knows: its lists may still name them. */
  readonly #leaving = new Set<string>()
  readonly #budgets = new WeakMap<Connection, SignalBudget>()
  readonly #expiry: DueRun
  readonly #silence: () => void
  readonly #reset: DueRun

  constructor(services: MeshServices, eventId: string, facts: Facts) {
    this.#services = services
    this.#facts = facts
    this.#frames = new CallFrames(services)
    this.#line = new CallLine(services, eventId, {
      remembered: () => ({ maxPeers: services.options.mesh.maxPeers, rooms: this.#remembered() }),
      hear: (news) => this.#hear(news),
    })
    this.#expiry = new DueRun(services.timers, () => this.#expire())
    this.#reset = new DueRun(services.timers, () => this.sayAgain())
    this.#silence = services.feed.onReset(() => this.#reset.within(Math.random() * RESET_WITHIN_MS))
  }

  /** No peer of this node is left, including those without a socket, and the live event knows it. */
  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#line.isIdle
  }

  /** Number of people of this node in calls, including those whose socket is lost. */
  get peers(): number {
    let peers = 0
    for (const { peer } of this.#members.all()) if (peer !== undefined) peers++
    return peers
  }

  /** Returns 0, or the milliseconds until the connection may send a message of this size. */
  spend(connection: Connection, bytes: number): number {
    const now = this.#services.timers.elapsed()
    const budget = this.#budgets.get(connection) ?? new SignalBudget(now)
    this.#budgets.set(connection, budget)
    return budget.spend(bytes, now)
  }

  join(connection: Connection, { roomId, resume, have }: CommandData<"rtc.join">, reply: Reply<"rtc.join">): void {
    const obstacle = this.#obstacleOf(connection, roomId)
    if (obstacle !== undefined) {
      reply({ refusal: obstacle })
      return
    }
    const { number: socket, identity } = connection
    const { participantId, name } = identity
    const member = this.#members.of(connection)
    member.identity = identity
    member.isOut = false
    member.joins++
    const { maxPeers } = this.#services.options.mesh
    this.#line.ask(
      {
        type: "join",
        socket,
        roomId,
        ...(resume !== undefined && { resume }),
        participantId,
        name,
        have,
        maxPeers,
      },
      (answer, isHeard) => {
        // The join's list was lost: the next request reports the peer.
        if (!isHeard && answer.joined !== undefined) {
          this.#adopt(member, { roomId, connectionId: answer.joined.connectionId, have })
        }
        reply(this.#joined(member, roomId, answer))
      },
    )
  }

  leave({ number: socket }: Connection, reply: Reply<"rtc.leave">): void {
    const member = this.#members.get(socket)
    if (member === undefined) {
      reply({ d: {} })
      return
    }
    member.peer = undefined
    this.#forgetIdle(member)
    // If the step fails, the next request reports this node's peers without this one.
    this.#line.tell({ type: "leave", socket }, () => reply({ d: {} }))
  }

  signal({ number: socket }: Connection, signal: CommandData<"rtc.signal">, reply: Reply<"rtc.signal">): void {
    if (this.#members.get(socket) === undefined) {
      reply({ refusal: NO_SUCH_PEER })
      return
    }
    this.#line.ask({ type: "signal", socket, signal }, ({ refusal }) =>
      reply(refusal === undefined ? { d: {} } : { refusal }),
    )
  }

  /** The sender need not be in a call: hosts lead from the console. */
  mute(connection: Connection, { participantId, source, on }: CommandData<"rtc.mute">, reply: Reply<"rtc.mute">): void {
    if (this.#services.media.hasServer) {
      reply({ refusal: MEDIA_SERVER })
      return
    }
    const meant = participantId === undefined ? {} : { participantId }
    const from = { roomId: this.#callOf(connection) ?? "", by: connection.identity.participantId }
    this.#line.ask({ type: "mute", ...from, ...meant, source, on: on ?? true }, ({ refusal }) =>
      reply(refusal === undefined ? { d: {} } : { refusal }),
    )
  }

  /** The connection closed. A peer whose socket was only lost keeps its seat for a while. */
  closed(connection: Connection, departure: ConnectionLeft): void {
    const member = this.#members.get(connection.number)
    if (member === undefined) return
    member.identity = connection.identity
    if (!isLoss(departure)) {
      this.#drop(member)
      return
    }
    member.awayUntil = this.#services.timers.elapsed() + RETURN_WITHIN_MS
    this.#expiry.within(RETURN_WITHIN_MS)
    this.#line.tell({ type: "lose", socket: connection.number })
  }

  /** Removes the participant's peers if they are in another room now, or may no longer be in this one. */
  review(participantId: string): void {
    for (const member of this.#members.ofParticipant(participantId)) this.#review(member)
  }

  reviewAll(): void {
    for (const member of this.#members.all()) this.#review(member)
  }

  /** A host removed the participant. */
  remove(participantId: string): void {
    for (const member of this.#members.ofParticipant(participantId)) this.#end(member)
  }

  end(): void {
    for (const member of this.#members.all()) this.#end(member)
  }

  /** The live event may have lost its calls. */
  sayAgain(): void {
    if (!this.isEmpty) this.#line.sayAgain()
  }

  /** Drops all state without notifying anybody. */
  stop(): void {
    this.#silence()
    this.#reset.cancel()
    this.#expiry.cancel()
    this.#line.stop()
    this.#members.clear()
  }

  #obstacleOf(connection: Connection, roomId: string): Refusal | undefined {
    if (this.#services.media.hasServer) return MEDIA_SERVER
    return this.#callOf(connection) === roomId ? undefined : ELSEWHERE
  }

  #callOf({ state, identity, roomId }: Connection): string | null {
    return state === "open" ? callOf(identity.role, roomId, this.#facts.phase) : null
  }

  #mayStay({ connection, identity, awayUntil }: CallMember, roomId: string): boolean {
    const call = awayUntil === undefined ? this.#callOf(connection) : callOfAbsent(identity, this.#facts)
    return call === roomId
  }

  #review(member: CallMember): void {
    if (member.peer !== undefined && !this.#mayStay(member, member.peer.roomId)) this.#end(member)
  }

  /** Removes the socket at once; the live event, and through it the other peers, learn of it next. */
  #end(member: CallMember): void {
    const { peer, connection } = member
    if (peer !== undefined) this.#frames.closed(connection, peer.roomId, peer.connectionId, "moved")
    member.isOut = true
    this.#drop(member)
  }

  /** Removes a peer. If the member has none, its leave step covers all its joins in flight. */
  #drop(member: CallMember, connectionId = member.peer?.connectionId): void {
    member.peer = undefined
    this.#forgetIdle(member)
    const { number: socket } = member.connection
    if (connectionId === undefined) {
      this.#line.tell({ type: "leave", socket })
      return
    }
    this.#leaving.add(connectionId)
    this.#line.tell({ type: "leave", socket, connectionId }, () => this.#leaving.delete(connectionId))
  }

  #forgetIdle(member: CallMember): void {
    if (member.peer === undefined && member.joins === 0) this.#members.remove(member)
  }

  /** The list of the join came before its reply, and access was checked again then. */
  #joined(member: CallMember, roomId: string, { joined, refusal }: StepAnswer): Answer<"rtc.join"> {
    member.joins--
    this.#forgetIdle(member)
    if (joined === undefined) return { refusal: refusal ?? ELSEWHERE }
    return this.#callOf(member.connection) === roomId ? { d: joined } : { refusal: ELSEWHERE }
  }

  /** Adopts the peer, unless access changed while the join was in flight. */
  #adopt(member: CallMember, { roomId, connectionId, have }: Omit<MemberPeer, "peers">): void {
    const { peer } = member
    if (!member.isOut && this.#mayStay(member, roomId)) {
      member.peer = { roomId, connectionId, have, peers: peer?.connectionId === connectionId ? peer.peers : [] }
      return
    }
    this.#drop(member, connectionId)
  }

  #hear(news: CallNews): void {
    switch (news.type) {
      case "list":
        for (const to of news.to) this.#list(to, news)
        break
      case "signal": {
        const { from, signal, to } = news
        const member = this.#holderOf(to)
        if (member !== undefined) this.#frames.signal(member.connection, from, signal)
        break
      }
      case "asked": {
        const member = this.#holderOf(news.to)
        if (member?.peer !== undefined) this.#frames.asked(member.connection, member.peer.roomId, news.source)
        break
      }
      case "closed":
        this.#closed(news.to, news.why)
        break
    }
  }

  #holderOf({ socket, connectionId }: PeerSocket): CallMember | undefined {
    const member = this.#members.get(socket)
    return member?.peer?.connectionId === connectionId ? member : undefined
  }

  #list(to: PeerSocket, { roomId, peers, server, isAsked }: Extract<CallNews, { readonly type: "list" }>): void {
    const member = this.#members.get(to.socket)
    const own = peers.find(({ connectionId }) => connectionId === to.connectionId)
    if (member === undefined || own === undefined) return
    if (this.#leaving.has(to.connectionId)) return
    const before = member.peer
    if (before?.connectionId !== to.connectionId) {
      // A peer's first list comes before the reply to its join; a peer that was dropped here leaves the call separately.
      if (member.joins === 0) return
      this.#adopt(member, { roomId, connectionId: to.connectionId, have: own.have })
    }
    const { peer } = member
    if (peer === undefined) return
    const isNews = isAsked || peer.server !== server || JSON.stringify(peer.peers) !== JSON.stringify(peers)
    member.peer = { ...peer, have: own.have, peers, server }
    if (isNews) this.#frames.list(member.connection, roomId, to.connectionId, { peers, server })
  }

  /** The peer has left, or the live event has given it to another socket or removed it. */
  #closed(to: PeerSocket, why: "left" | "moved" | "replaced"): void {
    const member = this.#holderOf(to)
    if (member?.peer === undefined) return
    if (why !== "left") this.#frames.closed(member.connection, member.peer.roomId, to.connectionId, why)
    member.peer = undefined
    this.#forgetIdle(member)
  }

  #expire(): void {
    const now = this.#services.timers.elapsed()
    let next = Number.POSITIVE_INFINITY
    for (const member of this.#members.all()) {
      if (member.awayUntil === undefined) continue
      if (member.awayUntil > now) next = Math.min(next, member.awayUntil)
      else {
        member.peer = undefined
        this.#forgetIdle(member)
      }
    }
    if (next !== Number.POSITIVE_INFINITY) this.#expiry.within(next - now)
  }

  #remembered() {
    const now = this.#services.timers.elapsed()
    return rememberedRooms(
      this.#members.all().flatMap(({ peer, identity, connection, awayUntil }) =>
        peer === undefined
          ? []
          : {
              ...peer,
              participantId: identity.participantId,
              name: identity.name,
              socket: connection.number,
              graceMs: awayUntil === undefined ? null : Math.max(0, awayUntil - now),
            },
      ),
    )
  }
}
