/**
 * The peer of `fanout`, `joinstorm`, `connections` and `departures`: Socket.IO, WebSocket only, everyone in one room. As it comes it
 * runs on `ws` and emits each dispatch. At its best it runs on uWebSockets.js, and gathers dispatches in the tick that ours has. In both
 * ways it can check a token at the join.
 */
import { dispatchOf } from "../fanout/message.ts"
import { answerParent } from "./child.ts"
import { sleep } from "./figures.ts"
import { gathered } from "./gathered.ts"
import { listenAsAsked, type SocketIoOptions, socketIoServer } from "./socket-io-server.ts"

export interface SocketIoPublish {
  readonly perSecond: number
  readonly seconds: number
  /** Dispatches are gathered so long into one packet; 0: each goes alone, at once. */
  readonly tickMs: number
}

const ROOM = "event"
const LOOK_MS = 5
const io = socketIoServer()
let places = 0

const start = (options: SocketIoOptions): Promise<number> => {
  io.on("connection", (socket) => void socket.join(ROOM))
  return listenAsAsked(io, options)
}

/** Emits at the pace, or as fast as it can when that is slower; resolves to how many dispatches were emitted in the time. */
const publish = async ({ perSecond, seconds, tickMs }: SocketIoPublish): Promise<number> => {
  const startedAt = performance.now()
  let emitted = 0
  const { add, flush } = gathered<ReturnType<typeof dispatchOf>>(tickMs, (dispatches) => {
    io.to(ROOM).emit("dispatches", dispatches)
  })
  while (performance.now() - startedAt < seconds * 1000 && emitted < perSecond * seconds) {
    const dueIn = startedAt + (emitted * 1000) / perSecond - performance.now()
    // Always lets sockets be read and written in between.
    await sleep(Math.max(0, dueIn))
    places += 1
    emitted += 1
    if (tickMs === 0) io.to(ROOM).emit("dispatch", dispatchOf(places))
    else add(dispatchOf(places))
  }
  flush()
  return emitted
}

/** Resolves to the moment at which nobody is in the room any more, in Unix milliseconds. */
const emptied = async (): Promise<number> => {
  while ((io.sockets.adapter.rooms.get(ROOM)?.size ?? 0) > 0) await sleep(LOOK_MS)
  return Date.now()
}

answerParent({ start, publish, emptied })
