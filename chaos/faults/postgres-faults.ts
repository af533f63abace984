/** Faults of PostgreSQL's processes and sessions. */
import { randomBytes } from "node:crypto"
import { sleep } from "../chance.ts"
import { freezePostgres, killBackend, type OwnPostgres, terminateSessions } from "../site/postgres.ts"
import { onlyServer } from "../site/site.ts"
import type { Fault, Scenery } from "./fault.ts"

const paused = async ({ site, ledger }: Scenery, work: () => Promise<void>): Promise<void> => {
  const thaw = await freezePostgres(site.postgres)
  ledger.count("PostgreSQL paused")
  await work().finally(thaw)
}

const own = ({ site }: Scenery): OwnPostgres => {
  if (site.external === undefined) throw new Error("the fault needs a PostgreSQL of the harness")
  return site.external.postgres
}

const restart = (how: "fast" | "immediate" | "crash", summary: string): Fault => ({
  name: how === "crash" ? "postmaster" : `restart-${how}`,
  summary,
  on: "external",
  seconds: [0, 4],
  run: (scenery, ms) => own(scenery).restart(how, ms),
})

/**
 * Waiting requests that nobody has to sign in for. A driver's own pool sends at most a thousand statements ahead; requests that
 * open a transaction come when that many wait, where such a pool breaks its promises.
 */
const READS_BEFORE = 940
/** Beforehand, so that every connection has prepared the statement and sends it ahead. */
const READS_FIRST = 400
const LETTERS = 12
const READS_BETWEEN = 5
const READS_AFTER = 1200

const read = ({ rest }: Scenery) => rest.try({ method: "GET", path: `/v1/invites/x${randomBytes(8).toString("hex")}` })

const times = (count: number, work: () => Promise<unknown>) => Array.from({ length: count }, work)

const rush = (scenery: Scenery): ReadonlyArray<Promise<unknown>> => {
  const { rest, crowd } = scenery
  const letter = () =>
    rest.try({ method: "POST", path: "/v1/accounts/request-password-reset", body: { email: crowd.email } })
  // In this order: an array is filled from its first item on.
  const before = times(READS_BEFORE, () => read(scenery))
  const limit = Array.from({ length: LETTERS }, () => [letter(), ...times(READS_BETWEEN, () => read(scenery))]).flat()
  return [...before, ...limit, ...times(READS_AFTER, () => read(scenery))]
}

export const POSTGRES_FAULTS: ReadonlyArray<Fault> = [
  {
    name: "pause",
    summary: "SIGSTOP of all of PostgreSQL, SIGCONT",
    on: "both",
    seconds: [2, 12],
    run: (scenery, ms) => paused(scenery, () => sleep(ms)),
  },
  {
    name: "rush",
    summary: "SIGSTOP of PostgreSQL while 2,200 requests come, SIGCONT",
    on: "both",
    seconds: [6, 9],
    run: async (scenery, ms) => {
      await Promise.all(times(READS_FIRST, () => read(scenery)))
      let waiting: ReadonlyArray<Promise<unknown>> = []
      await paused(scenery, async () => {
        waiting = rush(scenery)
        await sleep(ms)
      })
      await Promise.all(waiting)
    },
  },
  {
    name: "backend",
    summary: "kill -9 of one PostgreSQL backend",
    on: "both",
    seconds: [0, 0],
    run: ({ site }) => killBackend(site.postgres),
  },
  {
    name: "terminate",
    summary: "pg_terminate_backend on all sessions, again and again",
    on: "both",
    seconds: [2, 8],
    run: async ({ site, ledger }, ms) => {
      const end = Date.now() + ms
      while (Date.now() < end) {
        await terminateSessions(site.postgres)
        ledger.sessionsEnd()
        await sleep(400)
      }
    },
  },
  restart("fast", "PostgreSQL restarted, fast"),
  restart("immediate", "PostgreSQL restarted, immediate"),
  restart("crash", "kill -9 of the postmaster, and a start"),
  {
    name: "postmaster-embedded",
    summary: "kill -9 of the embedded postmaster; the supervisor starts the server again",
    on: "embedded",
    stopsServer: true,
    seconds: [0.3, 0.3],
    run: async ({ site, over }, ms) => {
      const { postgres } = site
      const server = onlyServer(site)
      server.mayEnd = true
      const gone = server.gone()
      process.kill(postgres.postmaster(), "SIGKILL")
      // Commands that were under way may still be acknowledged.
      await sleep(ms)
      over()
      await gone
      await server.isUp()
      server.mayEnd = false
    },
  },
]
