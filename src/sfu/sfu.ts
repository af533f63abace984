/**
 * A selective forwarding unit (RFC 7667, 3.7): browsers send sound and pictures once, and it passes to each one what that one shows. One UDP
 * port serves all; a TCP connection to the same port serves browsers whose network lets no UDP through (RFC 4571, RFC 6544).
 */
import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { createServer, type Server, type Socket as TcpSocket } from "node:net"
import { every, type Timers } from "../clock/timers.ts"
import { Malformed } from "./bytes.ts"
import { type Certificate, newCertificate } from "./dtls/certificate.ts"
import { ENCODER_FORMS, type EncoderEvents, EncoderSession, readEncoderOffer } from "./encoder/encoder-session.ts"
import type { Muted } from "./forwarding/publication.ts"
import { Room, type RoomEvents, type View } from "./forwarding/room.ts"
import { checkAnswer, isAuthentic, isStun, readCheck } from "./ice/stun.ts"
import { type AnswerFacts, answerTo, ROOM_FORMS } from "./session/answer.ts"
import { type Offer, readOffer } from "./session/offer.ts"
import { type Path, Peer } from "./session/peer.ts"

interface SfuOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** Addresses at which browsers reach the port. */
  readonly addresses: ReadonlyArray<string>
  readonly timers: Timers
}

export interface SfuEvents extends RoomEvents, EncoderEvents {
  /** A fault of the program, which ends the session in which it was seen and no other. */
  readonly onFault: (cause: unknown) => void
}

/** A room, and who is in it. */
interface Hall {
  readonly room: Room
  readonly known: Map<string, Peer>
}

const DECIDE_EVERY_MS = 250
const LOOK_EVERY_MS = 50
const ASK_LOST_EVERY_MS = 20
const REPORT_EVERY_MS = 1000
/** Browsers check their path every few seconds (RFC 7675). */
const SILENT_MS = 10_000
const MOST_TCP = 1000
const MOST_TCP_OF_ADDRESS = 50
/** No packet of a call is longer; checks and handshakes are shorter. */
const MOST_BYTES = 2048
/** A connection that does not read is closed beyond that, and datagrams are dropped. */
const MOST_WAITING = 1 << 20

/** Listens to IPv6 and IPv4, or to IPv4 alone where the machine has nothing else. Resolves to the address. */
const listenOn = async (server: Server, port: number): Promise<string> => {
  try {
    await once(server.listen(port, "::"), "listening")
    return "::"
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    if (code !== "EAFNOSUPPORT" && code !== "EADDRNOTAVAIL") throw cause
    await once(server.listen(port, "0.0.0.0"), "listening")
    return "0.0.0.0"
  }
}

export class Sfu {
  readonly #options: SfuOptions
  readonly #events: SfuEvents
  readonly #certificate: Certificate
  readonly #udp: Socket
  readonly #tcp: Server
  readonly #halls = new Map<string, Hall>()
  readonly #encoders = new Map<string, EncoderSession>()
  readonly #byFragment = new Map<string, Peer>()
  readonly #byPath = new Map<string, Peer>()
  readonly #stops: ReadonlyArray<() => void>
  readonly #sockets = new Set<TcpSocket>()

