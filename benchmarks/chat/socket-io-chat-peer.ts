/**
 * The peer of `chat`: Socket.IO at its best. It takes a message, acknowledges it, and sends it to everybody with the others of the same
 * tick, as ours does. It decides nothing, and keeps nothing for those who come later.
 */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { listenAsAsked, socketIoServer } from "../support/socket-io-server.ts"

const ROOM = "event"
const io = socketIoServer()
let places = 0
let waiting: object[] = []

/** A message as our gateway sends it. */
const messageOf = (participantId: string, text: string) => ({
  id: randomUUID(),
  rev: 1,
  to: "event",
  roomId: null,
  participantId,
  name: `Guest ${participantId.slice(-5)}`,
  role: "viewer",
  text,
  replyTo: null,
  at: new Date().toISOString(),
})

const flush = (): void => {
  io.to(ROOM).emit("dispatches", waiting)
  waiting = []
}

/** `tickMs`: messages are gathered so long into one packet. */
const start = (tickMs: number): Promise<number> => {
  io.on("connection", (socket) => {
    const participantId = randomUUID()
    void socket.join(ROOM)
    socket.on("chat.send", ({ text }: { readonly text: string }, answer: (given: object) => void) => {
      const d = { message: messageOf(participantId, text) }
      places += 1
      if (waiting.length === 0) setTimeout(flush, tickMs)
      waiting.push({ op: 0, st: "event", s: places, v: places, ts: Date.now(), t: "chat.message", d })
      answer({ ok: true, v: places, d })
    })
  })
  return listenAsAsked(io, { engine: "uWebSockets.js", checksTokens: true })
}

answerParent({ start })
