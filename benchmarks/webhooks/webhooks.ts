/**
 * Webhook deliveries: how fast a backlog is sent, and how long after its cause an occurrence reaches the receiver, against
 * graphile-worker and pg-boss doing the same requests as jobs on the same database server. The peers keep no attempts, no order of an
 * event, and no state of an endpoint. Receivers on loopback are refused in production, so our side runs in development. Backlog: occurrences are stored while no
 * server runs, so that both sides start with all of it. Latency: real lifecycle calls over REST, and for the peer a job
 * for each endpoint in one transaction, at the same pace; both clocks start before the transaction.
 */
import { randomUUID } from "node:crypto"
import { newId } from "../../src/model/ids.ts"
import { encodeOccurrence, type Occurrence } from "../../src/model/integrations/occurrences.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { DEFAULT_DEADLINE_MS, DEFAULT_WAITING, type Queryable } from "../../src/store/database.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { appendOccurrences } from "../../src/store/webhooks/outbox.ts"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import { cpuSeconds, postgresSeconds } from "../support/process-usage.ts"
import { atLeast, atMost, type Goal, type Report, ratio } from "../support/report.ts"
import { call, createWorkspace, eventBody } from "../support/rest-calls.ts"
import { PROFILE_OPTION, type ServerProcess, startServerProcess } from "../support/server-process.ts"
import type { PeerOptions } from "./peer-delivery.ts"
import type { Received } from "./receiver.ts"

const OPTIONS = {
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  deliveries: { fallback: 16_000, quick: 4000, doc: "Deliveries of a backlog." },
  endpoints: { fallback: 16, doc: "Endpoints they go to, at most 20 and at least 8." },
  concurrency: { fallback: 64, doc: "Requests in flight of each side." },
  pool: { fallback: 10, doc: "Database connections of each side." },
  paced: { fallback: 300, quick: 40, doc: "Occurrences for the latency." },
  pace: { fallback: 20, doc: "Occurrences per second for the latency." },
  ...PROFILE_OPTION,
}
type Options = Bench<typeof OPTIONS>["options"]

interface Measured {
  readonly perSecond: number[]
  readonly perCpuSecond: number[]
  /** CPU microseconds of PostgreSQL for a delivery. */
  readonly postgresUs: number[]
  readonly p50Ms: number[]
  readonly p99Ms: number[]
}

const measured = (): Measured => ({ perSecond: [], perCpuSecond: [], postgresUs: [], p50Ms: [], p99Ms: [] })

const BACKLOG_DEADLINE_MS = 120_000
const EVENTS = 200

const occurrenceOf = (workspaceId: string, eventId: string): Occurrence => ({
  id: newId(),
  type: "participant.joined",
  workspaceId,
  eventId,
  occurredAt: toTimestamp(Date.now()),
  extra: { participant: { participantId: randomUUID(), name: "Ada Lovelace", role: "viewer" } },
})

const fillOutbox = async (sql: Queryable, workspaceId: string, occurrences: number): Promise<void> => {
  const events = Array.from({ length: EVENTS }, newId)
  const BATCH = 100
  for (let from = 0; from < occurrences; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, occurrences - from) }, (_, n) =>
      occurrenceOf(workspaceId, events[(from + n) % EVENTS] ?? newId()),
    )
    await appendOccurrences(sql, batch)
  }
}

interface House {
  readonly postmaster: number
  readonly databaseUrl: string
  readonly sql: Queryable
  readonly receiver: Child
  readonly urls: ReadonlyArray<string>
  readonly options: Options
  readonly defer: Defer
  workspaceId: string
  key: string
}

const startOurs = ({ databaseUrl, options, defer }: House): Promise<ServerProcess> =>
  startServerProcess(
    {
      environment: {
        DATABASE_URL: databaseUrl,
        DATABASE_POOL: String(options.pool),
        WEBHOOK_CONCURRENCY: String(options.concurrency),
      },
      profile: options.profile,
    },
    defer,
  )

/** The use of CPU by a side's process and by PostgreSQL, in seconds. */
const usageOf = (house: House, pid: number) => ({ own: cpuSeconds(pid), postgres: postgresSeconds(house.postmaster) })

