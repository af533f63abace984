/**
 * A peer of `webhooks`: pg-boss with notifications, whose workers make the same request. It hands jobs out in batches, so the
 * concurrency is that of its workers times a batch; a delivery that fails fails its batch.
 */
import { answerParent } from "../support/child.ts"
import { deliver, type Job, MOST_TRIES, type PeerOptions } from "./peer-delivery.ts"

const QUEUE = "deliver"
const WORKERS = 4
/** The shortest interval that it takes; notifications come before it. */
const POLL_SECONDS = 0.5

/** The part of pg-boss that the benchmark uses. The package is absent where Node is older than it supports, and its types are too. */
interface Boss {
  readonly on: (event: "error", listener: (cause: Error) => void) => void
  readonly start: () => Promise<unknown>
  readonly createQueue: (
    name: string,
    options: { readonly retryLimit: number; readonly notify: boolean },
  ) => Promise<void>
  readonly insert: (name: string, jobs: ReadonlyArray<{ readonly data: Job }>) => Promise<unknown>
  readonly work: (
    name: string,
    options: object,
    handler: (jobs: ReadonlyArray<{ readonly data: Job }>) => Promise<void>,
  ) => Promise<string>
}

interface PgBossModule {
  readonly PgBoss: new (options: object) => Boss
}

const MODULE: string = "pg-boss"

let boss: Boss | undefined
let options: PeerOptions | undefined

answerParent({
  migrate: async (given: PeerOptions) => {
    options = given
    const { PgBoss } = (await import(MODULE)) as PgBossModule
    boss = new PgBoss({ connectionString: given.databaseUrl, max: given.pool, useListenNotify: true })
    boss.on("error", (cause) => console.error(cause))
    await boss.start()
    await boss.createQueue(QUEUE, { retryLimit: MOST_TRIES - 1, notify: true })
  },
  add: async (jobs: ReadonlyArray<Job>) => {
    await boss?.insert(
      QUEUE,
      jobs.map((data) => ({ data })),
    )
  },
  work: async () => {
    if (boss === undefined || options === undefined) throw new Error("migrate first")
    const how = {
      localConcurrency: WORKERS,
      batchSize: Math.ceil(options.concurrency / WORKERS),
      burstWhenBatchFull: true,
      pollingIntervalSeconds: POLL_SECONDS,
    }
    await boss.work(QUEUE, how, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => deliver(data)))
    })
  },
})
