/** One part of a run: a server with one kind of database, under load, struck by faults, and checked. */
import postgres from "postgres"
import { Rollout } from "./beside/rollout.ts"
import { judgeSideBySide, type SideBySide } from "./beside/side-by-side.ts"
import { Traffic } from "./beside/traffic.ts"
import { watchOwners } from "./beside/watch-owners.ts"
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
import type { Committed } from "./load/acts.ts"
import type { HeardHere } from "./load/client.ts"
import { openCrowd } from "./load/crowd.ts"
import { NO_HEALTH_CHECKS, startHealthChecks } from "./load/health-checks.ts"
import { type Load, startLoad } from "./load/load.ts"
import { watchReadiness } from "./load/readiness.ts"
import { startReceiver } from "./load/receiver.ts"
import { Rest } from "./load/rest.ts"
import type { ChaosOptions } from "./options.ts"
import type { Part } from "./report.ts"
import type { Build } from "./site/build.ts"
import type { ServerEvents } from "./site/server.ts"
import { openClusterSite, openEmbeddedSite, openExternalSite, type Site } from "./site/site.ts"
import type { Defer } from "./undo.ts"

const READY_MS = 120_000
/** Requests that are under way when the load ends are answered within this time, the longest hold of a key included. */
const LAST_ANSWERS_MS = 75_000
/** With so many of each modality every node owns some: a few live events may all belong to one node. */
const EVENTS_OF_TWO_BUILDS = 2
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
interface PartOptions extends ChaosOptions {
  readonly database: "external" | "embedded"
  /** This checkout. */
  readonly build: Build
  /** Another build, that all nodes begin with. */
  readonly buildBefore: Build | undefined
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
  const rollout = rolloutOf(options)
  const openedAt = performance.now()
  const site = await openSite(options, rollout, events, defer)
  const { servers } = site
  const startedInMs = (performance.now() - openedAt) / servers.length
  const urls = servers.map(({ url }) => url)
  const health = options.drainMs > 0 ? startHealthChecks(urls) : NO_HEALTH_CHECKS
  defer("the health checks", health.stop)
  const rest = new Rest(urls, ledger, health)
  const streams = new Streams(ledger)
  const receiver = await startReceiver(new Chance(options.seed + 3))
  defer("the webhook receiver", receiver.close)
  const gateways = servers.map(({ url }) => `${url.replace("http", "ws")}/v1/gateway`)
  const traffic = new Traffic()
  const gatewayBuild = (node: number): string => servers[node]?.build.name ?? ""
  const heard = ({ node, ...one }: HeardHere): void => {
    if (rollout !== undefined) traffic.heard({ ...one, gateway: gatewayBuild(node) })
  }
  const endpoints = new Map(ENDPOINTS.map((name) => [name, receiver.urlOf(name)]))
  const crowd = await openCrowd({
    health,
    rest,
    ledger,
    streams,
    chance,
    gateways,
    endpoints,
    sockets: options.sockets,
    perModality: rollout === undefined ? 1 : EVENTS_OF_TWO_BUILDS,
    noticed: say,
    heard,
  })
  defer("the sockets", crowd.leave)
  const everyoneIsReady = () => crowd.clients().every(({ isReady }) => isReady)
  await until(everyoneIsReady, "every socket to be ready")
  say(`${crowd.clients().length} sockets are ready`)

  const service = new Service()
  const darkness = new Darkness()
  const served = new NodesServed(servers.length, crowd.clients)
  const committed = (done: Committed): void => {
    darkness.served(done.eventId)
    served.committed(done.node)
    if (rollout !== undefined) traffic.acknowledged({ ...done, gateway: gatewayBuild(done.node), at: Date.now() })
  }
  const load = startLoad({ crowd, rest, ledger, chance, rate: options.rate, cuts: options.cuts, service, committed })
  defer("the load", () => load.stop(0))
  const readiness = servers.map(({ url }, node) => {
    const lastServedAt = () =>
      servers.length === 1 ? service.lastServedAt : Math.min(service.lastServedAt, served.lastAt(node))
    return watchReadiness({ url, lastServedAt, startedInMs }, ledger)
  })
  const stopWatches = () => {
    for (const watch of readiness) watch.stop()
  }
  defer("the watch of /readyz", stopWatches)
  const eventIds = crowd.scenes.map(({ eventId }) => eventId)
  const owners = rollout && watchOwners(site, eventIds, traffic)
  defer("the watch of owners", () => owners?.stop())
  const end = Date.now() + options.minutes * 60_000
  const strikes = schedule(options.seed, database, options.faults, {
    nodes: options.nodes,
    isBeside: rollout !== undefined,
  })
  const struck = await strikeUntil({
    end,
    strikes,
    place: { site, crowd, rest, ledger, rollout },
    service,
    darkness,
    say,
  })
  await sleep(Math.max(0, Math.min(3000, end - Date.now())))

  say("the load ends")
  stopWatches()
  await load.stop(LAST_ANSWERS_MS)
  owners?.stop()
  const inspected = { ledger, streams, crowd, load, receiver }
  await until(everyoneIsReady, "every socket to be ready").catch(() => undefined)
  await inspect(site, CHECKS_BEFORE_THE_LAST_KILL, inspected, say)
  say("a last kill and a last start")
  const sideBySide = rollout && sideBySideOf(rollout, site, traffic, owners?.togetherMs() ?? 0)
  if (sideBySide !== undefined) judgeSideBySide(sideBySide, ledger)
  rollout?.finish()
  const counted = new Map(ledger.counts)
  await killAndStart(site, ledger)
  await until(everyoneIsReady, "every socket to be ready again").catch(() => undefined)
  await inspect(site, CHECKS, inspected, say)
  const log = logOf(site)
  checkLog(log, ledger)
  return { database, nodes: servers.length, sideBySide, ledger, counted, struck, log }
}

const rolloutOf = ({ build, buildBefore, nodes, minutes }: PartOptions): Rollout | undefined =>
  buildBefore && new Rollout({ before: buildBefore, after: build }, nodes, minutes * 60_000)

const openSite = (
  { database, nodes, seed, build, drainMs }: PartOptions,
  rollout: Rollout | undefined,
  events: ServerEvents,
  defer: Defer,
): Promise<Site> => {
  if (database === "embedded") return openEmbeddedSite(build, events, defer)
  const chance = new Chance(seed + 2)
  if (nodes === 1) return openExternalSite(build, chance, events, defer)
  const nextBuild = (node: number): Build => rollout?.buildOf(node) ?? build
  return openClusterSite({ nodes, nextBuild, chance, drainMs }, events, defer)
}

const sideBySideOf = (rollout: Rollout, { servers }: Site, traffic: Traffic, togetherMs: number): SideBySide => {
  const { before, after, migrations } = rollout
  const starts = new Map([before, after].map(({ name }) => [name, 0]))
  for (const { name } of servers.flatMap((server) => server.starts)) starts.set(name, (starts.get(name) ?? 0) + 1)
  return {
    before: before.name,
    after: after.name,
    migrations,
    starts,
    togetherMs,
    traffic: traffic.rows([before.name, after.name]),
    unattributed: traffic.unattributed,
  }
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
