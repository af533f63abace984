import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { PresenceReport } from "../../src/actors/protocol.ts"
import { Database } from "../../src/store/database.ts"
import { keepPresence } from "../../src/store/live/live-commit.ts"
import { findVersions } from "../../src/store/live/live-events.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { sharedDatabase } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const database = sharedDatabase()

const report = (house: ActorHouse, eventId: string, changes: PresenceReport["changes"]) =>
  house.run(Effect.flatMap(LiveEvents, (live) => live.reportPresence(eventId, { node: "n", changes })))

const join = (participantId: string, role: "speaker" | "participant" | "viewer" = "viewer") =>
  ({
    type: "join",
    participant: { participantId, name: participantId, role, kind: "user", userId: participantId },
    connections: [1],
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

const stored = async (house: ActorHouse, eventId: string): Promise<string[]> => {
  const rows = await house.sql<{ participantId: string }[]>`
    select participant_id from present_participants where event_id = ${eventId} order by participant_id`
  return rows.map(({ participantId }) => participantId)
}

test("those who were announced are awaited after a crash too, and nobody is announced twice", async () => {
  const crashed = await startActors(database.url, { node: "crashed" })
  const eventId = await liveEvent(crashed, [{ modality: "broadcast" }])
  await report(crashed, eventId, [join("back"), join("gone"), join("left")])
  await eventually(async () => (await told(crashed, eventId)).length === 3)
  await report(crashed, eventId, [{ type: "leave", participantId: "left" }])
  await eventually(async () => (await told(crashed, eventId)).length === 4)
  expect(await stored(crashed, eventId)).toEqual(["back", "gone"])
  // It is not stopped: the next owner takes the event over, as after a crash.
  const owner = await startActors(database.url, { node: "owner", returnWithinMs: 600 })
  try {
    expect((await owner.read(eventId)).snapshot.people["presence"]).toMatchObject({ total: 2 })
    await report(owner, eventId, [join("back"), join("new")])
    await eventually(async () => (await told(owner, eventId)).length === 6)
    expect((await told(owner, eventId)).toSorted()).toEqual([
      "back joined",
      "gone joined",
      "gone left",
      "left joined",
      "left left",
      "new joined",
    ])
    expect(await stored(owner, eventId)).toEqual(["back", "new"])
  } finally {
    await crashed.stop()
    await owner.stop()
  }
})

test.each([
  "knows who came and went while another one had it",
  "knows it also when the reply to its claim was lost, and it claims the event again",
])("an owner that has the event back %s", async (how) => {
  const first = await startActors(database.url, { node: "first back", returnWithinMs: 600 })
  const eventId = await liveEvent(first, [{ modality: "broadcast" }])
  await report(first, eventId, [join("a"), join("b")])
  await eventually(async () => (await told(first, eventId)).length === 2)
  const second = await startActors(database.url, { node: "second between" })
  try {
    await report(second, eventId, [join("a"), join("b"), join("c")])
    await eventually(async () => (await told(first, eventId)).length === 3)
    await report(second, eventId, [{ type: "leave", participantId: "b" }])
    await eventually(async () => (await told(first, eventId)).length === 4)
    // As its claim leaves the row.
    if (how.includes("lost")) {
      await first.sql`update live_events set node = 'first back', epoch = epoch + 1 where event_id = ${eventId}`
    }
    // Its own memory has a and b, and nothing of c. Gateways report everybody again once another activation owns the event.
    await eventually(async () => {
      await report(first, eventId, [join("a"), join("c"), join("d")])
      return (await told(first, eventId)).includes("d joined")
    })
    expect((await told(first, eventId)).toSorted()).toEqual(["a joined", "b joined", "b left", "c joined", "d joined"])
    expect(await stored(first, eventId)).toEqual(["a", "c", "d"])
  } finally {
    await first.stop()
    await second.stop()
  }
})

test("a large audience that no webhook is told of is stored too, under the fence", async () => {
  const house = await startActors(database.url, { node: "first" })
  const { eventId } = await seedEvent(house.sql, [{ modality: "broadcast" }])
  await house.execute(eventId, { type: "event.start", d: {} })
  const crowd = Array.from({ length: 600 }, (_, n) => join(`p${n}`))
  await report(house, eventId, crowd)
  await eventually(async () => (await stored(house, eventId)).length === 600)
  const versionOf = async () => (await house.read(eventId)).snapshot.version
  const version = await versionOf()
  const late = Array.from({ length: 40 }, (_, n) => join(`late${n}`))
  await report(house, eventId, late)
  await eventually(async () => (await stored(house, eventId)).length === 640)
  // Nobody is told, so there is no new version.
  expect(await versionOf()).toBe(version)
  const next = await startActors(database.url, { node: "second" })
  try {
    expect((await next.read(eventId)).snapshot.people["presence"]).toMatchObject({ total: 640 })
    const failed = await house.exit(
      Effect.flatMap(Database, (live) =>
        Effect.flatMap(
          live.run((sql) => findVersions(sql, [eventId])),
          ([row]) =>
            keepPresence(live.liveSql, eventId, (row?.fencingToken ?? 0) - 1, {
              present: [],
              absent: ["late1"],
              stays: [],
            }),
        ),
      ),
    )
    expect(String(failed)).toContain("Fenced")
    expect(await stored(next, eventId)).toHaveLength(640)
  } finally {
    await house.stop()
    await next.stop()
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

test("connections on a node that is gone do not close others, and those that are too many for a while are closed", async () => {
  const house = await startActors(database.url, { replaceAfterMs: 300 })
  try {
    const eventId = await liveEvent(house, [{ modality: "broadcast" }])
    const seen = await house.watch(eventId)
    const on = (node: string, changes: PresenceReport["changes"]) =>
      house.run(Effect.flatMap(LiveEvents, (live) => live.reportPresence(eventId, { node, changes })))
    const replaced = () => seen.flatMap((message) => message.replaced ?? [])
    // Two tabs on each node; those of the second one come back at the first one before the second one is known to be gone.
    await on("stays", [{ ...join("ann"), connections: [1, 2] }])
    await on("ends", [{ ...join("ann"), connections: [1, 2] }])
    await on("stays", [{ ...join("ann"), connections: [1, 2, 3, 4] }])
    await on("ends", [{ type: "leave", participantId: "ann" }])
    house.clock.jump(600)
    await house.read(eventId)
    expect(replaced()).toEqual([])
    await on("other", [{ ...join("ann"), connections: [1, 2] }])
    await eventually(() => replaced().length > 0, "the oldest one is replaced")
    expect(replaced()[0]).toEqual({ node: "stays", connection: 1 })
  } finally {
    await house.stop()
  }
})
