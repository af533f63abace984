/**
 * A peer of `webhooks`: graphile-worker with its local queue, whose task makes the same request with the same connections and
 * concurrency.
 */
import { Logger, makeWorkerUtils, run, type WorkerUtils } from "graphile-worker"
import { answerParent } from "../support/child.ts"
import { deliver, type Job, MOST_TRIES, type PeerOptions } from "./peer-delivery.ts"

/** Its own function for many jobs at once. */
const ADD_JOBS = `
  select count(*) from graphile_worker.add_jobs(array(
    select row('deliver', job, null, null, ${MOST_TRIES}, null, null, null)::graphile_worker.job_spec
      from json_array_elements($1::json) job))`
/** Jobs that are taken from the database at once, as its documentation suggests for many short ones. */
const LOCAL_QUEUE = 500

let utils: WorkerUtils | undefined
let options: PeerOptions | undefined

const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message)
})

answerParent({
  migrate: async (given: PeerOptions) => {
    options = given
    utils = await makeWorkerUtils({ connectionString: given.databaseUrl, logger, maxPoolSize: 2 })
    await utils.migrate()
  },
  /** In one transaction, as ours stores one delivery per endpoint. */
  add: async (jobs: ReadonlyArray<Job>) => {
    await utils?.withPgClient((client) => client.query(ADD_JOBS, [JSON.stringify(jobs)]))
  },
  work: async () => {
    if (options === undefined) throw new Error("migrate first")
    const runner = await run({
      preset: {
        worker: {
          connectionString: options.databaseUrl,
          concurrentJobs: options.concurrency,
          maxPoolSize: options.pool,
          localQueue: { size: LOCAL_QUEUE },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          logger,
        },
      },
      noHandleSignals: true,
      taskList: { deliver: (payload) => deliver(payload as Job) },
    })
    runner.promise.catch((cause: unknown) => console.error(cause))
  },
})
