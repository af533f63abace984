/** The fence of a live event's commits. */
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { commitFailure, runCommit, writtenCommit } from "../../src/store/live/live-commit.ts"
import { claimLiveEvent } from "../../src/store/live/live-events.ts"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { openStore } from "../support/store.ts"

test("a commit under an earlier fencing token, or from another version than the present one, changes nothing", async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  const claim = async (node: string): Promise<number> =>
    (await claimLiveEvent(sql, { eventId, node, epoch: newId() }))?.fencingToken ?? 0
  const at = toTimestamp(Date.now())
  let s = 0
  const commit = (fencingToken: number, from: number): Promise<string> =>
    runCommit(
      sql,
      writtenCommit({
        ...{
          eventId,
          fencingToken,
          chart: null,
          from,
          version: from + 1,
          at,
          event: null,
          phases: [],
          occurrences: [],
          commands: [],
        },
        publications: [{ stream: "event", s: ++s, version: from + 1, frame: "{}", at }],
        ...{
          changes: [],
          dropped: [],
          moved: [],
          removed: [],
          restored: [],
          silenced: [],
          presence: null,
          captured: null,
          deleted: false,
        },
      }),
    ).then(
      () => "done",
      (cause: unknown) => commitFailure(cause)._tag,
    )
  const versions = async () =>
    (await sql`select version from publications order by version`).map((row) => row["version"])

  const first = await claim("first")
  expect(await commit(first, 0)).toBe("done")
  expect([await commit(first, 0), await commit(first, 2)]).toEqual(["Fenced", "Fenced"])
  const second = await claim("second")
  expect([await commit(first, 1), await commit(second, 0), await commit(second, 2)]).toEqual(Array(3).fill("Fenced"))
  expect(await versions()).toEqual([1])
  expect(await commit(second, 1)).toBe("done")
  expect(await versions()).toEqual([1, 2])
})
