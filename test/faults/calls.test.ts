/** Calls between browsers while the database of their event is slow, or has another owner. */
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import type { CallReply, CallRequest } from "../../src/actors/calls/call-request.ts"
import type { NodeMessage } from "../../src/actors/calls/node-messages.ts"
import { Feed } from "../../src/actors/feed.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { newId } from "../../src/model/ids.ts"
import { createTestDatabase } from "../support/database.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"

const ROOM = "01990000-0000-7000-8000-000000000001"

const ask = (house: ActorHouse, eventId: string, given: Omit<CallRequest, "id" | "node">): Promise<CallReply> =>
  house.run(Effect.flatMap(LiveEvents, (live) => live.call(eventId, { id: newId(), node: "gateway", ...given })))

const join = (socket: number, participantId: string): CallRequest["steps"][number] => ({
  type: "join",
  socket,
  roomId: ROOM,
  participantId,
  name: participantId,
  have: { audio: true, video: true },
  maxPeers: 6,
})

const NOTHING = { maxPeers: 6, rooms: [] }

test("a signal passes while a commit of its event waits for the database", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const house = await startActors(proxy.url)
  onTestFinished(() => house.stop())
  const { eventId } = await seedEvent(house.sql, [{ modality: "meeting" }])
  await house.execute(eventId, { type: "event.start", d: {} })
  const told: NodeMessage[] = []
  const feed = await house.run(Feed)
  onTestFinished(feed.listen("gateway", eventId, (message) => told.push(message)))
  const { answers } = await ask(house, eventId, {
    sequence: "a",
    remembered: NOTHING,
    steps: [join(1, "ann"), join(2, "ben")],
  })
  const to = answers[1]?.joined?.connectionId ?? expect.fail("ben is not in the call")
  let isCommitted = false
  proxy.onStatement({ match: /commit_live_event/, action: { kind: "delay", ms: 1500 }, times: 1 })
  const asked = proxy.answered(/commit_live_event/).then(() => {
    isCommitted = true
  })
  const patched = house.execute(eventId, { type: "event.patch", d: { title: "Slow" } })
  const signal = { to, kind: "offer", data: "v=0", gen: 0 } as const
  expect(await ask(house, eventId, { sequence: "a", steps: [{ type: "signal", socket: 1, signal }] })).toMatchObject({
    isKnown: true,
    answers: [{}],
  })
  expect(isCommitted).toBe(false)
  expect(told.at(-1)?.news).toMatchObject({ type: "signal", signal, to: { socket: 2, connectionId: to } })
  await Promise.all([patched, asked])
})

test("an owner that has its event back after another one does not answer for the calls of before", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const [one, other] = [
    await startActors(database.url, { node: "one" }),
    await startActors(database.url, { node: "other" }),
  ]
  onTestFinished(async () => {
    await one.stop()
    await other.stop()
  })
  const { eventId } = await seedEvent(one.sql, [{ modality: "meeting" }])
  await one.execute(eventId, { type: "event.start", d: {} })
  await ask(one, eventId, { sequence: "a", remembered: NOTHING, steps: [join(1, "ann")] })
  await other.execute(eventId, { type: "event.patch", d: { title: "Other" } })
  // This one is refused by the fence, and takes the event back.
  await one.execute(eventId, { type: "event.patch", d: { title: "One" } })
  const steps = [{ type: "leave", socket: 1 }] as const
  expect(await ask(one, eventId, { sequence: "a", steps })).toEqual({ isKnown: false, sent: 0, answers: [] })
})
