/** A node does the work of a recogniser that it can do, and leaves the rest to other nodes where there are any. */
import { Effect, Layer } from "effect"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { recogniseBy } from "../../src/media/derivations/recogniser.ts"
import { lanesOf } from "../../src/media/jobs/media-jobs.ts"
import { type RecogniseOptions, recognise } from "../../src/media/jobs/recognise.ts"
import { diskStorageLayer } from "../../src/media/storage/disk-storage.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { claimMediaJob } from "../../src/store/media/media-jobs.ts"
import { addRecogniseJob } from "../../src/store/media/recognition.ts"
import { findRecording } from "../../src/store/media/recordings.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { startRecogniser } from "../support/recogniser.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const database = sharedDatabase()
const sql = sharedStore(database)
beforeEach(async () => {
  await sql`delete from media_jobs`
})

const matroskaWithJob = async (): Promise<string> => {
  const [workspace, event, id] = [newId(), newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${workspace}, 'Acme', ${`acme-${workspace}`})`
  await sql`
    insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
    values (${event}, ${workspace}, 'webinar', 'Launch', 'ended', 'public', true, true, '{}')`
  await sql`
    insert into recordings (id, event_id, workspace_id, kind, status, content_type, duration_ms, storage_key)
    values (${id}, ${event}, ${workspace}, 'merged', 'ready', 'video/x-matroska', 1000, ${`${workspace}/00/${id}`})`
  await addRecogniseJob(sql, id)
  return id
}

const claim = async (recognises: boolean) => {
  for (const lane of lanesOf(recognises)) {
    const job = await claimMediaJob(sql, lane, 600_000)
    if (job !== undefined) return job
  }
  return undefined
}

/** Result of one turn of a node without ffmpeg. */
const turnOf = async (alone: boolean): Promise<boolean> => {
  const recogniser = await startRecogniser()
  onTestFinished(() => recogniser.stop())
  const by = recogniseBy({ url: recogniser.url, model: "m", key: null })
  const options: RecogniseOptions = { by, ffmpeg: null, alone, summarises: false }
  const job = await claim(true)
  if (job?.kind !== "recognise") throw new Error("no job")
  const storage = diskStorageLayer({ folder: await temporaryFolder(), minFreeBytes: 0 })
  const services = Layer.merge(
    Layer.succeed(Database, sql.database),
    storage.pipe(Layer.provide(Telemetry.layer("silent"))),
  )
  const stays = await Effect.runPromise(recognise(job, options, toTimestamp(Date.now())).pipe(Effect.provide(services)))
  expect(recogniser.asked).toEqual([])
  return stays
}

const transcriptionOf = async (id: string) => (await findRecording(sql, id))?.transcription

test("a node without a recogniser leaves the job to a node that has one", async () => {
  const id = await matroskaWithJob()
  expect(await claim(false)).toBeUndefined()
  expect(await claim(true)).toMatchObject({ kind: "recognise", recordingId: id, attempts: 1 })
})

test("a node without ffmpeg leaves what needs it to other nodes, for a day", async () => {
  const id = await matroskaWithJob()
  expect(await turnOf(false)).toBe(true)
  expect(await transcriptionOf(id)).toEqual({ status: "running", detail: null })
  await sql`update media_jobs set due_at = now(), created_at = now() - interval '25 hours'`
  expect(await turnOf(false)).toBe(false)
  expect(await transcriptionOf(id)).toMatchObject({ status: "failed" })
  expect(await sql`select 1 from media_jobs`).toHaveLength(0)
})

test("a node that is alone ends at once what it cannot do, and says why", async () => {
  const id = await matroskaWithJob()
  expect(await turnOf(true)).toBe(false)
  expect(await transcriptionOf(id)).toEqual({
    status: "failed",
    detail: "Without ffmpeg video/x-matroska is not transcribed.",
  })
})
