/** The peer of `fanout` and `connections`: Socket.IO as it comes, WebSocket only, everyone in one room. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Server } from "socket.io"
import { dispatchOf } from "../fanout/message.ts"
import { answerParent } from "./child.ts"
import { sleep } from "./figures.ts"

const ROOM = "event"
const http = createServer()
const io = new Server(http, { transports: ["websocket"], serveClient: false })
let places = 0

io.on("connection", (socket) => void socket.join(ROOM))

const start = (): Promise<number> =>
  new Promise((resolve) => {
    http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve((http.address() as AddressInfo).port))
  })

/** Emits at the pace, or as fast as it can when that is slower; resolves to how many were emitted in the time. */
const publish = async (given: { readonly perSecond: number; readonly seconds: number }): Promise<number> => {
  const startedAt = performance.now()
  let emitted = 0
  while (performance.now() - startedAt < given.seconds * 1000 && emitted < given.perSecond * given.seconds) {
    const dueIn = startedAt + (emitted * 1000) / given.perSecond - performance.now()
    // Always lets sockets be read and written in between.
    await sleep(Math.max(0, dueIn))
    places += 1
    emitted += 1
    io.to(ROOM).emit("dispatch", dispatchOf(places))
  }
  return emitted
}

answerParent({ start, publish })
