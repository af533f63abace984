/**
 * The peer of `breakout` and `rotation`: Socket.IO that plans by the same pure functions and emits to each socket its
 * own message, with nothing stored and nothing to resume.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Server } from "socket.io"
import { planBreakout } from "../../src/model/breakouts/breakout-plan.ts"
import { namedId, newId } from "../../src/model/ids.ts"
import { nextRound, startRotation } from "../../src/model/rotation/rotation-pairing.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { answerParent } from "./child.ts"

const http = createServer()
const io = new Server(http, { transports: ["websocket"], serveClient: false })
const rotationId = newId()
let state = startRotation()
let place = 0

/** A dispatch as ours. */
const say = (id: string, t: string, d: object): void => {
  place += 1
  io.to(id).emit(t, { op: 0, st: "me", s: place, v: place, ts: Date.now(), t, d })
}

/** Everyone but who asks. */
const peopleBut = (host: string): ReadonlyArray<string> => [...io.sockets.sockets.keys()].filter((id) => id !== host)

io.on("connection", (socket) => {
  socket.on("breakout.open", ({ size }: { readonly size: number }) => {
    const { rooms } = planBreakout({ people: peopleBut(socket.id), size, strategy: "balanced", seed: place })
    for (const { name, people } of rooms) {
      const room = { roomId: newId(), name, endsAt: null }
      for (const id of people) say(id, "assignment.updated", room)
    }
  })
  socket.on("rotation.skip", () => {
    const round = nextRound(state, peopleBut(socket.id), { groupSize: 2, odd: "bye", seed: 1 })
    state = round.state
    const n = state.history.rounds.length
    const [startsAt, endsAt] = [toTimestamp(Date.now()), toTimestamp(Date.now() + 600_000)]
    for (const [group, { people, repeat }] of round.groups.entries()) {
      const roomId = namedId(rotationId, "round", String(n), String(group))
      for (const id of people) {
        const partners = people.flatMap((other) =>
          other === id ? [] : [{ participantId: other, name: `Guest ${other.slice(-5)}` }],
        )
        say(id, "rotation.round", { n, startsAt, endsAt, leadMs: 0, roomId, partners, bye: false, repeat })
      }
    }
  })
})

const start = (): Promise<number> =>
  new Promise((resolve) => {
    http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => resolve((http.address() as AddressInfo).port))
  })

answerParent({ start })
