/** One of several processes of Socket.IO behind `@socket.io/redis-adapter`, WebSocket only, everyone in one room. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdapter } from "@socket.io/redis-adapter"
import { createClient } from "redis"
import { Server } from "socket.io"
import { dispatchOf } from "../fanout/message.ts"
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"

const ROOM = "event"
const http = createServer()
const io = new Server(http, { transports: ["websocket"], serveClient: false })
let places = 0

io.on("connection", (socket) => {
  void socket.join(ROOM)
  // A message of a client to everyone, acknowledged once it was handed to the adapter.
  socket.on("say", (text: string, acknowledge: () => void) => {
    places += 1
    io.to(ROOM).emit("dispatch", { ...dispatchOf(places), d: { text } })
    acknowledge()
  })
})

const start = async (redisUrl: string): Promise<number> => {
  const publisher = createClient({ url: redisUrl })
  const subscriber = publisher.duplicate()
  await Promise.all([publisher.connect(), subscriber.connect()])
  io.adapter(createAdapter(publisher, subscriber))
  await new Promise<void>((resolve) => http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve()))
  return (http.address() as AddressInfo).port
}

/** Emits at the pace; resolves to how many were emitted in the time. */
const publish = async (given: { readonly perSecond: number; readonly seconds: number }): Promise<number> => {
  const startedAt = performance.now()
  const wanted = given.perSecond * given.seconds
  for (let n = 0; n < wanted; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / given.perSecond - performance.now()))
    places += 1
    io.to(ROOM).emit("dispatch", dispatchOf(places))
  }
  return wanted
}

answerParent({ start, publish })
