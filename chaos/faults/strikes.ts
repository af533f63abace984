/** Strikes with one fault after the other until the time is over, and measures how long each takes to be overcome. */
import { Chance, sleep } from "../chance.ts"
import type { Darkness } from "../ledger/darkness.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Recovery, Service } from "../ledger/service.ts"
import { sessionsOf } from "../site/postgres.ts"
import type { Site } from "../site/site.ts"
import type { Scenery } from "./fault.ts"
import type { Strike } from "./schedule.ts"

export interface Struck extends Recovery {
  readonly fault: string
  readonly ms: number
  /** For how long each live event was dark whose owner was struck; milliseconds. */
  readonly darkMs: ReadonlyArray<number>
}

/** Longer than that is no recovery. */
const RECOVERY_MS = 90_000
/** The longest fault, and two starts. */
const FAULT_MS = 120_000

type Place = Omit<Scenery, "chance" | "over" | "struck">

interface StrikeOptions {
  /** Unix milliseconds; no fault begins after it. */
  readonly end: number
  readonly strikes: Iterable<Strike>
  readonly place: Place
  readonly service: Service
  readonly darkness: Darkness
  readonly say: (line: string) => void
}

export const strikeUntil = async (options: StrikeOptions): Promise<ReadonlyArray<Struck>> => {
  const { end, strikes, place, service, darkness, say } = options
  const struck: Array<Struck> = []
  for (const strike of strikes) {
    await sleep(strike.pauseMs)
    if (Date.now() >= end) break
    const startedAt = Date.now()
    const isOver = await strikeOnce(strike, place, options)
    const lastedMs = Date.now() - startedAt
    const recovery = await service.wait(place.crowd.scenes.length, RECOVERY_MS)
    const { name } = strike.fault
    const darkMs = darkness.end()
    struck.push({ fault: name, ms: lastedMs, darkMs, ...recovery })
    const { firstMs, allMs } = recovery
    say(
      `${name.padEnd(20)} ${seconds(lastedMs)}, back in ${seconds(firstMs)}, all in ${seconds(allMs)}${darkText(darkMs)}`,
    )
    if (!isOver) break
    if (allMs !== undefined) continue
    reportUnserved(place, service)
    for (const line of await pictureOf(place.site)) say(`  ${line}`)
    // The failure is noted; the run goes on from a fresh start.
    await killAndStart(place.site, place.ledger)
    await service.wait(place.crowd.scenes.length, RECOVERY_MS)
  }
  return struck
}

/** False when what the fault stopped does not run again. */
const strikeOnce = async (
  { fault, ms, seed }: Strike,
  place: Place,
  { service, darkness }: Pick<StrikeOptions, "service" | "darkness">,
): Promise<boolean> => {
  const { ledger } = place
  ledger.during = fault.name
  if (fault.stopsServer) ledger.serverStops()
  let isOver = false
  const over = () => {
    if (!isOver) service.begin()
    isOver = true
  }
  const work = fault
    .run({ ...place, chance: new Chance(seed), over, struck: (eventIds) => darkness.begin(eventIds) }, ms)
    .then(() => true)
  const hasEnded = await Promise.race([work, sleep(FAULT_MS).then(() => false)])
  over()
  if (!hasEnded) ledger.violate("liveness", `the server or PostgreSQL does not run again within ${FAULT_MS / 1000} s`)
  if (fault.stopsServer) ledger.serverIsBack()
  return hasEnded
}

/** All servers at once. */
export const killAndStart = async ({ servers }: Site, ledger: Ledger): Promise<void> => {
  ledger.serverStops()
  await Promise.all(servers.map((server) => server.end("SIGKILL")))
  await Promise.all(servers.map((server) => server.startAgain()))
  ledger.serverIsBack()
}

const reportUnserved = ({ crowd, ledger }: Place, service: Service): void => {
  for (const { eventId, modality, hosts } of crowd.scenes) {
    if (service.isServed(eventId)) continue
    const standing = hosts[2]?.standing ?? ""
    ledger.violate("liveness", `the ${modality} is not served within ${RECOVERY_MS / 1000} s (its probe: ${standing})`)
  }
}

/** How the connections to PostgreSQL stand, as the proxy and as PostgreSQL see them. */
const pictureOf = async ({ external, postgres }: Site): Promise<ReadonlyArray<string>> => {
  const links = external?.proxies.flatMap((proxy) => proxy.connections()) ?? []
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

const darkText = (darkMs: ReadonlyArray<number>): string =>
  darkMs.length === 0 ? "" : `, dark ${darkMs.map((ms) => seconds(ms)).join(" ")}`

const seconds = (ms: number | undefined): string => (ms === undefined ? "never" : `${(ms / 1000).toFixed(1)} s`)
