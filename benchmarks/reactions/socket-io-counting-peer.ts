/** The peer of `reactions`: Socket.IO that counts what comes and tells everyone a tally every half second. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Server } from "socket.io"
import { answerParent } from "../support/child.ts"

const ROOM = "event"
const WINDOW_MS = 500
const http = createServer()
const io = new Server(http, { transports: ["websocket"], serveClient: false })
let counts: { [kind: string]: number } = {}

io.on("connection", (socket) => {
  void socket.join(ROOM)
  socket.on("reaction", ({ kind, n }: { readonly kind: string; readonly n: number }, answer: (ok: boolean) => void) => {
    counts[kind] = (counts[kind] ?? 0) + n
    answer(true)
  })
})

const tell = (): void => {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
  if (total === 0) return
  io.to(ROOM).emit("reaction.tally", { windowMs: WINDOW_MS, counts, total })
  counts = {}
}

answerParent({
  start: () =>
    new Promise<number>((resolve) => {
      setInterval(tell, WINDOW_MS).unref()
      http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve((http.address() as AddressInfo).port))
    }),
})