const take = (
  into: Measured,
  { count, seconds }: Received,
  before: ReturnType<typeof usageOf>,
  after: typeof before,
): void => {
  into.perSecond.push(count / seconds)
  into.perCpuSecond.push(count / (after.own - before.own))
  into.postgresUs.push(((after.postgres - before.postgres) * 1e6) / count)
}

const backlogOfOurs = async (house: House, into: Measured): Promise<void> => {
  const { options, receiver } = house
  await fillOutbox(house.sql, house.workspaceId, Math.floor(options.deliveries / options.endpoints))
  await receiver.call("expect", Math.floor(options.deliveries / options.endpoints) * options.endpoints)
  const server = await startOurs(house)
  const before = usageOf(house, server.pid)
  const received = await receiver.call<Received>("done", BACKLOG_DEADLINE_MS)
  take(into, received, before, usageOf(house, server.pid))
  await server.stop()
}

const jobsOf = (urls: ReadonlyArray<string>, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const occurrence = occurrenceOf("00000000-0000-7000-8000-000000000000", newId())
    return { url: urls[n % urls.length] ?? "", id: occurrence.id, body: encodeOccurrence(occurrence) }
  })

interface Peer {
  readonly name: string
  readonly module: URL
  readonly databaseUrl: string
  readonly measured: Measured
}

const startPeer = async ({ module, databaseUrl }: Peer, { options, defer }: House): Promise<Child> => {
  const peer = await startChild(module, defer)
  const { concurrency, pool } = options
  await peer.call("migrate", { databaseUrl, concurrency, pool } satisfies PeerOptions)
  return peer
}

const backlogOfPeer = async (of: Peer, house: House): Promise<void> => {
  const { options, receiver } = house
  const into = of.measured
  const peer = await startPeer(of, house)
  const jobs = jobsOf(house.urls, options.deliveries)
  const BATCH = 1000
  for (let from = 0; from < jobs.length; from += BATCH) await peer.call("add", jobs.slice(from, from + BATCH))
  await receiver.call("expect", options.deliveries)
  const before = usageOf(house, peer.pid)
  await peer.call("work")
  const received = await receiver.call<Received>("done", BACKLOG_DEADLINE_MS)
  take(into, received, before, usageOf(house, peer.pid))
  await peer.stop()
}

/** Calls `work` at an even pace without waiting for it. */
const paced = async (count: number, perSecond: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  const startedAt = performance.now()
  const running: Array<Promise<unknown>> = []
  for (let n = 0; n < count; n++) {
    await sleep(startedAt + (n * 1000) / perSecond - performance.now())
    running.push(work(n))
  }
  await Promise.all(running)
}

/** The first ones are sent while everything is still cold, and not counted. */
const WARM_UP = 40

const latency = async ({ options, receiver }: House, into: Measured, cause: (n: number) => Promise<unknown>) => {
  await receiver.call("expect", WARM_UP * options.endpoints)
  await paced(WARM_UP, options.pace, cause)
  await receiver.call("done", BACKLOG_DEADLINE_MS)
  await receiver.call("expect", options.paced * options.endpoints)
  await paced(options.paced, options.pace, (n) => cause(WARM_UP + n))
  const { p50Ms, p99Ms } = await receiver.call<Received>("done", BACKLOG_DEADLINE_MS)
  into.p50Ms.push(p50Ms)
  into.p99Ms.push(p99Ms)
}

const latencyOfOurs = async (house: House, into: Measured): Promise<void> => {
  const { options, key } = house
  const server = await startOurs(house)
  const ids: string[] = []
  for (let n = 0; n < WARM_UP + options.paced; n++) {
    ids.push((await call(server.url, "POST", "/v1/events", { key, body: eventBody() })).id)
  }
  await latency(house, into, (n) => call(server.url, "POST", `/v1/events/${ids[n]}/publish`, { key }))
  await server.stop()
}

const latencyOfPeer = async (of: Peer, house: House): Promise<void> => {
  const peer = await startPeer(of, house)
  await peer.call("work")
  await latency(house, of.measured, () => peer.call("add", jobsOf(house.urls, house.options.endpoints)))
  await peer.stop()
}

