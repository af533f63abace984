/**
 * Open sockets to other nodes, by address. The sockets of a node that is gone are destroyed at once: a frozen machine, or one behind a cut
 * cable, would never answer the waiting calls.
 */
import { connect as connectTcp, type Socket as TcpSocket } from "node:net"
import { connect as connectTls } from "node:tls"
import * as NodeSocket from "@effect/platform-node-shared/NodeSocket"
import { Effect } from "effect"
import { Socket } from "effect/socket"
import { addressText, type NodeAddress } from "./node-address.ts"
import type { SharedKey } from "./shared-key.ts"

const OPEN_WITHIN = "1 second"

export class NodeSockets {
  readonly #key: SharedKey | null
  readonly #refused: (address: string) => void
  readonly #open = new Map<string, Set<TcpSocket>>()

  /** Without `key`, nodes trust their network. `refused`: called with the address of a node that has another key. */
  constructor(key: SharedKey | null, refused: (address: string) => void = () => {}) {
    this.#key = key
    this.#refused = refused
  }

  /** A socket for the engine's calls to the node at this address; it is opened on first use. */
  to(address: NodeAddress): Effect.Effect<Socket.Socket> {
    return NodeSocket.fromDuplex(
      // A dial may get no answer at all: its time limit, and a caller that stops waiting, must be able to end it.
      Effect.acquireRelease(this.#dial(address), (socket) => Effect.sync(() => socket.destroySoon()), {
        interruptible: true,
      }),
      { openTimeout: OPEN_WITHIN },
    )
  }

  /**
   * Destroys the sockets to a node. `address`: `host:port`. Calls that wait for the node fail, and are retried at the node that now has its
   * events.
   */
  giveUp(address: string): void {
    for (const socket of this.#open.get(address) ?? []) socket.destroy()
  }

  #dial(address: NodeAddress): Effect.Effect<TcpSocket, Socket.SocketError> {
    return Effect.callback((resume) => {
      const { host, port } = address
      // Calls are small, and each one is awaited.
      const options = { host, port, noDelay: true }
      const socket = this.#key === null ? connectTcp(options) : connectTls({ ...options, ...this.#key.client })
      // The engine listens for each waiting write; more than ten listeners are no leak.
      socket.setMaxListeners(0)
      this.#keep(address, socket)
      socket.once(this.#key === null ? "connect" : "secureConnect", () => resume(Effect.succeed(socket)))
      const fail = (cause: NodeJS.ErrnoException) => {
        if (cause.code?.startsWith("ERR_SSL") === true) this.#refused(addressText(address))
        resume(Effect.fail(new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })))
      }
      socket.on("error", fail)
      // A socket that is destroyed while it connects has no error.
      socket.once("close", () => fail(new Error("The connection was closed.")))
      return Effect.sync(() => socket.destroy())
    })
  }

  #keep(address: NodeAddress, socket: TcpSocket): void {
    const name = addressText(address)
    const sockets = this.#open.get(name) ?? new Set()
    this.#open.set(name, sockets.add(socket))
    socket.once("close", () => {
      sockets.delete(socket)
      if (sockets.size === 0 && this.#open.get(name) === sockets) this.#open.delete(name)
    })
  }
}
