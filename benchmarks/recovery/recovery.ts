/**
 * The cost of a long history to an event that goes on: coming back into memory, being opened by a gateway, and the minute's
 * sweep. The limit beside each figure is the same work on an event, and on a database, without any history.
 */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { newId } from "../../src/model/ids.ts"
import { SHARED_STREAMS } from "../../src/model/live/streams.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database, type Queryable } from "../../src/store/database.ts"
import { recoverLiveEvent } from "../../src/store/live/live-events.ts"
import { forgetPublications, listPublications } from "../../src/store/live/live-history.ts"
import { sweepHistory } from "../../src/store/sweeps/history-sweep.ts"
import { SWEEP_BATCH } from "../../src/store/sweeps.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import { startDatabases } from "../support/database.ts"
import { number, printRows, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { HISTORY_MS, seedHistory } from "./history.ts"

const OPTIONS = {
  messages: { fallback: 300_000, quick: 20000, doc: "Chat messages of the event." },
  publications: { fallback: 100_000, quick: 10000, doc: "Its dispatches of the last minutes." },
  heads: { fallback: 600_000, quick: 20000, doc: "Heads of streams of other events, long ended." },
  rounds: { fallback: 9, quick: 3, doc: "Rounds, with history and without in turns." },
  pool: { fallback: 10, doc: "Database connections." },
}

/** Dispatches of a stream that a gateway keeps. */
const PER_STREAM = 1_000

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

interface Store {
  readonly database: Database["Service"]
  readonly run: <A>(body: (sql: Queryable) => Promise<A>) => Promise<A>
}

const openStore = async (url: string, connections: number, defer: Defer): Promise<Store> => {
  const runtime = ManagedRuntime.make(
    Database.layer({ url: Redacted.make(url), connections, deadlineMs: 60_000 }).pipe(
      Layer.provide(Telemetry.layer("silent")),
    ),
  )
  defer(() => runtime.dispose())
  const database = await runtime.runPromise(Database)
  return { database, run: (body) => Effect.runPromise(database.run(body)) }
}

const activate = ({ database }: Store, eventId: string): Promise<unknown> =>
  Effect.runPromise(
    recoverLiveEvent(database, {
      eventId,
      node: "bench",
      epoch: newId(),
      commandsSince: toTimestamp(Date.now() - 600_000),
    }),
  )

const open = ({ run }: Store, eventId: string): Promise<unknown> =>
  run((sql) =>
    listPublications(sql, eventId, [...SHARED_STREAMS, "me:p1"], {
      since: toTimestamp(Date.now() - HISTORY_MS),
      perStream: PER_STREAM,
    }),
  )

const sweep = ({ database }: Store): Promise<void> =>
  Effect.runPromise(sweepHistory(database, Date.now(), HISTORY_MS, 90))

/** Forgets all publications, statement by statement; resolves to what each took. */
const forgetAll = async ({ run }: Store): Promise<ReadonlyArray<number>> => {
  const took: number[] = []
  let forgotten = SWEEP_BATCH
  while (forgotten >= SWEEP_BATCH) {
    took.push(
      await timed(async () => {
        forgotten = await run((sql) => forgetPublications(sql, toTimestamp(Date.now() + HISTORY_MS), SWEEP_BATCH))
      }),
    )
  }
  return took
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const databases = await startDatabases(defer)
  const old = await openStore(await databases.create("migrated"), options.pool, defer)
  const fresh = await openStore(await databases.create("migrated"), options.pool, defer)
  const { long, empty } = await old.run((sql) => seedHistory(sql, options))

  const cases = [
    { what: "activation", goal: 300, work: () => activate(old, long), peer: () => activate(old, empty) },
    { what: "opening a channel", goal: 50, work: () => open(old, long), peer: () => open(old, empty) },
    { what: "sweep with nothing to do", goal: 20, work: () => sweep(old), peer: () => sweep(fresh) },
  ]
  const measured = cases.map((one) => ({ ...one, ours: [] as number[], without: [] as number[] }))
  for (let round = 0; round <= options.rounds; round++) {
    for (const { work, peer, ours, without } of measured) {
      const took = [await timed(work), await timed(peer)] as const
      // The first round fills caches and prepares statements.
      if (round === 0) continue
      ours.push(took[0])
      without.push(took[1])
    }
  }
  printRows([
    ["ms", "with history", "without"],
    ...measured.map(({ what, ours, without }) => [what, spread(ours), spread(without)]),
  ])
  const forgetting = await forgetAll(old)
  const total = forgetting.reduce((sum, ms) => sum + ms, 0)
  const after = await timed(() => sweep(old))
  console.log(
    `  forgetting ${number(options.publications)} publications: ${number(total)} ms in ${forgetting.length} statements, ` +
      `the longest ${number(Math.max(...forgetting))} ms; the sweep right after it ${number(after)} ms`,
  )
  console.log(`${options.rounds} rounds; median (min..max)`)
  return {
    peer: "the same without history (time)",
    ratios: measured.map(({ what, ours, without }) => ratio(what, ours, without).text),
    goals: measured.map(({ what, goal, ours }) => atMost(what, spreadOf(ours).median, goal, "ms")),
  }
}

export const recovery = defineBenchmark({
  summary: "Activation, opening a channel and the sweep after a long history, against none.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
