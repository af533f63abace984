/** Erasures of people and workspaces, pass by pass. */
import { Effect, Exit } from "effect"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { sweepDeletedWorkspaces } from "../../src/erasure/deleted-workspaces.ts"
import { runPass } from "../../src/erasure/erasures.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { newId } from "../../src/model/ids.ts"
import type { Queryable } from "../../src/store/database.ts"
import { markWorkspaceDeleted } from "../../src/store/deleted-workspaces.ts"
import { advanceErasure, claimErasure, type Erasure, eraseUser } from "../../src/store/personal/erasures.ts"
import { type ActorHouse, ownActors, seedEvent } from "../support/live-events.ts"

const MINUTE = 60_000
const NOW = Date.UTC(2026, 5, 1)

interface House {
  readonly actors: ActorHouse
  readonly erasure: Erasure
  /** In the order of passes. */
  readonly eventIds: ReadonlyArray<string>
}

/** Scheduled events beside the first one, of the same workspace, each a second younger. */
const addEvents = (sql: Queryable, eventId: string, count: number) => sql`
  with added as (
    insert into events (id, workspace_id, type, title, status, visibility, metadata, allow_anonymous_voting,
                        allow_anonymous_questions, created_at)
    select gen_random_uuid(), workspace_id, type, title, status, visibility, metadata, false, false,
           created_at + make_interval(secs => n)
      from events, generate_series(1, ${count}::integer) as g(n) where id = ${eventId} returning id
  )
  insert into phases (id, event_id, position, modality, feature_set, config, status)
  select gen_random_uuid(), added.id, position, modality, feature_set, config, status
    from added, phases where event_id = ${eventId}`

/** A user who was at so many events, and was deleted at `NOW`. */
const open = async (events: number): Promise<House> => {
  const actors = await ownActors()
  const { sql } = actors
  const { workspaceId, eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  await addEvents(sql, eventId, events - 1)
  const userId = newId()
  await sql`insert into users (id, workspace_id, external_sub, name) values (${userId}, ${workspaceId}, 'ada', 'Ada')`
  await sql`
    insert into attendances (event_id, participant_id, user_id, name, role, kind, first_joined_at, last_left_at, attended_ms, stays)
    select id, ${userId}, ${userId}, 'Ada', 'viewer', 'user', now(), now(), 1, 1 from events`
  const listed = await sql<{ id: string }[]>`select id from events order by created_at desc, id desc`
  const erasure = await eraseUser(sql, { workspaceId, userId }, NOW)
  if (erasure === undefined) throw new Error("the user is there")
  return { actors, erasure, eventIds: listed.map(({ id }) => id) }
}

/** Runs a pass at a time. One event may not answer; resolves to the events that were asked, and whether the pass came to its end. */
const pass = ({ actors }: House, erasure: Erasure, now: number, silent?: string) =>
  actors.run(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const asked = new Set<string>()
      const execute: typeof live.execute = (eventId, envelope) => {
        asked.add(eventId)
        return eventId === silent
          ? Effect.fail(new Unavailable({ detail: "It does not answer.", retryAfterSeconds: 1 }))
          : live.execute(eventId, envelope)
      }
      const exit = yield* Effect.exit(
        runPass({ database: actors.sql.database, live: { execute }, now: () => now }, erasure),
      )
      return { asked: [...asked].toSorted(), isWhole: Exit.isSuccess(exit) }
    }),
  )

const stored = async ({ actors: { sql } }: House) => {
  const [row] = await sql<{ afterEventId: string | null; isLastPass: boolean; dueAt: string }[]>`
    select after_event_id, is_last_pass, due_at from erasures`
  return row
}

