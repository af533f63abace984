import { expect, test } from "vitest"
import { untilAnnounced } from "./crowd.ts"
import { openHouse } from "./house.ts"

test.each([
  ["drain", 1012],
  ["moved", 4003],
] as const)(
  "%s sends every client away with a delay of its own, closes %i, and reports nobody absent",
  async (why, code) => {
    const house = await openHouse()
    try {
      const stage = await house.stage()
      const names = ["a", "b", "c", "d"]
      const [d = "", ...sockets] = names.toReversed()
      // A stream is sent away as a socket is.
      const clients = await Promise.all([...sockets.map((who) => house.join(stage, who)), house.joinStream(stage, d)])
      await untilAnnounced(house, stage, names)
      const drained = house.gateway.drain(400, why)
      const delays = await Promise.all(clients.map(async (client) => (await client.next(({ op }) => op === 7)).d))
      for (const { reason, afterMs } of delays) {
        expect(reason).toBe(why)
        expect(afterMs).toBeGreaterThanOrEqual(0)
        expect(afterMs).toBeLessThan(400)
      }
      const late = house.connect()
      await late.closed
      expect(await Promise.all(clients.map((client) => client.closeCode()))).toEqual([code, code, code, code])
      await drained
      expect(house.gateway.connections()).toBe(0)
      const gone = await house.actors.sql`
      select id from outbox_messages where event_id = ${stage.eventId} and type = 'participant.left'`
      expect(gone).toHaveLength(0)
      // On the next node they are who they were.
      const next = house.connect({ url: await house.anotherNode("next") })
      await next.identify(await house.token(stage, "a"))
      expect((await next.command("roster.list")).d.participants).toHaveLength(4)
    } finally {
      await house.stop()
    }
  },
)
