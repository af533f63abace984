/**
 * What all peers on Socket.IO at its best have in common: WebSocket only, on uWebSockets.js or, as it comes, on `ws`, and a token checked
 * at the join, as its documentation shows (a middleware), with the same code as ours.
 */

import { createSecretKey } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Redacted } from "effect"
import { Server } from "socket.io"
import { deriveKey } from "../../src/crypto/secret-key.ts"
import { App, us_socket_local_port } from "../../src/engine/engine.ts"
import { verifyClaims } from "../../src/identity/signed-claims.ts"
import { SECRET_KEY } from "./server-process.ts"

export interface SocketIoOptions {
  readonly engine: "ws" | "uWebSockets.js"
  readonly checksTokens: boolean
}

const AUDIENCE = "gathercue/gateway"

export const socketIoServer = (): Server => new Server({ transports: ["websocket"], serveClient: false })

const listenOnWs = (io: Server): Promise<number> => {
  const http = createServer()
  io.attach(http)
  return new Promise((resolve) => {
    http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve((http.address() as AddressInfo).port))
  })
}

const listenOnUws = (io: Server): Promise<number> => {
  const app = App({})
  io.attachApp(app)
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(us_socket_local_port(socket))
    })
  })
}

/** Resolves to the port. */
export const listenAsAsked = (io: Server, { engine, checksTokens }: SocketIoOptions): Promise<number> => {
  if (checksTokens) {
    const key = createSecretKey(deriveKey(Redacted.make(SECRET_KEY), "token/gateway"))
    io.use((socket, next) => {
      const { token } = socket.handshake.auth as { readonly token?: unknown }
      const claims = verifyClaims(key, String(token), AUDIENCE, Math.floor(Date.now() / 1000))
      next(claims === undefined ? new Error("unauthorized") : undefined)
    })
  }
  return engine === "ws" ? listenOnWs(io) : listenOnUws(io)
}
