/** Erasures of partners' guests: where they look, passes that end in the middle, and sessions of before. */
import { Effect, Exit } from "effect"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { runPass } from "../../src/erasure/erasures.ts"
import { findGuest } from "../../src/erasure/guest-search.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { GUEST_SESSION_SECONDS, guestAt } from "../../src/model/participants.ts"
import { areErased } from "../../src/store/personal/erased-guests.ts"
import { claimErasure, type Erasure } from "../../src/store/personal/erasures.ts"
import { eraseGuest, isBeingErased } from "../../src/store/personal/guests.ts"
import { sweepExpired } from "../../src/store/sweeps/retention-sweep.ts"
import { type ActorHouse, ownActors, seedEvent } from "../support/live-events.ts"

const MINUTE = 60_000
const NOW = Date.UTC(2026, 5, 1)
const GRACE = { issuer: "https://partner.example", subject: "grace" }

interface House {
  readonly actors: ActorHouse
  readonly workspaceId: string
  /** Newest first. */
  readonly eventIds: ReadonlyArray<string>
  readonly erase: (now?: number) => Promise<ReadonlyArray<Erasure>>
}

/** So many scheduled events. */
const open = async (events: number): Promise<House> => {
  const actors = await ownActors()
  const { sql } = actors
  const { workspaceId, eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  await sql`
    with added as (
      insert into events (id, workspace_id, type, title, status, visibility, metadata, allow_anonymous_voting,
                          allow_anonymous_questions, created_at)
      select gen_random_uuid(), workspace_id, type, title, status, visibility, metadata, false, false,
             created_at + make_interval(secs => n)
        from events, generate_series(1, ${events - 1}::integer) as g(n) where id = ${eventId} returning id
    )
    insert into phases (id, event_id, position, modality, feature_set, config, status)
    select gen_random_uuid(), added.id, position, modality, feature_set, config, status
      from added, phases where event_id = ${eventId}`
  const listed = await sql<{ id: string }[]>`select id from events order by created_at desc, id desc`
  const erase = async (now = NOW) => {
    const places = await actors.run(findGuest(sql.database, { workspaceId, guest: GRACE }, now))
    return actors.run(sql.database.transaction((tx) => eraseGuest(tx, workspaceId, places, now)))
  }
  return { actors, workspaceId, eventIds: listed.map(({ id }) => id), erase }
}

/** The guest was at these events. */
const attend = async ({ actors: { sql } }: House, eventIds: ReadonlyArray<string>): Promise<void> => {
  for (const eventId of eventIds) {
    await sql`
      insert into attendances (event_id, participant_id, name, role, kind, first_joined_at, last_left_at, attended_ms, stays)
      values (${eventId}, ${guestAt(eventId, GRACE)}, 'Grace', 'viewer', 'guest', now(), now(), 1, 1)`
  }
}

const end = ({ actors: { sql } }: House, eventIds: ReadonlyArray<string>, at: number) =>
  sql`update events set status = 'ended', ended_at = ${new Date(at).toISOString()} where id = any (${[...eventIds]}::uuid[])`

/** Runs a pass at a time. One event may not answer; resolves to the commands that events got, and whether the pass came to its end. */
const pass = ({ actors }: House, erasure: Erasure, now: number, silent?: string) =>
  actors.run(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const asked = new Map<string, unknown>()
      const execute: typeof live.execute = (eventId, envelope) => {
        asked.set(eventId, envelope.command.d)
        return eventId === silent
          ? Effect.fail(new Unavailable({ detail: "It does not answer.", retryAfterSeconds: 1 }))
          : live.execute(eventId, envelope)
      }
      const needs = { database: actors.sql.database, live: { execute }, now: () => now }
      const exit = yield* Effect.exit(runPass(needs, erasure))
      return { asked, isWhole: Exit.isSuccess(exit) }
    }),
  )

const namedAt = async ({ actors: { sql } }: House): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ eventId: string }[]>`
    select a.event_id from attendances a join events e on e.id = a.event_id where a.name = 'Grace'
     order by e.created_at desc, e.id desc`
  return rows.map(({ eventId }) => eventId)
}

const first = (erasures: ReadonlyArray<Erasure>): Erasure => {
  const [erasure] = erasures
  if (erasure === undefined) throw new Error("the erasure has begun")
  return erasure
}