  private constructor(options: SfuOptions, events: SfuEvents, certificate: Certificate, udp: Socket, tcp: Server) {
    this.#options = options
    this.#events = events
    this.#certificate = certificate
    this.#udp = udp
    this.#tcp = tcp
    // An address that cannot be reached is that of one browser, whose silence ends its session.
    udp.on("error", () => undefined)
    udp.on("message", (datagram, { address, port }) => {
      if (port > 0 && datagram.length <= MOST_BYTES)
        this.#receive(datagram, this.#udpPath(address, port), address, port)
    })
    tcp.on("connection", (socket) => this.#serveTcp(socket))
    const { timers } = options
    this.#stops = [
      every(timers, DECIDE_EVERY_MS, () => this.#decide()),
      every(timers, LOOK_EVERY_MS, () => {
        for (const { room } of this.#halls.values()) if (room.isChanged) room.decide()
      }),
      every(timers, ASK_LOST_EVERY_MS, () => {
        this.#each((peer) => peer.askLost())
        this.#tickEncoders()
      }),
      every(timers, REPORT_EVERY_MS, () => this.#each((peer) => peer.report())),
    ]
  }

  /** Rejects if the port is taken. */
  static async listen(options: SfuOptions, events: SfuEvents): Promise<Sfu> {
    const certificate = newCertificate(options.timers.now())
    const tcp = createServer({ noDelay: true })
    const address = await listenOn(tcp, options.port)
    const { port } = tcp.address() as { readonly port: number }
    const type = address === "::" ? "udp6" : "udp4"
    const udp = createSocket({ type, recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 })
    udp.bind(port, address)
    await once(udp, "listening").catch((cause: unknown) => {
      tcp.close()
      throw cause
    })
    // Connections that cannot be accepted are those of others.
    tcp.on("error", () => undefined)
    return new Sfu(options, events, certificate, udp, tcp)
  }

  get port(): number {
    return this.#udp.address().port
  }

  /** The answer to a browser's offer, which continues its session, or begins one if `gen` is another one. @throws Malformed */
  offer(roomId: string, peerId: string, gen: number, sdp: string): string {
    const offer = readOffer(sdp)
    const known = this.#halls.get(roomId)?.known.get(peerId)
    const isKnown = known?.gen === gen && known.isOf(offer)
    if (isKnown) known.negotiate(offer)
    const peer = isKnown ? known : this.#open(roomId, peerId, gen, offer)
    return this.#answer(offer, peer, ROOM_FORMS)
  }

  /** The answer to the offer of an encoder whose media go to a broadcast of at most so many kilobits in a second. @throws Malformed */
  openEncoder(id: string, sdp: string, maxKbps: number): string {
    const offer = readEncoderOffer(sdp)
    const facts = { id, offer, maxKbps, certificate: this.#certificate, timers: this.#options.timers }
    const encoder = new EncoderSession(facts, { ...this.#events, onEncoderEnded: () => this.#endEncoder(id) })
    this.#encoders.set(id, encoder)
    this.#byFragment.set(encoder.peer.fragment, encoder.peer)
    return this.#answer(offer, encoder.peer, ENCODER_FORMS)
  }

  closeEncoder(id: string): void {
    const encoder = this.#encoders.get(id)
    this.#encoders.delete(id)
    if (encoder !== undefined) this.#forget(encoder.peer)
  }

  /** Ends the session after its last pieces. */
  finishEncoder(id: string): void {
    this.#encoders.get(id)?.finish()
    this.#endEncoder(id)
  }

  #endEncoder(id: string): void {
    if (!this.#encoders.has(id)) return
    this.closeEncoder(id)
    this.#events.onEncoderEnded(id)
  }

  #tickEncoders(): void {
    for (const [id, encoder] of [...this.#encoders]) {
      try {
        if (encoder.isOver || encoder.peer.silentFor() > SILENT_MS) this.#endEncoder(id)
        else encoder.tick()
      } catch (cause) {
        this.#fault(encoder.peer, cause)
      }
    }
  }

  #answer(offer: Offer, peer: Peer, forms: AnswerFacts["forms"]): string {
    return answerTo(offer, {
      forms,
      fragment: peer.fragment,
      password: peer.password,
      fingerprint: this.#certificate.fingerprint,
      candidates: (["udp", "tcp"] as const).flatMap((protocol) =>
        this.#options.addresses.map((address) => ({ protocol, address, port: this.port })),
      ),
      sourceOf: (mid) => peer.sourceOf(mid),
    })
  }

  leave(roomId: string, peerId: string): void {
    const known = this.#halls.get(roomId)?.known.get(peerId)
    if (known !== undefined) this.#drop(roomId, known)
  }

  /** Forwards these sources of the browser to nobody, until another set of them is named. */
  mute(roomId: string, peerId: string, muted: ReadonlyArray<Muted>): void {
    this.#halls.get(roomId)?.room.mute(peerId, muted)
  }

  look(roomId: string, peerId: string, views: ReadonlyArray<View>): void {
    this.#halls.get(roomId)?.room.look(peerId, views)
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    for (const peer of this.#byFragment.values()) peer.close()
    for (const socket of this.#sockets) socket.destroy()
    const closed = Promise.all([once(this.#udp, "close"), once(this.#tcp, "close")])
    this.#udp.close()
    this.#tcp.close()
    await closed
  }

  #open(roomId: string, peerId: string, gen: number, offer: Offer): Peer {
    this.leave(roomId, peerId)
    const { timers } = this.#options
    const hall = this.#halls.get(roomId) ?? { room: new Room(roomId, timers.elapsed, this.#events), known: new Map() }
    this.#halls.set(roomId, hall)
    const { room } = hall
    const facts = { id: peerId, gen, offer, certificate: this.#certificate, timers }
    const peer = new Peer(facts, {
      onClosed: (one) => this.#drop(roomId, one),
      onPacket: (publication, layer, packet, number) => room.forward(publication, layer, packet, number),
      onKeyFrameAsked: (slot) => room.askKeyFrame(slot),
    })
    hall.known.set(peerId, peer)
    this.#byFragment.set(peer.fragment, peer)
    room.add(peer)
    return peer
  }

  #drop(roomId: string, peer: Peer): void {
    const hall = this.#halls.get(roomId)
    if (hall?.known.get(peer.id) !== peer) return
    hall.known.delete(peer.id)
    this.#forget(peer)
    hall.room.remove(peer)
    if (hall.known.size === 0) this.#halls.delete(roomId)
  }

  #forget(peer: Peer): void {
    this.#byFragment.delete(peer.fragment)
    for (const key of peer.paths) if (this.#byPath.get(key) === peer) this.#byPath.delete(key)
    peer.close()
  }

  #udpPath(address: string, port: number): Path {
    return {
      key: `${address} ${port}`,
      send: (datagram) => {
        // Datagrams that the network does not take in time are lost, as everywhere on their way.
        if (this.#udp.getSendQueueSize() < MOST_WAITING) this.#udp.send(datagram, port, address)
      },
    }
  }

  #receive(datagram: Buffer, path: Path, address: string, port: number): void {
    try {
      if (isStun(datagram))
        this.#check(datagram, path, address.startsWith("::ffff:") ? address.slice(7) : address, port)
      else this.#byPath.get(path.key)?.receive(datagram)
    } catch (cause) {
      if (!(cause instanceof Malformed)) this.#fault(this.#byPath.get(path.key), cause)
    }
  }

  /** One person's packets end nobody else's call. */
  #fault(peer: Peer | undefined, cause: unknown): void {
    this.#events.onFault(cause)
    for (const [roomId, { known }] of this.#halls)
      if (peer !== undefined && known.get(peer.id) === peer) this.#drop(roomId, peer)
    for (const [id, encoder] of [...this.#encoders]) if (encoder.peer === peer) this.#endEncoder(id)
  }

  /** Whoever does not know a session's secret gets no answer, so that the port answers no stranger. */
  #check(packet: Buffer, path: Path, address: string, port: number): void {
    const check = readCheck(packet)
    const peer = check === undefined ? undefined : this.#byFragment.get(check.localFragment)
    if (check === undefined || peer === undefined || !isAuthentic(packet, check, peer.password)) return
    this.#byPath.set(path.key, peer)
    const left = peer.heard(path, check.isNominated)
    if (left !== undefined) this.#byPath.delete(left)
    path.send(checkAnswer(check, { address, port }, peer.password))
  }

  #serveTcp(socket: TcpSocket): void {
    const { remoteAddress = "", remotePort = 0 } = socket
    const ofAddress = [...this.#sockets].filter((one) => one.remoteAddress === remoteAddress).length
    if (this.#sockets.size >= MOST_TCP || ofAddress >= MOST_TCP_OF_ADDRESS) {
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    const key = `tcp ${remoteAddress} ${remotePort}`
    const path: Path = {
      key,
      send: (datagram) => {
        if (socket.writableLength > MOST_WAITING) socket.destroy()
        if (socket.destroyed) return
        const size = Buffer.alloc(2)
        size.writeUInt16BE(datagram.length)
        socket.write(Buffer.concat([size, datagram]))
      },
    }
    let waiting = Buffer.alloc(0)
    socket.setTimeout(SILENT_MS, () => socket.destroy())
    const stopWaiting = this.#options.timers.after(SILENT_MS, () => {
      if (!this.#byPath.has(key)) socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => {
      stopWaiting()
      this.#sockets.delete(socket)
      this.#byPath.delete(key)
    })
    socket.on("data", (bytes) => {
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= 2) {
        const size = waiting.readUInt16BE(0)
        if (size > MOST_BYTES) socket.destroy()
        if (size > MOST_BYTES || waiting.length < 2 + size) return
        this.#receive(waiting.subarray(2, 2 + size), path, remoteAddress, remotePort)
        waiting = waiting.subarray(2 + size)
      }
    })
  }

  #each(work: (peer: Peer) => void): void {
    for (const peer of [...this.#byFragment.values()]) {
      try {
        if (peer.isConnected) work(peer)
      } catch (cause) {
        this.#fault(peer, cause)
      }
    }
  }

  #decide(): void {
    for (const [roomId, { room, known }] of this.#halls) {
      for (const peer of [...known.values()]) if (peer.silentFor() > SILENT_MS) this.#drop(roomId, peer)
      room.decide()
    }
  }
}
