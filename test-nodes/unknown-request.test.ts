/** A request that the owner of an event does not know, as one of a later release: it fails alone. */
import { Cause, Effect, Exit, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../src/model/ids.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { type ActorHouse, seedEvent, startActors } from "../test/support/live-events.ts"
import { untilSpread } from "../test/support/nodes.ts"

const COMMANDS = 20

/** The live event as a later release knows it. */
const LaterEvent = Entity.make("LiveEvent", [
  Rpc.make("Later", { payload: { text: Schema.String }, success: Schema.String }),
])

const openNode = async (url: string): Promise<{ readonly node: string; readonly actors: ActorHouse }> => {
  const node = `node:${newId()}`
  const actors = await startActors(url, { clustered: { node } })
  onTestFinished(() => actors.stop())
  return { node, actors }
}

test("a request that another node's live event does not know ends soon, and no other request of the two nodes is disturbed", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const nodes = [await openNode(database.url), await openNode(database.url), await openNode(database.url)]
  await untilSpread(database.url)
  const [{ actors }] = nodes as [(typeof nodes)[0], ...typeof nodes]
  const { eventId } = await seedEvent(actors.sql, [{ modality: "meeting" }])
  await actors.execute(eventId, { type: "event.start", d: {} })
  const ownerOf = async () => {
    const [row] = await actors.sql<{ node: string; epoch: string }[]>`
      select node, epoch from live_events where event_id = ${eventId}`
    return row
  }
  const owner = await ownerOf()
  const other = nodes.find(({ node }) => node !== owner?.node)?.actors ?? expect.fail("another node is needed")
  const unknown = Effect.flatMap(LaterEvent.client, (client) => client(eventId).Later({ text: "what" })).pipe(
    Effect.timeout("5 seconds"),
    Effect.exit,
  )
  const titles = Array.from({ length: COMMANDS }, (_, n) => `Title ${n}`)
  const [exits, answers] = await Promise.all([
    Promise.all(titles.map(() => other.run(unknown))),
    Promise.all(titles.map((title) => other.execute(eventId, { type: "event.patch", d: { title } }))),
  ])
  for (const exit of exits) expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  expect(answers.map(({ event }) => event.title)).toEqual(titles)
  // The event is where it was, in the same activation.
  expect(await ownerOf()).toEqual(owner)
})
