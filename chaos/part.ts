/** One part of a run: a server with one kind of database, under load, struck by faults, and checked. */
import postgres from "postgres"
import { Chance, sleep } from "./chance.ts"
import { checkAcknowledged } from "./checks/acknowledged.ts"
import { checkArrivals } from "./checks/arrivals.ts"
import type { Check, Inspection } from "./checks/inspection.ts"
import { checkPresence } from "./checks/presence.ts"
import { checkLevel, checkStreams } from "./checks/streams.ts"
import { checkTallies } from "./checks/tallies.ts"
import { checkTimers } from "./checks/timers.ts"
import { checkWebhooks } from "./checks/webhooks.ts"
import { schedule } from "./faults/schedule.ts"
import { killAndStart, strikeUntil } from "./faults/strikes.ts"
import { Darkness } from "./ledger/darkness.ts"
import { Ledger } from "./ledger/ledger.ts"
import { NodesServed } from "./ledger/nodes-served.ts"
import { Service } from "./ledger/service.ts"
import { Streams } from "./ledger/streams.ts"
import { openCrowd } from "./load/crowd.ts"
import { type Load, startLoad } from "./load/load.ts"
import { watchReadiness } from "./load/readiness.ts"
import { startReceiver } from "./load/receiver.ts"
import { Rest } from "./load/rest.ts"
import type { ChaosOptions } from "./options.ts"
import type { Part } from "./report.ts"
import type { ServerEvents } from "./site/server.ts"
import { openClusterSite, openEmbeddedSite, openExternalSite, type Site } from "./site/site.ts"
import type { Defer } from "./undo.ts"

const READY_MS = 30_000
/** Requests that are under way when the load ends are answered within this time, the longest hold of a key included. */
const LAST_ANSWERS_MS = 75_000
const ENDPOINTS = ["first", "second"]

const CHECKS_BEFORE_THE_LAST_KILL: ReadonlyArray<readonly [string, Check]> = [
  ["everybody who is there has been told of (I4)", checkPresence],
]
const CHECKS: ReadonlyArray<readonly [string, Check]> = [
  ["sockets stand at the end of their streams (I2)", checkLevel],
  ["streams against the store (I2)", checkStreams],
  ["what was acknowledged, and what was doubled (I1, I3)", checkAcknowledged],
  ["timers (I5)", checkTimers],
  ["tallies, votes and places (I6)", checkTallies],
  ["webhooks (I4)", checkWebhooks],
  ["arrivals and departures alternate (I4)", checkArrivals],
]
export interface PartOptions extends ChaosOptions {
  readonly database: "external" | "embedded"
  readonly say: (line: string) => void
}

export const runPart = async (options: PartOptions, defer: Defer): Promise<Part> => {
  const { say, database } = options
  const chance = new Chance(options.seed + 1)
  const ledger = new Ledger()
  const events = {
    endedByItself: (code: number | null, lastWords: string) =>
      ledger.violate("liveness", `the server ended by itself (${code}): ${lastWords}`),
  }
  say(`starting the server with the ${database} database`)
  const site = await openSite(options, events, defer)
  const { servers } = site
  const rest = new Rest(
    servers.map(({ url }) => url),
    ledger,
  )
  const streams = new Streams(ledger)
  const receiver = await startReceiver(new Chance(options.seed + 3))
  defer("the webhook receiver", receiver.close)
  const gateways = servers.map(({ url }) => `${url.replace("http", "ws")}/v1/gateway`)
  const endpoints = new Map(ENDPOINTS.map((name) => [name, receiver.urlOf(name)]))
  const crowd = await openCrowd({
    rest,
    ledger,
    streams,
    chance,
    gateways,
    endpoints,
    sockets: options.sockets,
    noticed: say,
  })
  defer("the sockets", crowd.leave)
  const everyoneIsReady = () => crowd.clients().every(({ isReady }) => isReady)
  await until(everyoneIsReady, "every socket to be ready")
  say(`${crowd.clients().length} sockets are ready`)

  const service = new Service()
  const darkness = new Darkness()
  const served = new NodesServed(servers.length, crowd.clients)
  const committed = (eventId: string, node: number): void => {
    darkness.served(eventId)
    served.committed(node)
  }
  const load = startLoad({ crowd, rest, ledger, chance, rate: options.rate, service, committed })
  defer("the load", () => load.stop(0))
  const readiness = servers.map(({ url }, node) => {
    const lastServedAt = () =>
      servers.length === 1 ? service.lastServedAt : Math.min(service.lastServedAt, served.lastAt(node))
    return watchReadiness({ url, lastServedAt }, ledger)
  })
  const stopWatches = () => {
    for (const watch of readiness) watch.stop()
  }
  defer("the watch of /readyz", stopWatches)
  const end = Date.now() + options.minutes * 60_000
  const strikes = schedule(options.seed, database, options.faults, options.nodes)
  const struck = await strikeUntil({ end, strikes, place: { site, crowd, rest, ledger }, service, darkness, say })
  await sleep(Math.max(0, Math.min(3000, end - Date.now())))

  say("the load ends")
  stopWatches()
  await load.stop(LAST_ANSWERS_MS)
  const inspected = { ledger, streams, crowd, load, receiver }
  await until(everyoneIsReady, "every socket to be ready").catch(() => undefined)
  await inspect(site, CHECKS_BEFORE_THE_LAST_KILL, inspected, say)
  say("a last kill and a last start")
  await killAndStart(site, ledger)
  await until(everyoneIsReady, "every socket to be ready again").catch(() => undefined)
  await inspect(site, CHECKS, inspected, say)
  const log = logOf(site)
  checkLog(log, ledger)
  return { database, nodes: servers.length, ledger, struck, log }
}

const openSite = ({ database, nodes, seed }: PartOptions, events: ServerEvents, defer: Defer): Promise<Site> => {
  if (database === "embedded") return openEmbeddedSite(events, defer)
  const chance = new Chance(seed + 2)
  return nodes > 1 ? openClusterSite(nodes, chance, events, defer) : openExternalSite(chance, events, defer)
}

const logOf = ({ servers }: Site): ReadonlyMap<string, number> => {
  const all = new Map<string, number>()
  for (const { log } of servers) {
    for (const [message, times] of log) all.set(message, (all.get(message) ?? 0) + times)
  }
  return all
}

const until = async (holds: () => boolean, what: string): Promise<void> => {
  const deadline = Date.now() + READY_MS
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`)
    await sleep(50)
  }
}

/** A statement that the database refuses by its rules is a fault of the server's, whatever is done to the database. */
const checkLog = (log: ReadonlyMap<string, number>, ledger: Ledger): void => {
  for (const [message, times] of log) {
    if (/violates|syntax error|does not exist/.test(message)) ledger.violate("truth", `${message} (${times} times)`)
  }
}

const inspect = async (
  site: Site,
  checks: ReadonlyArray<readonly [string, Check]>,
  given: Omit<Inspection, "sql"> & { readonly load: Load },
  say: (line: string) => void,
): Promise<void> => {
  const sql = postgres(site.postgres.url(), { max: 1, onnotice: () => undefined })
  try {
    for (const [name, check] of checks) {
      say(`checking: ${name}`)
      await check({ ...given, sql }).catch((cause: unknown) =>
        given.ledger.violate("liveness", `the check of ${name} failed: ${String(cause)}`),
      )
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
