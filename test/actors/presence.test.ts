import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { PresenceReport } from "../../src/actors/protocol.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const report = (house: ActorHouse, eventId: string, changes: PresenceReport["changes"]) =>
  house.run(Effect.flatMap(LiveEvents, (live) => live.reportPresence(eventId, { node: "n", changes })))

const join = (participantId: string, role: "speaker" | "participant" | "viewer" = "viewer") =>
  ({
    type: "join",
    participant: { participantId, name: participantId, role, kind: "user", userId: participantId },
  }) as const

const told = async (house: ActorHouse, eventId: string): Promise<ReadonlyArray<string>> => {
  const rows = await house.sql<{ body: string }[]>`
    select body from outbox_messages where event_id = ${eventId} and type like 'participant.%' order by occurred_at, id`
  return rows.map((row) => JSON.parse(row.body)).map(({ type, participantId }) => `${participantId} ${type.slice(12)}`)
}

const liveEvent = async (house: ActorHouse, phases: Parameters<typeof seedEvent>[1]) => {
  const { workspaceId, eventId } = await seedEvent(house.sql, phases)
  await house.sql`insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
    values (gen_random_uuid(), ${workspaceId}, 'https://example.com/', '{}', '\\x00')`
  await house.execute(eventId, { type: "event.start", d: {} })
  return eventId
}

describe("an orderly restart", () => {
  test("is no absence: a participant who comes back never left, and one who does not has left once", async () => {
    const before = await startActors(database.url)
    const eventId = await liveEvent(before, [{ modality: "broadcast" }])
    await report(before, eventId, [join("back"), join("gone")])
    await eventually(async () => (await told(before, eventId)).length === 2)
    await before.stop()
    const after = await startActors(database.url, { returnWithinMs: 600 })
    try {
      await report(after, eventId, [join("back"), join("new")])
      await eventually(async () => (await told(after, eventId)).length === 4)
      expect((await told(after, eventId)).toSorted()).toEqual(["back joined", "gone joined", "gone left", "new joined"])
      const { snapshot } = await after.run(Effect.flatMap(LiveEvents, (live) => live.read(eventId, [], true)))
      expect(snapshot.people["presence"]).toMatchObject({ total: 2 })
    } finally {
      await after.stop()
    }
  })
})

test("a roster is for the first activation after its stop, and not written once another one owns the event", async () => {
  const stopped = await startActors(database.url)
  const eventId = await liveEvent(stopped, [{ modality: "broadcast" }])
  await report(stopped, eventId, [join("a"), join("b")])
  await eventually(async () => (await told(stopped, eventId)).length === 2)
  await stopped.stop()
  const totalAt = async (house: ActorHouse) =>
    (await house.read(eventId)).snapshot.people["presence"] as { readonly total: number }
  const overtaken = await startActors(database.url, { node: "overtaken" })
  expect(await totalAt(overtaken)).toMatchObject({ total: 2 })
  const owner = await startActors(database.url, { node: "owner" })
  try {
    // The one before it published no participants.
    expect(await totalAt(owner)).toMatchObject({ total: 0 })
    await overtaken.stop()
    expect(await owner.sql`select roster from live_events where event_id = ${eventId}`).toEqual([{ roster: null }])
  } finally {
    await owner.stop()
  }
})

test("newcomers of a large audience find an event that has just begun live", async () => {
  const house = await startActors(database.url)
  try {
    const { eventId } = await seedEvent(house.sql, [{ modality: "broadcast" }])
    const crowd = Array.from({ length: 501 }, (_, n) => join(`p${n}`))
    await report(house, eventId, crowd)
    // Of an audience this large a snapshot is given for a quarter of a second, although there is a newer version.
    const status = () =>
      house
        .run(Effect.flatMap(LiveEvents, (live) => live.read(eventId, [], false)))
        .then(({ snapshot }) => snapshot.event.status)
    expect(await status()).toBe("scheduled")
    await house.execute(eventId, { type: "event.start", d: {} })
    expect(await status()).toBe("live")
  } finally {
    await house.stop()
  }
})

test("an arrival whose commit was lost is published by the next one", async () => {
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const house = await startActors(proxy.url)
  try {
    const eventId = await liveEvent(house, [{ modality: "broadcast" }])
    const lost = proxy.onStatement({ match: /commit_live_event/, action: { kind: "cutBefore" }, times: 1 })
    await report(house, eventId, [join("a")])
    await lost.reached(1)
    await eventually(async () => (await told(house, eventId)).length > 0)
    expect(await told(house, eventId)).toEqual(["a joined"])
  } finally {
    await house.stop()
  }
})

describe("a phase change", () => {
  test("keeps nobody's arrival waiting for those who may still come back", async () => {
    const before = await startActors(database.url)
    const eventId = await liveEvent(before, [{ modality: "broadcast" }])
    await report(before, eventId, [join("away")])
    await eventually(async () => (await told(before, eventId)).length === 1)
    await before.stop()
    // Nobody waits ten minutes for the flush of those who are away: the test would end first.
    const after = await startActors(database.url, { returnWithinMs: 600_000, presenceGraceMs: 600_000 })
    try {
      await report(after, eventId, [join("new")])
      await eventually(async () => (await told(after, eventId)).includes("new joined"))
      await report(after, eventId, [{ type: "leave", participantId: "new" }])
      await report(after, eventId, [join("newer")])
      await eventually(async () => (await told(after, eventId)).includes("newer joined"))
      expect(await told(after, eventId)).toEqual(["away joined", "new joined", "newer joined"])
    } finally {
      await after.stop()
    }
  })

  test("publishes the new roles in lists, and counts by them", async () => {
    const house = await startActors(database.url)
    try {
      const eventId = await liveEvent(house, [{ modality: "broadcast" }, { modality: "meeting" }])
      const seen = await house.watch(eventId)
      await report(house, eventId, [join("s", "speaker"), join("p", "participant"), join("v", "viewer")])
      const diffs = () =>
        seen
          .flatMap(({ publications }) => publications.map(({ frame }) => JSON.parse(frame)))
          .filter(({ t }) => t === "presence.diff")
      await eventually(() => diffs().length === 1)
      await house.execute(eventId, { type: "phase.next", d: {} })
      await eventually(() => diffs().length === 2)
      const roles = diffs()[1].d.update.map(({ participantId, role }: { participantId: string; role: string }) => [
        participantId,
        role,
      ])
      expect(roles).toEqual([
        ["s", "participant"],
        ["p", "participant"],
      ])
    } finally {
      await house.stop()
    }
  })
})
