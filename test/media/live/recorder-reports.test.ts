/** The reports of the media server, as a process reads them while others store them. */
import { Deferred, Effect, Fiber } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { RecorderReports } from "../../../src/media/live/recorder-reports.ts"
import { newId } from "../../../src/model/ids.ts"
import type { Database } from "../../../src/store/database.ts"
import { listRecorderReports, putRecorderReport } from "../../../src/store/media/broadcasts.ts"
import { createTestDatabase } from "../../support/database.ts"
import { seedEvent } from "../../support/live-events.ts"
import { openStore } from "../../support/store.ts"

const row = (state: "receiving" | "lost") => ({
  eventId: "e",
  broadcastId: "b",
  phaseId: "p",
  recorder: { state, failure: null },
})

test("a reading that ends after a later one changes nothing", async () => {
  const answers: Array<Deferred.Deferred<ReadonlyArray<ReturnType<typeof row>>>> = []
  const database = {
    run: () => {
      const answer = Deferred.makeUnsafe<ReadonlyArray<ReturnType<typeof row>>>()
      answers.push(answer)
      return Deferred.await(answer)
    },
  } as unknown as Database["Service"]
  const reports = new RecorderReports(database)
  const [slow, fast] = [Effect.runFork(reports.refresh), Effect.runFork(reports.refresh)]
  const answer = (index: number, state: "receiving" | "lost") => {
    const asked = answers[index]
    if (asked !== undefined) Effect.runSync(Deferred.succeed(asked, [row(state)]))
  }
  answer(1, "receiving")
  await Effect.runPromise(Fiber.await(fast))
  answer(0, "lost")
  await Effect.runPromise(Fiber.await(slow))
  expect(reports.of("e")?.state).toBe("receiving")
})

test("a report of a broadcast that was paused meanwhile is not stored", async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const { eventId, phaseIds } = await seedEvent(sql, [{ modality: "broadcast" }, { modality: "broadcast" }])
  const [live, paused] = [newId(), newId()]
  for (const [index, [id, status]] of [[live, "live"] as const, [paused, "paused"] as const].entries()) {
    await sql`insert into broadcasts (id, event_id, phase_id, status)
      values (${id}, ${eventId}, ${phaseIds[index] ?? null}, ${status})`
    await putRecorderReport(sql, id, { state: "receiving", failure: null })
  }
  expect((await listRecorderReports(sql)).map(({ broadcastId }) => broadcastId)).toEqual([live])
})
