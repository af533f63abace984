/**
 * The browser-to-browser calls of one event, kept for the lifetime of an activation. This class finds the room of each peer, asks `call.ts`
 * for every decision, and sends the resulting messages to the nodes of the sockets. It knows neither phases nor roles: gateways decide who
 * may be in which call. Nothing here is stored, published or logged, because signals contain IP addresses. A new activation starts without
 * calls and rebuilds them from what the nodes remember.
 */
import { isDeepStrictEqual } from "node:util"
import type { Context } from "effect"
import { DueRun } from "../../clock/throttle.ts"
import type { Timers } from "../../clock/timers.ts"
import { newId } from "../../model/ids.ts"
import { RETURN_WITHIN_MS } from "../../model/live/holdings.ts"
import {
  type Call,
  type CallEffect,
  type CallEvent,
  type CallPeer,
  LATER,
  NO_SUCH_PEER,
  NOBODY_MEANT,
  type Peer,
  type PeerDeparture,
  stepCall,
} from "./call.ts"
import { CallMutes } from "./call-mutes.ts"
import type { CallReply, CallRequest, CallStep, RememberedRoom, StepAnswer } from "./call-request.ts"
import type { CallServer, ServedRooms } from "./call-server.ts"
import type { CallNews, NodeMessage, PeerSocket } from "./node-messages.ts"
import { NodeSequences } from "./node-sequences.ts"
import { type IndexedPeer, PeerIndex } from "./peer-index.ts"

/** Time in which every node has reported its peers to a new activation. */
const REMEMBERED_WITHIN_MS = 2000

interface CallsNeeds {
  readonly eventId: string
  readonly timers: Timers
  readonly tell: (node: string, message: NodeMessage) => void
  /** Start of this activation, on the monotonic clock of the timers. */
  readonly since: number
  /** Whether an earlier activation existed, whose peers other nodes may still remember. */
  readonly mayBeRemembered: () => boolean
  readonly server: Context.Service.Shape<typeof CallServer>
}

/** Socket assigned to a peer. */
interface PeerPlace {
  readonly node: string
  readonly socket: number
}

const listed = ({ connectionId, participantId, name, have, muted }: CallPeer): CallPeer => ({
  connectionId,
  participantId,
  name,
  have,
  ...(muted !== undefined && { muted }),
})

type Join = Extract<CallStep, { readonly type: "join" }>
type Mute = Extract<CallStep, { readonly type: "mute" }>
type Signal = Extract<CallStep, { readonly type: "signal" }>

export class Calls {
  readonly #needs: CallsNeeds
  /** Rooms with at least one peer. */
  readonly #rooms = new Map<string, Call>()
  readonly #index = new PeerIndex()
  readonly #mutes = new CallMutes()
  /** Peers that left since this activation began, kept while an outdated list may still name them. */
  readonly #gone = new Set<string>()
  readonly #sequences: NodeSequences
  readonly #expiry: DueRun
  readonly #served: ServedRooms | undefined

