/** Looks again and again which process owns which live event, and which builds serve. */
import { sleep } from "../chance.ts"
import { ownersOf } from "../site/cluster.ts"
import type { Site } from "../site/site.ts"
import type { Owner, Traffic } from "./traffic.ts"

const EVERY_MS = 100

interface OwnersWatch {
  /** For so long nodes of more than one build served. */
  readonly togetherMs: () => number
  readonly stop: () => void
}

export const watchOwners = (site: Site, eventIds: ReadonlyArray<string>, traffic: Traffic): OwnersWatch => {
  let isRunning = true
  let togetherMs = 0
  let lookedAt = Date.now()

  const builds = () => new Set(site.servers.flatMap(({ isServing, build }) => (isServing ? [build.name] : [])))
  const buildOf = (pid: number): string | undefined =>
    site.servers.map((server) => server.buildOf(pid)).find((build) => build !== undefined)?.name

  const look = async (): Promise<void> => {
    const from = Date.now()
    if (builds().size > 1) togetherMs += from - lookedAt
    lookedAt = from
    const owned = await ownersOf(site.postgres, eventIds)
    const to = Date.now()
    const owners = new Map<string, Owner>()
    for (const [pid, ids] of owned) {
      const build = buildOf(pid)
      for (const id of build === undefined ? [] : ids) if (build !== undefined) owners.set(id, { pid, build })
    }
    traffic.looked({ from, to, owners })
  }
  void (async () => {
    while (isRunning) {
      // While PostgreSQL is struck nobody knows the owners.
      await look().catch(() => undefined)
      await sleep(EVERY_MS)
    }
  })()
  return {
    togetherMs: () => togetherMs,
    stop: () => {
      isRunning = false
    },
  }
}
