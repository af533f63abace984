/** CPU time of our server and its PostgreSQL for some work, with what both use anyway taken off. */
import { sleep } from "./figures.ts"
import type { LiveServer } from "./live-server.ts"
import { postgresSeconds, threadSeconds } from "./process-usage.ts"

/** In seconds. */
export interface Used {
  readonly server: number
  readonly postgres: number
  readonly seconds: number
}

type Measured = Pick<LiveServer, "server" | "databases">

export const usedBy = async ({ server, databases }: Measured, work: () => Promise<unknown>): Promise<Used> => {
  const before = { server: threadSeconds(server.pid), postgres: postgresSeconds(databases.pid) }
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  return {
    server: threadSeconds(server.pid) - before.server,
    postgres: postgresSeconds(databases.pid) - before.postgres,
    seconds,
  }
}

export const atRest = (live: Measured, seconds: number): Promise<Used> => usedBy(live, () => sleep(seconds * 1000))

/** What the work took beyond a rest of the same length. */
export const beyond = (used: Used, rest: Used): Used => {
  const share = used.seconds / rest.seconds
  return {
    server: used.server - rest.server * share,
    postgres: used.postgres - rest.postgres * share,
    seconds: used.seconds,
  }
}

const LOOK_MS = 300
const QUIET_SHARE = 0.04
const PATIENCE_MS = 30_000

/** Resolves once the server has little left to do: what was done before is not measured with what comes next. */
export const untilQuiet = async (live: Measured): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const { server, postgres, seconds } = await atRest(live, LOOK_MS / 1000)
    if ((server + postgres) / seconds < QUIET_SHARE) return
  }
  throw new Error("the server did not come to rest")
}
