/** After a process died without a word: who does not come back has gone, and takes along what they held. */
import { expect, onTestFinished, test } from "vitest"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import type { Client, Frame } from "./client.ts"
import { received, untilPresent } from "./crowd.ts"
import { openHouse } from "./house.ts"

const HOST = { kind: "user" } as const

test("hands of those who do not come back go down and their partners are notified, hands of those who do stay up, and an arrival that was announced has its departure", async () => {
  let isOwner = true
  const first = await openHouse({}, { holds: () => isOwner })
  onTestFinished(() => first.stop())
  const [hands, pairs] = [await first.stage(), await first.stage([{ modality: "rotation" }])]
  for (const who of ["stays", "goes"]) await (await first.join(hands, who)).command("hand.raise")
  const steering = await first.join(pairs, "host", "host", HOST)
  const people: Client[] = []
  for (const who of ["a", "b"]) people.push(await first.join(pairs, who))
  await untilPresent(first, pairs, ["host", "a", "b"])
  await steering.command("rotation.start", { roundSeconds: 600, rounds: 1 })
  for (const person of people) await person.dispatch("rotation.round")

  isOwner = false
  const second = await openHouse({}, { node: "second" }, first.databaseUrl)
  onTestFinished(() => second.stop())
  const host = await second.join(hands, "host", "host", HOST)
  const back = await second.join(hands, "stays")
  const partner = await second.join(pairs, "a")
  const queue: Frame = host.received.find(({ t }) => t === "ready").d.handQueue
  expect(queue.items).toHaveLength(2)
  await untilPresent(second, hands, ["host", "stays"])
  await untilPresent(second, pairs, ["a"])
  second.actors.clock.jump(RETURN_WITHIN_MS)
  const { d } = await received(host, "hand.queue")
  expect(d).toMatchObject({ add: [], remove: ["goes"] })
  // A participant who comes back later has a lowered hand, and the event goes on.
  expect((await second.connect().identify(await second.token(hands, "goes"))).d.hand).toBeNull()
  expect(await back.command("hand.lower", {}, { id: "down" })).toMatchObject({ ok: true })
  const told = await second.actors.sql<{ type: string }[]>`
    select type from outbox_messages
     where event_id = ${hands.eventId} and body::jsonb ->> 'participantId' = 'goes' and type like 'participant.%' order by occurred_at`
  // The crash may have come before the arrival was announced.
  const types = told.map(({ type }) => type)
  expect(types).toEqual(types.map((_, n) => (n % 2 === 0 ? "participant.joined" : "participant.left")))
  expect((await received(partner, "rotation.partnerLeft")).d).toMatchObject({ participantId: "b", n: 1 })
})