const prepare = async ({
  options,
  defer,
}: Bench<typeof OPTIONS>): Promise<{ house: House; peers: ReadonlyArray<Peer> }> => {
  const databases = await startDatabases(defer)
  const databaseUrl = await databases.create("migrated")
  const receiver = await startChild(new URL("./receiver.js", import.meta.url), defer)
  const port = await receiver.call<number>("start")
  const urls = Array.from({ length: options.endpoints }, (_, n) => `http://127.0.0.1:${port}/hooks/${n}`)
  const pool = new Pool({
    url: databaseUrl,
    connections: 2,
    waiting: DEFAULT_WAITING,
    deadlineMs: DEFAULT_DEADLINE_MS,
  })
  defer(() => pool.close(1_000))
  const house: House = {
    ...{ postmaster: databases.pid, databaseUrl, sql: pool.sql, receiver, urls, options, defer },
    ...{ workspaceId: "", key: "" },
  }
  const server = await startOurs({ ...house, options: { ...options, profile: 0 } })
  const workspace = await createWorkspace(server.url)
  house.workspaceId = workspace.id
  house.key = workspace.key
  for (const url of urls) await call(server.url, "POST", "/v1/webhooks", { key: house.key, body: { url } })
  await server.stop()
  const peers = [
    { name: "graphile-worker", module: new URL("./graphile-peer.js", import.meta.url) },
    { name: "pg-boss", module: new URL("./pg-boss-peer.js", import.meta.url) },
  ].filter(({ name }) => isInstalled(name))
  return {
    house,
    peers: await Promise.all(
      peers.map(async (peer) => ({ ...peer, databaseUrl: await databases.create("empty"), measured: measured() })),
    ),
  }
}

/** npm leaves a peer out where Node is older than it supports. */
const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    console.log(`skipped: ${name} is not installed, because it does not support Node ${process.versions.node}`)
    return false
  }
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options } = bench
  const { house, peers } = await prepare(bench)
  const ours = measured()
  for (let round = 0; round < options.rounds; round++) {
    await backlogOfOurs(house, ours)
    for (const peer of peers) await backlogOfPeer(peer, house)
  }
  for (let round = 0; round < options.rounds; round++) {
    await latencyOfOurs(house, ours)
    for (const peer of peers) await latencyOfPeer(peer, house)
  }
  const row = (name: string, { perSecond, perCpuSecond, postgresUs, p50Ms, p99Ms }: Measured) => [
    name,
    ...[perSecond, perCpuSecond, postgresUs, p50Ms, p99Ms].map(spread),
  ]
  printRows([
    [
      ...["", "deliveries/s", "deliveries per CPU second", "PostgreSQL us per delivery"],
      ...["to receiver p50 ms", "p99 ms"],
    ],
    row("Gathercue", ours),
    ...peers.map((peer) => row(peer.name, peer.measured)),
  ])
  console.log(
    `\n${options.rounds} rounds: a backlog of ${options.deliveries}; then ${options.pace} occurrences/s for ${options.endpoints} endpoints each; median (min..max)`,
  )
  const ratios: string[] = []
  const goals: Goal[] = []
  for (const { name, measured: peer } of peers) {
    const rate = ratio("deliveries per second", ours.perSecond, peer.perSecond)
    const cpu = ratio("per CPU second", ours.perCpuSecond, peer.perCpuSecond)
    const postgres = ratio("PostgreSQL's CPU", ours.postgresUs, peer.postgresUs)
    const p99 = spreadOf(peer.p99Ms).median / spreadOf(ours.p99Ms).median
    ratios.push(`${name} ${rate.text}, ${cpu.text}, ${postgres.text}, p99 ${p99.toFixed(2)}x shorter`)
    goals.push(
      atLeast(`deliveries per second to ${name}`, rate.value, 3, "x"),
      atMost(`PostgreSQL's CPU to ${name}`, postgres.value, 1, "x"),
    )
  }
  return { peer: "the peers", ratios, goals }
}

export const webhooks = defineBenchmark({
  summary: "Webhook deliveries per second and time from cause to receiver, against graphile-worker and pg-boss.",
  options: OPTIONS,
  limitSeconds: 480,
  run,
})