test("an erasure has the ids of events that hold something of the guest, and of those that a session may open", async () => {
  const house = await open(5)
  const [live = "", long = "", known = "", lately = "", draft = ""] = house.eventIds
  const { sql } = house.actors
  await end(house, [long, known], NOW - 3 * 60 * MINUTE)
  await end(house, [lately], NOW - 60 * MINUTE)
  await sql`update events set status = 'draft' where id = ${draft}`
  await attend(house, [known])
  const erasure = first(await house.erase())
  expect(erasure.eventIds).toEqual([live, known, lately])
  expect(erasure.participantIds).toEqual([live, known, lately].map((id) => guestAt(id, GRACE)))
  for (const id of [live, known, lately]) expect(await isBeingErased(sql, guestAt(id, GRACE))).toBe(true)
  for (const id of [long, draft]) expect(await isBeingErased(sql, guestAt(id, GRACE))).toBe(false)
  // Nothing in the database leads to the partner's own id.
  const rows = await sql<
    { text: string }[]
  >`select x::text as text from erasures x union all select g::text from erased_guests g`
  expect(rows.filter(({ text }) => text.includes("grace"))).toEqual([])
})

test("a guest of whom nothing is stored is not erased, and their sessions go on", async () => {
  const house = await open(2)
  expect(await house.erase()).toEqual([])
  expect(await house.actors.sql`select 1 from erased_guests`).toEqual([])
})

test.each(["chat_messages", "questions", "live_records", "live_commands", "present_participants", "table_summaries"])(
  "a guest is found by their row in %s alone",
  async (table) => {
    const house = await open(1)
    const [eventId = ""] = house.eventIds
    const id = guestAt(eventId, GRACE)
    const { sql } = house.actors
    const rows: { readonly [table: string]: () => PromiseLike<unknown> } = {
      chat_messages: () => sql`
        insert into chat_messages (id, event_id, participant_id, target, name, role, text, at)
        values (gen_random_uuid(), ${eventId}, ${id}, 'event', 'Grace', 'viewer', 'Hello', now())`,
      questions: () => sql`
        insert into questions (id, event_id, text, status, anonymous, pinned, asker_id, author_name, created_at)
        values (gen_random_uuid(), ${eventId}, 'Why?', 'pending', false, false, ${id}, 'Grace', now())`,
      live_records: () => sql`
        insert into live_records (event_id, kind, id, body)
        values (${eventId}, 'hand', ${id}, jsonb_build_object('participantId', ${id}::text, 'name', 'Grace', 'note', null,
                'at', '2026-06-01T10:00:00.000Z'))`,
      live_commands: () => sql`
        insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
        values (${eventId}, ${`key:${id}`}, 'one', '', '{"name": "Grace"}', now())`,
      present_participants: () => sql`
        insert into present_participants (event_id, participant_id, present) values (${eventId}, ${id}, '{"name": "Grace"}')`,
      table_summaries: () => sql`
        insert into table_summaries (event_id, room_id, content, generated_at)
        values (${eventId}, 'r', jsonb_build_object('people', jsonb_build_array(
                  jsonb_build_object('userId', ${id}::text, 'name', 'Grace'))), now())`,
    }
    await rows[table]?.()
    const erasure = first(await house.erase())
    expect((await pass(house, erasure, NOW)).isWhole).toBe(true)
    const left = await sql<{ text: string }[]>`select t::text as text from ${sql.unsafe(table)} t`
    expect(left.filter(({ text }) => text.includes("Grace"))).toEqual([])
    await sql`delete from erasures`
    expect((await house.erase()).length).toBe(table === "present_participants" ? 1 : 0)
  },
)

