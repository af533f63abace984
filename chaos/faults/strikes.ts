/** Strikes with one fault after the other until the time is over, and measures how long each takes to be overcome. */
import { Chance, sleep } from "../chance.ts"
import type { Recovery, Service } from "../ledger/service.ts"
import { sessionsOf } from "../site/postgres.ts"
import type { Site } from "../site/site.ts"
import type { Scenery } from "./fault.ts"
import type { Strike } from "./schedule.ts"

export interface Struck extends Recovery {
  readonly fault: string
  readonly ms: number
}

/** Longer than that is no recovery. */
const RECOVERY_MS = 45_000
const FAULT_MS = 90_000

export const strikeUntil = async (
  end: number,
  strikes: Iterable<Strike>,
  scenery: Omit<Scenery, "chance">,
  service: Service,
  say: (line: string) => void,
): Promise<ReadonlyArray<Struck>> => {
  const struck: Array<Struck> = []
  for (const { fault, pauseMs, ms, seed } of strikes) {
    await sleep(pauseMs)
    if (Date.now() >= end) break
    const { ledger, site, crowd } = scenery
    ledger.during = fault.name
    ledger.serverStopped = fault.stopsServer === true
    const startedAt = Date.now()
    await bounded(fault.name, fault.run({ ...scenery, chance: new Chance(seed) }, ms))
    ledger.serverStopped = false
    if (fault.stopsServer) ledger.serverBackAt = Date.now()
    service.begin()
    const lastedMs = Date.now() - startedAt
    const recovery = await service.wait(crowd.scenes.length, RECOVERY_MS)
    struck.push({ fault: fault.name, ms: lastedMs, ...recovery })
    say(
      `${fault.name.padEnd(20)} ${seconds(lastedMs)}, back in ${seconds(recovery.firstMs)}, all in ${seconds(recovery.allMs)}`,
    )
    if (recovery.allMs === undefined) {
      reportUnserved(scenery, service)
      for (const line of await pictureOf(site)) say(`  ${line}`)
      // What went wrong is noted; the run goes on from a fresh start.
      ledger.serverStopped = true
      await site.server.end("SIGKILL")
      await site.server.startAgain()
      ledger.serverStopped = false
      ledger.serverBackAt = Date.now()
      await service.wait(crowd.scenes.length, RECOVERY_MS)
    }
  }
  return struck
}

const reportUnserved = ({ crowd, ledger }: Omit<Scenery, "chance">, service: Service): void => {
  for (const { eventId, modality, hosts } of crowd.scenes) {
    if (service.isServed(eventId)) continue
    const standing = hosts[2]?.standing ?? ""
    ledger.violate("liveness", `the ${modality} is not served within ${RECOVERY_MS / 1000} s (its probe: ${standing})`)
  }
}

/** How the connections to PostgreSQL stand, as the proxy and as PostgreSQL see them. */
const pictureOf = async ({ external, postgres }: Site): Promise<ReadonlyArray<string>> => {
  const links = external?.proxy.connections() ?? []
  const unanswered = links.reduce((sum, link) => sum + link.unanswered, 0)
  const open = links.filter(({ transaction }) => transaction !== "idle").length
  const silent = links.filter((link) => link.silent).length
  const sessions = await sessionsOf(postgres).catch((cause: unknown) => String(cause))
  return [
    ...(external === undefined
      ? []
      : [
          `proxy: ${links.length} connections, ${unanswered} statements unanswered, ${open} in a transaction, ${silent} silent`,
        ]),
    `PostgreSQL: ${sessions}`,
  ]
}

export const seconds = (ms: number | undefined): string => (ms === undefined ? "never" : `${(ms / 1000).toFixed(1)} s`)

const bounded = async (name: string, work: Promise<void>): Promise<void> => {
  const late = sleep(FAULT_MS).then(() => {
    throw new Error(`the fault ${name} did not end within ${FAULT_MS / 1000} s`)
  })
  await Promise.race([work, late])
}
