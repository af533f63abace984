/**
 * The peer of `fanout`, `joinstorm` and `connections`: Socket.IO, WebSocket only, everyone in one room. As it comes it runs on `ws` and
 * emits each dispatch. At its best it runs on uWebSockets.js, and gathers dispatches in the tick that ours has. In both ways it
 * can check a token at the join, as its documentation shows (a middleware), with the same code as ours.
 */

import { App, us_socket_local_port } from "uWebSockets.js"
import { createSecretKey } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Redacted } from "effect"
import { Server } from "socket.io"
import { verifyClaims } from "../../src/identity/signed-claims.ts"
import { deriveKey } from "../../src/secret-key.ts"
import { dispatchOf } from "../fanout/message.ts"
import { answerParent } from "./child.ts"
import { sleep } from "./figures.ts"
import { SECRET_KEY } from "./server-process.ts"

export interface SocketIoOptions {
  readonly engine: "ws" | "uWebSockets.js"
  readonly checksTokens: boolean
}

export interface SocketIoPublish {
  readonly perSecond: number
  readonly seconds: number
  /** Dispatches are gathered so long into one packet; 0: each goes alone, at once. */
  readonly tickMs: number
}

const ROOM = "event"
const AUDIENCE = "gathercue/gateway"
const io = new Server({ transports: ["websocket"], serveClient: false })
let places = 0

const listenOnWs = (): Promise<number> => {
  const http = createServer()
  io.attach(http)
  return new Promise((resolve) => {
    http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve((http.address() as AddressInfo).port))
  })
}

const listenOnUws = (): Promise<number> => {
  const app = App({})
  io.attachApp(app)
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(us_socket_local_port(socket))
    })
  })
}

const start = ({ engine, checksTokens }: SocketIoOptions): Promise<number> => {
  if (checksTokens) {
    const key = createSecretKey(deriveKey(Redacted.make(SECRET_KEY), "token/gateway"))
    io.use((socket, next) => {
      const { token } = socket.handshake.auth as { readonly token?: unknown }
      const claims = verifyClaims(key, String(token), AUDIENCE, Math.floor(Date.now() / 1000))
      next(claims === undefined ? new Error("unauthorized") : undefined)
    })
  }
  io.on("connection", (socket) => void socket.join(ROOM))
  return engine === "ws" ? listenOnWs() : listenOnUws()
}

/** Emits at the pace, or as fast as it can when that is slower; resolves to how many dispatches were emitted in the time. */
const publish = async ({ perSecond, seconds, tickMs }: SocketIoPublish): Promise<number> => {
  const startedAt = performance.now()
  let emitted = 0
  let waiting: ReturnType<typeof dispatchOf>[] = []
  let flushedAt = startedAt
  const flush = (now: number): void => {
    if (waiting.length === 0 || now - flushedAt < tickMs) return
    flushedAt = now
    io.to(ROOM).emit("dispatches", waiting)
    waiting = []
  }
  while (performance.now() - startedAt < seconds * 1000 && emitted < perSecond * seconds) {
    const dueIn = startedAt + (emitted * 1000) / perSecond - performance.now()
    // Always lets sockets be read and written in between.
    await sleep(Math.max(0, dueIn))
    places += 1
    emitted += 1
    if (tickMs === 0) io.to(ROOM).emit("dispatch", dispatchOf(places))
    else {
      waiting.push(dispatchOf(places))
      flush(performance.now())
    }
  }
  if (tickMs > 0) {
    await sleep(tickMs)
    flush(Number.POSITIVE_INFINITY)
  }
  return emitted
}

answerParent({ start, publish })