test("a pass that is cut off goes on in another process, and asks each event for its own id alone", async () => {
  const house = await open(45)
  const { eventIds } = house
  const { sql } = house.actors
  // Every second event, and one that is over.
  const known = eventIds.filter((_id, n) => n % 2 === 0)
  await attend(house, known)
  await end(house, [known[1] ?? ""], NOW - 10 * 60 * MINUTE)
  const erasure = first(await house.erase())
  const silent = eventIds[30] ?? ""
  const cut = await pass(house, erasure, NOW, silent)
  expect(cut.isWhole).toBe(false)
  expect(await namedAt(house)).toEqual(eventIds.slice(40).filter((id) => known.includes(id)))
  expect(await claimErasure(sql, NOW + MINUTE - 1)).toBeUndefined()
  const next = await claimErasure(sql, NOW + MINUTE)
  expect(next).toEqual({ ...erasure, after: { createdAt: expect.any(String), id: eventIds[19] } })
  if (next === undefined) return
  const rest = await pass(house, next, NOW + MINUTE)
  expect(rest.isWhole).toBe(true)
  const asked = known.filter((id) => eventIds.indexOf(id) >= 20)
  expect([...rest.asked.keys()].toSorted()).toEqual(asked.toSorted())
  for (const [eventId, d] of rest.asked) expect(d).toEqual({ ids: [guestAt(eventId, GRACE)] })
  expect(await namedAt(house)).toEqual([])
  // The last pass finds what was under way.
  await sql`update attendances set name = 'Grace' where event_id = ${eventIds[0] ?? ""}`
  const last = await claimErasure(sql, NOW + 16 * MINUTE)
  expect(last).toEqual({ ...erasure, isLastPass: true })
  if (last === undefined) return
  expect((await pass(house, last, NOW + 16 * MINUTE)).isWhole).toBe(true)
  expect([await namedAt(house), await sql`select 1 from erasures`]).toEqual([[], []])
})

test("a departure that is told late has no name, at an event that did not know the guest when the erasure began", async () => {
  const house = await open(2)
  const [known = "", other = ""] = house.eventIds
  await attend(house, [known])
  await house.erase()
  const gone = { participantId: guestAt(other, GRACE), name: "Grace", role: "viewer", kind: "guest" }
  const times = { joinedAt: "2026-06-01T10:00:00.000Z", leftAt: "2026-06-01T11:00:00.000Z" }
  const stays = [{ ...gone, ...times, userId: null }]
  const { sql } = house.actors
  await sql`select write_presence(${other}, ${sql.json({ present: [gone], absent: [], stays })})`
  const rows = await sql`
    select name from attendances where event_id = ${other}
    union all select present->>'name' from present_participants where event_id = ${other}`
  expect(rows).toEqual([{ name: "Removed person" }, { name: "Removed person" }])
})

test("a workspace of many events has erasures of a bounded size, and a second search finds nothing that is not being erased", async () => {
  const house = await open(1_020)
  const [newest = ""] = house.eventIds
  const oldest = house.eventIds.at(-1) ?? ""
  await attend(house, [newest, oldest])
  const erasures = await house.erase()
  expect(erasures.map(({ participantIds }) => participantIds.length)).toEqual([500, 500, 20])
  expect(erasures.flatMap(({ eventIds }) => eventIds)).toEqual(house.eventIds)
  expect(await house.erase()).toEqual([])
  const last = erasures[2]
  if (last === undefined) return
  expect((await pass(house, last, NOW)).isWhole).toBe(true)
  expect(await namedAt(house)).toEqual([newest])
})

test("sessions of before end with the erasure and those of after it count; the record is kept for as long as a session lasts", async () => {
  const house = await open(2)
  const [eventId = "", other = ""] = house.eventIds
  await attend(house, [eventId])
  await house.erase()
  const { sql } = house.actors
  const made = (minutes: number, at = eventId, guest = GRACE) => ({
    eventId: at,
    participantId: guestAt(at, guest),
    expiresAt: NOW + minutes * MINUTE + GUEST_SESSION_SECONDS * 1000,
  })
  const sessions = [
    made(-119),
    made(0),
    made(4),
    made(15),
    made(0, other),
    made(0, eventId, { ...GRACE, subject: "ada" }),
  ]
  expect(await areErased(sql, sessions)).toEqual([true, true, true, false, true, false])
  expect(await areErased(sql, [])).toEqual([])
  const sweep = (minutes: number) => house.actors.run(sweepExpired(sql.database, NOW + minutes * MINUTE))
  await sweep(125)
  expect(await areErased(sql, [made(4)])).toEqual([true])
  await sweep(131)
  expect(await sql`select 1 from erased_guests`).toEqual([])
})
