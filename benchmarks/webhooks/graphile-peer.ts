/**
 * The peer of `webhooks`: graphile-worker, whose task makes the same signed POST with the same HTTP client, connections
 * and concurrency.
 */
import { createHmac } from "node:crypto"
import { Logger, makeWorkerUtils, run, type WorkerUtils } from "graphile-worker"
import { Agent, request } from "undici"
import { answerParent } from "../support/child.ts"

interface Job {
  readonly url: string
  readonly id: string
  readonly body: string
}

interface Options {
  readonly databaseUrl: string
  readonly concurrency: number
  readonly pool: number
}

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"
/** Its own function for many jobs at once; each may be tried ten times, as ours are. */
const ADD_JOBS = `
  select count(*) from graphile_worker.add_jobs(array(
    select row('deliver', job, null, null, 10, null, null, null)::graphile_worker.job_spec
      from json_array_elements($1::json) job))`
const TIMEOUT_MS = 10_000

let utils: WorkerUtils | undefined
let options: Options | undefined

const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message)
})

const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })

/** Both signatures that ours carries. */
const headersOf = ({ id, body }: Job): { [name: string]: string } => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const own = createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex")
  const standard = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")
  return {
    "content-type": "application/json",
    "user-agent": "peer",
    "x-gc-event-id": id,
    "x-gc-signature": `t=${timestamp},v1=${own}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standard}`,
  }
}

const deliver = async (payload: unknown): Promise<void> => {
  const job = payload as Job
  const { statusCode, body } = await request(job.url, {
    method: "POST",
    headers: headersOf(job),
    body: job.body,
    dispatcher: agent,
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`answered ${statusCode}`)
}

answerParent({
  migrate: async (given: Options) => {
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
      connectionString: options.databaseUrl,
      concurrency: options.concurrency,
      maxPoolSize: options.pool,
      noHandleSignals: true,
      logger,
      taskList: { deliver },
    })
    runner.promise.catch((cause: unknown) => console.error(cause))
  },
})
