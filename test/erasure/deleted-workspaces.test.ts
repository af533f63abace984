/** Sweeps of deleted workspaces beside one that fails. */
import { Effect, Exit } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { sweepDeletedWorkspaces } from "../../src/erasure/deleted-workspaces.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { markWorkspaceDeleted } from "../../src/store/deleted-workspaces.ts"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent, startActors } from "../support/live-events.ts"

test("a workspace whose event does not answer holds up no other, and is swept later", async () => {
  const database = await createTestDatabase()
  const actors = await startActors(database.url)
  onTestFinished(async () => {
    await actors.stop()
    await database.drop()
  })
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
