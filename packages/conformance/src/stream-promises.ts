/** The promises of a server to clients without a WebSocket. */
import { isDeepStrictEqual } from "node:util"
import { demand, eventually } from "./eventually.ts"
import { at, moved, OP, type Position } from "./frames.ts"
import type { ServerPromise } from "./house.ts"

const SOURCE = "docs/gateway.md#without-a-websocket"

export const STREAM_PROMISES: ReadonlyArray<ServerPromise> = [
  {
    id: "stream",
    sentence: "202 means that the stream has the frame; replies come on the stream.",
    source: SOURCE,
    check: async (house) => {
      const id = await house.event()
      const stream = house.stream(await house.grant(id, await house.person(id, "participant")))
      await stream.dispatch("ready")
      demand(stream.frames[0]?.["op"] === OP.hello, "the first frame is no hello")
      const status = await stream.post(JSON.stringify({ op: OP.command, id: "raise", t: "hand.raise", d: {} }))
      demand(status === 202, `a frame is answered ${status}`)
      demand((await stream.reply("raise"))["ok"] === true, "the command is refused")
      stream.cut()
      await eventually(() => stream.ending !== undefined, "the end of the stream", house.patienceMs)
    },
  },
  {
    id: "positions",
    sentence: "The `id` is your position:",
    source: SOURCE,
    check: async (house) => {
      const id = await house.event()
      const stream = house.stream(await house.grant(id, await house.person(id, "participant")))
      await stream.dispatch("ready")
      await house.announce(id, "one", "two")
      await eventually(() => stream.announced.length === 2, "two announcements", house.patienceMs)
      let [position, taken]: [Position, number] = [{ epoch: "", cursors: {} }, 0]
      for (const { id: said, frames } of stream.events) {
        const next = stream.frames.slice(taken, frames).reduce(moved, position)
        const isMoved = next !== position
        ;[position, taken] = [next, frames]
        if (!isMoved) continue
        demand(said !== undefined, `the event before frame ${frames} moves the position, and has no id`)
        demand(isDeepStrictEqual(JSON.parse(said), position), `the id before frame ${frames} is ${said}`)
      }
    },
  },
  {
    id: "last-event-id",
    sentence: "with the last one as `Last-Event-ID` a new stream resumes like a socket.",
    source: SOURCE,
    check: async (house) => {
      const id = await house.event()
      const person = await house.person(id, "participant")
      const grant = await house.grant(id, person)
      const stream = house.stream(grant)
      const ready = at(await stream.dispatch("ready"), "d")
      stream.cut()
      await stream.closed("the cut")
      await house.announce(id, "missed 1", "missed 2")
      // The position is that of `ready`, so that a server without ids breaks its own promise alone.
      const position = JSON.stringify({ epoch: ready["epoch"], cursors: ready["cursors"] })
      const again = house.stream(await house.grant(id, person), position)
      demand(at(await again.dispatch("ready"), "d")["resumed"] === true, "a loss of a moment is not resumed")
      await again.dispatch("caughtUp")
      await eventually(() => again.announced.length > 1, "the missed announcements", house.patienceMs)
      demand(isDeepStrictEqual(again.announced, ["missed 1", "missed 2"]), `announced: ${again.announced}`)
    },
  },
]