test("an event that does not answer is asked again by the next pass, and those before it are not", async () => {
  const house = await open(23)
  const { erasure, eventIds } = house
  const { sql } = house.actors
  const silent = eventIds[21] ?? ""
  expect(await pass(house, erasure, NOW, silent)).toEqual({ asked: eventIds.toSorted(), isWhole: false })
  expect(await stored(house)).toMatchObject({ afterEventId: eventIds[19], isLastPass: false })
  // The store has no name, also of the event that did not answer.
  expect(await sql`select 1 from attendances where name = 'Ada'`).toEqual([])
  expect(await claimErasure(sql, NOW + MINUTE - 1)).toBeUndefined()
  const next = await claimErasure(sql, NOW + MINUTE)
  expect(next?.after?.id).toBe(eventIds[19])
  if (next === undefined) return
  // The names are erased, and the participant stays in the lists: the actors are asked all the same.
  expect(await pass(house, next, NOW + MINUTE)).toEqual({
    asked: eventIds.slice(20).toSorted(),
    isWhole: true,
  })
  expect(await stored(house)).toMatchObject({ afterEventId: null, isLastPass: true })
})

test("events that do not know the person are not asked", async () => {
  const house = await open(3)
  const [known, unknown = "", other] = house.eventIds
  await house.actors.sql`delete from attendances where event_id = ${unknown}`
  const { asked } = await pass(house, house.erasure, NOW)
  expect(asked).toEqual([known, other].toSorted())
})

test("the last pass comes fifteen minutes after the first, from the start, and ends the erasure", async () => {
  const house = await open(2)
  const { sql } = house.actors
  await pass(house, house.erasure, NOW)
  // The name is written by what was under way.
  await sql`update attendances set name = 'Ada'`
  expect(await claimErasure(sql, NOW + 15 * MINUTE - 1)).toBeUndefined()
  const last = await claimErasure(sql, NOW + 15 * MINUTE)
  expect(last).toEqual({ ...house.erasure, isLastPass: true })
  if (last === undefined) return
  expect(await pass(house, last, NOW + 15 * MINUTE)).toEqual({
    asked: house.eventIds.toSorted(),
    isWhole: true,
  })
  expect(await sql`select 1 from attendances where name = 'Ada'`).toEqual([])
  expect(await stored(house)).toBeUndefined()
})

test("a process that is late does not move the pass of another one, and does not end it", async () => {
  const house = await open(2)
  const { sql } = house.actors
  const { createdAt, id } = { createdAt: new Date(NOW).toISOString(), id: house.eventIds[0] ?? "" }
  const taken = await claimErasure(sql, NOW + MINUTE)
  if (taken === undefined) throw new Error("the lease is over")
  await pass(house, taken, NOW + MINUTE)
  const before = await stored(house)
  expect(before).toMatchObject({ isLastPass: true, afterEventId: null })
  await advanceErasure(sql, house.erasure, { createdAt, id }, NOW + 2 * MINUTE)
  expect(await stored(house)).toEqual(before)
  await pass(house, house.erasure, NOW + 2 * MINUTE)
  expect(await stored(house)).toEqual(before)
})

test("a workspace whose event does not answer holds up no other, and is swept later", async () => {
  const actors = await ownActors()
  const { sql } = actors
  const stuck = await seedEvent(sql, [{ modality: "meeting" }])
  const other = await seedEvent(sql, [{ modality: "meeting" }])
  for (const { workspaceId } of [stuck, other]) {
    // The slug of a seeded workspace is its id.
    expect(await markWorkspaceDeleted(sql, workspaceId, workspaceId)).toBe(true)
    await sql`update workspaces set deleted_at = now() - interval '2 minutes' where id = ${workspaceId}`
  }
  await sql`update workspaces set deleted_at = now() - interval '1 hour' where id = ${stuck.workspaceId}`
  const sweep = (silent?: string) =>
    actors.run(
      Effect.gen(function* () {
        const live = yield* LiveEvents
        const execute: typeof live.execute = (eventId, envelope) =>
          eventId === silent
            ? Effect.fail(new Unavailable({ detail: "It does not answer.", retryAfterSeconds: 1 }))
            : live.execute(eventId, envelope)
        return yield* Effect.exit(sweepDeletedWorkspaces({ database: sql.database, live: { execute }, now: Date.now }))
      }),
    )
  const left = async () => (await sql<{ id: string }[]>`select id from workspaces`).map(({ id }) => id)
  expect(Exit.isFailure(await sweep(stuck.eventId))).toBe(true)
  expect(await left()).toEqual([stuck.workspaceId])
  expect(Exit.isSuccess(await sweep())).toBe(true)
  expect(await left()).toEqual([])
})
