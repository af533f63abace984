/** What a recogniser heard is kept once for each piece, and becomes a transcript only where there is none. */
import { beforeEach, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { claimMediaJob, type JobGroup } from "../../src/store/media/media-jobs.ts"
import {
  addRecogniseJob,
  endForgottenRecognitions,
  findRecognition,
  keepHeard,
  leaveRecognition,
  writeHeard,
} from "../../src/store/media/recognition.ts"
import { replaceTranscript } from "../../src/store/media/transcripts.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

const LANE: JobGroup = { name: "recognise", kinds: ["recognise"] }

const database = sharedDatabase()
const sql = sharedStore(database)
beforeEach(async () => {
  await sql`delete from media_jobs`
})

const recording = async (): Promise<string> => {
  const [workspace, event, id] = [newId(), newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${workspace}, 'Acme', ${`acme-${workspace}`})`
  await sql`
    insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
    values (${event}, ${workspace}, 'webinar', 'Launch', 'ended', 'public', true, true, '{}')`
  await sql`insert into recordings (id, event_id, workspace_id, kind, status) values (${id}, ${event}, ${workspace}, 'merged', 'ready')`
  return id
}

const heard = (...texts: ReadonlyArray<string>): string =>
  JSON.stringify(texts.map((text, n) => ({ t0: n, t1: n + 1, speaker: "", lang: "", text })))

const claimed = async (id: string) => {
  await addRecogniseJob(sql, id)
  const job = await claimMediaJob(sql, LANE, 600_000)
  if (job === undefined) throw new Error("no job")
  return job
}

const textsOf = async (id: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ text: string }[]>`
    select s.text from transcript_segments s join transcripts t on t.id = s.transcript_id where t.recording_id = ${id} order by s.n`
  return rows.map(({ text }) => text)
}

test("a second job for a recording is not added, nor one for a recording with a transcript", async () => {
  const id = await recording()
  await addRecogniseJob(sql, id)
  await addRecogniseJob(sql, id)
  const other = await recording()
  await replaceTranscript(sql, { id: newId(), recordingId: other, slices: [heard("by hand")] })
  await addRecogniseJob(sql, other)
  expect(
    (await sql`select recording_id from media_jobs where kind = 'recognise'`).map((row) => row["recordingId"]),
  ).toEqual([id])
  expect(await sql`select 1 from recordings where id = ${other} and transcription is not null`).toHaveLength(0)
})

test("of two workers that heard one piece, because a lease ended between them, the first is kept", async () => {
  const id = await recording()
  const job = await claimed(id)
  const first = { fromMs: 0, nextMs: 300_000, isWhole: false, segments: heard("one", "two") }
  expect(await keepHeard(sql, job.id, first)).toBe(2)
  expect(await keepHeard(sql, job.id, { ...first, segments: heard("one again") })).toBeUndefined()
  expect(await findRecognition(sql, job.id)).toEqual({ nextMs: 300_000, language: null, hasTranscript: false })
  const next = await claimMediaJob(sql, LANE, 600_000)
  expect(next).toMatchObject({ id: job.id, attempts: 1 })
  const last = { fromMs: 300_000, nextMs: 310_000, isWhole: false, segments: heard("three") }
  expect(await keepHeard(sql, job.id, last)).toBe(3)
  expect(await writeHeard(sql, newId(), id, job.id)).toBe("written")
  expect(await writeHeard(sql, newId(), id, job.id)).toBe("superseded")
  expect(await textsOf(id)).toEqual(["one", "two", "three"])
})

test("a transcript that was uploaded meanwhile is kept, and silence writes none", async () => {
  const id = await recording()
  const job = await claimed(id)
  expect(await keepHeard(sql, job.id, { fromMs: 0, nextMs: 1000, isWhole: false, segments: "[]" })).toBe(0)
  expect(await writeHeard(sql, newId(), id, job.id)).toBe("silent")
  await replaceTranscript(sql, { id: newId(), recordingId: id, slices: [heard("by hand")] })
  expect((await findRecognition(sql, job.id))?.hasTranscript).toBe(true)
  expect(await writeHeard(sql, newId(), id, job.id)).toBe("superseded")
  expect(await textsOf(id)).toEqual(["by hand"])
})

const transcriptionOf = async (id: string): Promise<unknown> => {
  const [row] = await sql`select transcription from recordings where id = ${id}`
  return row?.["transcription"]
}

test("a transcript that a node of the previous release writes ends the work that the recording shows", async () => {
  const id = await recording()
  await addRecogniseJob(sql, id)
  expect(await transcriptionOf(id)).toEqual({ status: "running", detail: null })
  await sql`
    insert into transcripts (id, recording_id, event_id, status, source)
    select ${newId()}, id, event_id, 'ready', 'upload' from recordings where id = ${id}`
  expect(await transcriptionOf(id)).toBeNull()
})

test("a piece that is the whole recording replaces what another node heard of it", async () => {
  const id = await recording()
  const job = await claimed(id)
  await keepHeard(sql, job.id, { fromMs: 0, nextMs: 300_000, isWhole: false, segments: heard("one", "two") })
  const whole = { fromMs: 300_000, nextMs: 310_000, isWhole: true, segments: heard("one", "two", "three") }
  expect(await keepHeard(sql, job.id, whole)).toBe(3)
  expect(await writeHeard(sql, newId(), id, job.id)).toBe("written")
  expect(await textsOf(id)).toEqual(["one", "two", "three"])
})

test("a job that is left waits a minute, its try is not counted, and it is left for a day, or for a week once it was begun", async () => {
  const id = await recording()
  const job = await claimed(id)
  expect(await leaveRecognition(sql, job.id)).toBe(true)
  const [row] = await sql`
    select attempts, leased_until, due_at between now() + interval '50 seconds' and now() + interval '1 minute' as soon
      from media_jobs where id = ${job.id}`
  expect(row).toEqual({ attempts: 0, leasedUntil: null, soon: true })
  await sql`update media_jobs set created_at = now() - interval '25 hours' where id = ${job.id}`
  expect(await leaveRecognition(sql, job.id)).toBe(false)
  await keepHeard(sql, job.id, { fromMs: 0, nextMs: 1000, isWhole: false, segments: "[]" })
  expect(await leaveRecognition(sql, job.id)).toBe(true)
  await sql`update media_jobs set created_at = now() - interval '8 days' where id = ${job.id}`
  expect(await leaveRecognition(sql, job.id)).toBe(false)
})

test("a job that no node took for a week fails, one that was begun or waits for less stays, and a transcript stays as it is", async () => {
  const [old, begun, young, written] = [await recording(), await recording(), await recording(), await recording()]
  for (const id of [old, begun, young, written]) await addRecogniseJob(sql, id)
  await sql`update media_jobs set due_at = now() - interval '8 days' where recording_id <> ${young}`
  await sql`update media_jobs set leased_until = now() + interval '1 minute' where recording_id = ${begun}`
  await replaceTranscript(sql, { id: newId(), recordingId: written, slices: [heard("by hand")] })
  expect(await endForgottenRecognitions(sql, 10)).toBe(1)
  const left = await sql<{ recordingId: string }[]>`select recording_id from media_jobs`
  expect(new Set(left.map(({ recordingId }) => recordingId))).toEqual(new Set([begun, young]))
  expect(await transcriptionOf(old)).toMatchObject({ status: "failed" })
  expect([await transcriptionOf(written), await textsOf(written)]).toEqual([null, ["by hand"]])
  for (const id of [begun, young]) expect(await transcriptionOf(id)).toMatchObject({ status: "running" })
})