  constructor(needs: CallsNeeds) {
    this.#needs = needs
    this.#sequences = new NodeSequences(needs.eventId, needs.tell)
    this.#served = needs.server?.open(needs.eventId, {
      signal: ({ room, peer }, signal) => {
        const holder = this.#index.find(peer)
        if (holder?.roomId !== room) return
        this.#sendTo(holder, (to) => ({ type: "signal", from: room, signal, to }))
        this.#sequences.deliver()
      },
      begunAnew: () => this.sendListsAgain(),
    })
    this.#expiry = new DueRun(needs.timers, () => {
      this.#expire()
      this.#sequences.deliver()
    })
  }

  /** True when no peer is left, including peers that lost their socket. */
  get isEmpty(): boolean {
    return this.#rooms.size === 0
  }

  /** Exposed for property tests. */
  get rooms(): ReadonlyMap<string, Call> {
    return this.#rooms
  }

  answer(request: CallRequest): CallReply {
    const { id, node, sequence, remembered, steps } = request
    const repeated = this.#sequences.repeated(node, id)
    if (repeated !== undefined) return repeated
    if (remembered !== undefined) {
      this.#sequences.begin(node, sequence)
      this.#remember(node, remembered.rooms, remembered.maxPeers)
    } else if (!this.#sequences.isCurrent(node, sequence)) return { isKnown: false, sent: 0, answers: [] }
    const answers = steps.map((step) => this.#take(node, step))
    const reply = { isKnown: true, sent: this.#sequences.sent(node), answers }
    this.#sequences.keep(node, id, reply)
    this.#sequences.deliver()
    return reply
  }

  /** The node and all its sockets are gone: its peers have the usual grace period to reconnect elsewhere. */
  forgetNode(node: string): void {
    this.#sequences.forget(node)
    for (const { roomId, connectionId } of this.#index.ofNode(node)) this.#lose(roomId, connectionId, RETURN_WITHIN_MS)
    this.#sequences.deliver()
  }

  /** Messages to nodes may have been lost. The lists are sent again, and their numbers reveal the gap. */
  sendListsAgain(): void {
    for (const roomId of this.#rooms.keys()) this.#sendList(roomId, "all", false)
    this.#sequences.deliver()
  }

  stop(): void {
    this.#expiry.cancel()
    this.#served?.close()
  }

  #take(node: string, step: CallStep): StepAnswer {
    if (step.type === "join") return this.#join(node, step)
    if (step.type === "mute") return this.#mute(step)
    const holder = this.#index.at(node, step.socket)
    if (step.type === "signal") return this.#signal(holder, step)
    if (holder === undefined) return {}
    if (step.type === "lose") this.#lose(holder.roomId, holder.connectionId, RETURN_WITHIN_MS)
    else if ((step.connectionId ?? holder.connectionId) === holder.connectionId) this.#leave(holder, "left")
    return {}
  }

  #join(node: string, step: Join): StepAnswer {
    const { socket, roomId, resume, participantId } = step
    const own = this.#index.at(node, socket)
    const isOwnHere = own?.roomId === roomId
    if (resume !== undefined && !isOwnHere && this.#mayComeBack(roomId, resume)) return { refusal: LATER }
    const muted = this.#mutes.of(roomId, participantId)
    const event: CallEvent = { ...step, own: isOwnHere ? own.connectionId : undefined, resume, freshId: newId(), muted }
    const effects = this.#step(roomId, event, { node, socket })
    for (const effect of effects) {
      if (effect.type === "refuse") return { refusal: effect.refusal }
      if (effect.type !== "attach") continue
      for (const other of this.#index.ofParticipant(participantId))
        if (other.roomId !== roomId) this.#leave(other, "moved")
      return { joined: { connectionId: effect.peer.connectionId, resumed: effect.resumed } }
    }
    return { refusal: NO_SUCH_PEER }
  }

  /** Whether the peer may be one that another node is about to report. Joining it under a new id would disturb the other peers. */
  #mayComeBack(roomId: string, connectionId: string): boolean {
    const isKnown = this.#rooms.get(roomId)?.some((peer) => peer.connectionId === connectionId) ?? false
    return !isKnown && this.#isBeingRemembered
  }

  get #isBeingRemembered(): boolean {
    return this.#ageMs < REMEMBERED_WITHIN_MS && this.#needs.mayBeRemembered()
  }

  get #isYoung(): boolean {
    return this.#ageMs < RETURN_WITHIN_MS
  }

  get #ageMs(): number {
    return this.#needs.timers.elapsed() - this.#needs.since
  }

  #signal(holder: IndexedPeer | undefined, { signal }: Signal): StepAnswer {
    if (holder === undefined) return { refusal: NO_SUCH_PEER }
    if (this.#served !== undefined && signal.to === holder.roomId) {
      const muted = this.#mutes.of(holder.roomId, holder.participantId)
      this.#served.signal({ room: holder.roomId, peer: holder.connectionId }, signal, muted)
      return {}
    }
    const [effect] = this.#step(holder.roomId, { type: "signal", from: holder.connectionId, signal })
    return effect?.type === "refuse" ? { refusal: effect.refusal } : {}
  }

  #mute({ roomId, by, participantId, source, on }: Mute): StepAnswer {
    const isMeant = (id: string): boolean => (participantId === undefined ? id !== by : id === participantId)
    const meant = [...this.#rooms].flatMap(([room, call]) =>
      participantId === undefined && room !== roomId
        ? []
        : call.filter((peer) => isMeant(peer.participantId)).map((peer) => ({ room, peer })),
    )
    if (this.#isBeingRemembered) return { refusal: LATER }
    if (meant.length === 0) return { refusal: NOBODY_MEANT }
    for (const { room, peer } of meant) {
      const others = this.#mutes.of(room, peer.participantId).filter((one) => one !== source)
      this.#mutes.say(room, peer.participantId, on ? [...others, source] : others)
    }
    for (const room of new Set(meant.map((one) => one.room))) this.#applyMutes(room)
    for (const { peer } of on ? [] : meant)
      this.#sendTo(this.#index.find(peer.connectionId), (to) => ({ type: "asked", source, to }))
    return {}
  }

  #applyMutes(roomId: string): void {
    this.#step(roomId, { type: "mute", mutedOf: (participantId) => this.#mutes.of(roomId, participantId) })
  }

  #leave({ roomId, connectionId }: IndexedPeer, why: PeerDeparture): void {
    this.#step(roomId, { type: "leave", connectionId, why })
  }

  #lose(roomId: string, connectionId: string, graceMs: number): void {
    this.#step(roomId, { type: "lose", connectionId, until: this.#needs.timers.elapsed() + graceMs })
    this.#expiry.within(graceMs)
  }

  /** Applies a node's complete report of its peers and its view of the other peers in their rooms. */
  #remember(node: string, rooms: ReadonlyArray<RememberedRoom>, maxPeers: number): void {
    const own = new Set(
      rooms.flatMap(({ peers }) => peers.flatMap((peer) => (peer.own === undefined ? [] : [peer.connectionId]))),
    )
    for (const holder of this.#index.ofNode(node)) if (!own.has(holder.connectionId)) this.#leave(holder, "left")
    for (const { roomId, peers } of rooms) {
      const list = () => this.#rooms.get(roomId)?.map(listed)
      const before = list()
      for (const peer of peers) {
        this.#mutes.recall(roomId, peer.participantId, peer.muted)
        this.#restore(node, roomId, peer, maxPeers)
      }
      this.#applyMutes(roomId)
      // Earlier lists to this node may have been lost. The gateway forwards only those that are new to a socket.
      this.#sendList(roomId, isDeepStrictEqual(before, list()) ? node : "all", false)
    }
  }

  #restore(node: string, roomId: string, given: RememberedRoom["peers"][number], maxPeers: number): void {
    const { own, ...peer } = given
    if (own !== undefined) {
      this.#claim(roomId, peer, { node, socket: own.socket }, own.graceMs, maxPeers)
      return
    }
    // Once an activation is not young any more, the peers of all nodes are known, and a peer that no node claims has left.
    if (!this.#isYoung || this.#gone.has(peer.connectionId)) return
    if (this.#index.find(peer.connectionId) !== undefined) return
    if (this.#index.ofParticipant(peer.participantId).length > 0) return
    this.#step(roomId, {
      type: "restore",
      peer,
      isClaimed: false,
      awayUntil: this.#awayUntil(RETURN_WITHIN_MS),
      maxPeers,
    })
  }

  #claim(roomId: string, peer: CallPeer, from: PeerPlace, graceMs: number | null, maxPeers: number): void {
    const { node, socket } = from
    const to = { socket, connectionId: peer.connectionId }
    const others = this.#index
      .ofParticipant(peer.participantId)
      .filter(({ connectionId }) => connectionId !== peer.connectionId)
    const known = this.#index.find(peer.connectionId)
    const isElsewhere = known?.node !== undefined && known.node !== node
    // The most recent peer of a participant wins.
    const isLate = others.some((holder) => holder.node !== undefined && holder.connectionId > peer.connectionId)
    const isAnother = known !== undefined && (known.roomId !== roomId || known.participantId !== peer.participantId)
    if (isElsewhere || isLate || isAnother) {
      this.#sequences.put(node, { type: "closed", to, why: "replaced" })
      return
    }
    const before = this.#index.at(node, socket)
    if (before !== undefined && before.connectionId !== peer.connectionId) this.#leave(before, "left")
    const awayUntil = graceMs === null ? null : this.#awayUntil(Math.min(graceMs, RETURN_WITHIN_MS))
    const effects = this.#step(roomId, { type: "restore", peer, isClaimed: true, awayUntil, maxPeers }, from)
    if (effects.some(({ type }) => type === "refuse")) {
      this.#sequences.put(node, { type: "closed", to, why: "moved" })
      return
    }
    for (const holder of others) if (holder.roomId !== roomId) this.#leave(holder, "moved")
  }

  /** Returns the end of the grace period, and schedules the expiry. */
  #awayUntil(graceMs: number): number {
    this.#expiry.within(graceMs)
    return this.#needs.timers.elapsed() + graceMs
  }

  #expire(): void {
    const now = this.#needs.timers.elapsed()
    let next = Number.POSITIVE_INFINITY
    for (const roomId of [...this.#rooms.keys()]) {
      this.#step(roomId, { type: "expire", now })
      for (const { awayUntil } of this.#rooms.get(roomId) ?? [])
        if (awayUntil !== null) next = Math.min(next, awayUntil)
    }
    if (next !== Number.POSITIVE_INFINITY) this.#expiry.within(next - now)
  }

  /** `from`: the socket of a join, or of a peer that its node reports. */
  #step(roomId: string, event: CallEvent, from?: PeerPlace): ReadonlyArray<CallEffect> {
    const { call, effects } = stepCall(this.#rooms.get(roomId) ?? [], event)
    if (call.length === 0) {
      this.#rooms.delete(roomId)
      this.#mutes.forget(roomId)
    } else this.#rooms.set(roomId, call)
    if (event.type === "restore" && !event.isClaimed) this.#putUnclaimed(roomId, call, event.peer.connectionId)
    for (const effect of effects) this.#perform(roomId, effect, from)
    return effects
  }

  /** A peer that its own node has not reported yet has no socket. */
  #putUnclaimed(roomId: string, call: Call, connectionId: string): void {
    const peer = call.find((one) => one.connectionId === connectionId)
    if (peer?.isClaimed === false) this.#index.put(this.#indexed(roomId, peer))
  }

  #indexed(roomId: string, { connectionId, participantId }: Peer, from?: PeerPlace): IndexedPeer {
    return { roomId, connectionId, participantId, node: from?.node, socket: from?.socket ?? 0 }
  }

  #perform(roomId: string, effect: CallEffect, from: PeerPlace | undefined): void {
    switch (effect.type) {
      case "attach": {
        const before = this.#index.put(this.#indexed(roomId, effect.peer, from))
        // A peer that resumes while its earlier socket is still open, as after a network change, moves to the new socket.
        const isSame = before?.node === from?.node && before?.socket === from?.socket
        if (before !== undefined && !isSame) this.#sendClosed(before, "replaced")
        break
      }
      case "detach": {
        const { connectionId } = effect.peer
        if (this.#isYoung) this.#gone.add(connectionId)
        else this.#gone.clear()
        this.#served?.leave({ room: roomId, peer: connectionId })
        const holder = this.#index.remove(connectionId)
        if (holder !== undefined) this.#sendClosed(holder, effect.why === "expired" ? "moved" : effect.why)
        break
      }
      case "list":
        this.#sendList(roomId, effect.to === "all" ? "all" : { connectionId: effect.to }, effect.to !== "all")
        break
      case "signal": {
        const { from: sender, signal } = effect
        this.#sendTo(this.#index.find(signal.to), (to) => ({ type: "signal", from: sender, signal, to }))
        break
      }
      case "mute": {
        const { connectionId, muted = [] } = effect.peer
        this.#served?.mute({ room: roomId, peer: connectionId }, muted)
        break
      }
      case "refuse":
        break
    }
  }

  #sendClosed(holder: IndexedPeer, why: "left" | "moved" | "replaced"): void {
    this.#sendTo(holder, (to) => ({ type: "closed", to, why }))
  }

  #sendTo(holder: IndexedPeer | undefined, newsOf: (to: PeerSocket) => CallNews): void {
    if (holder?.node === undefined) return
    this.#sequences.put(holder.node, newsOf({ socket: holder.socket, connectionId: holder.connectionId }))
  }

  /** Sends one message to each node concerned. `whom`: all peers, the peers of one node, or one peer. */
  #sendList(roomId: string, whom: "all" | string | { readonly connectionId: string }, isAsked: boolean): void {
    const room = this.#rooms.get(roomId) ?? []
    const byNode = new Map<string, PeerSocket[]>()
    for (const { connectionId, awayUntil } of room) {
      const holder = this.#index.find(connectionId)
      if (holder?.node === undefined || awayUntil !== null) continue
      const isMeant =
        typeof whom === "object" ? whom.connectionId === connectionId : whom === "all" || whom === holder.node
      if (!isMeant) continue
      const sockets = byNode.get(holder.node) ?? []
      byNode.set(holder.node, sockets)
      sockets.push({ socket: holder.socket, connectionId })
    }
    const peers = room.map(listed)
    const server = this.#served === undefined ? {} : { server: this.#served.session() }
    for (const [node, to] of byNode) this.#sequences.put(node, { type: "list", roomId, peers, to, isAsked, ...server })
  }
}
