/**
 * The contestants: one process, and three nodes of the same build with a NATS. Each has a PostgreSQL of its own, so that its CPU
 * time is known too. All run with the settings of production.
 */
import postgres from "postgres"
import type { Defer } from "../benchmark.ts"
import { type Nats, type NatsTraffic, startNats } from "../support/brokers.ts"
import { startDatabases } from "../support/database.ts"
import { sleep } from "../support/figures.ts"
import { freePort } from "../support/free-port.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { SHOW, storeUsers } from "../support/live-server.ts"
import { startProbedServer } from "../support/memory.ts"
import { postgresSeconds, threadSeconds } from "../support/process-usage.ts"
import { type BenchWorkspace, call, createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import type { ServerProcess } from "../support/server-process.ts"

export const NODES = 3
const CLUSTER_SECRET = "cluster-secret-of-the-benchmarks-0123456789abcdef"
/** The engine moves shards two seconds after the last node joined. */
const SHARDS_SETTLE_MS = 5000

const PRODUCTION = { NODE_ENV: "production", PUBLIC_URL: "https://events.example.com" }

export interface Site {
  readonly name: string
  readonly servers: ReadonlyArray<ServerProcess>
  readonly nats: Nats | undefined
  readonly postmaster: number
  readonly databaseUrl: string
  readonly workspace: BenchWorkspace
  readonly users: NonNullable<GatewayPlace["users"]>
}

/** CPU seconds since some start, and NATS' counters. */
export interface Usage {
  /** In the order of the servers. */
  readonly servers: ReadonlyArray<number>
  readonly nats: number
  readonly postgres: number
  readonly traffic: NatsTraffic
}

const SILENCE: NatsTraffic = { messagesIn: 0, messagesOut: 0, bytesIn: 0, bytesOut: 0 }

const usageOf = async ({ servers, nats, postmaster }: Site): Promise<Usage> => ({
  servers: servers.map(({ pid }) => threadSeconds(pid)),
  nats: nats === undefined ? 0 : threadSeconds(nats.pid),
  postgres: postgresSeconds(postmaster),
  traffic: (await nats?.traffic()) ?? SILENCE,
})

const usedBetween = (before: Usage, after: Usage): Usage => ({
  servers: after.servers.map((seconds, at) => seconds - (before.servers[at] ?? 0)),
  nats: after.nats - before.nats,
  postgres: after.postgres - before.postgres,
  traffic: {
    messagesIn: after.traffic.messagesIn - before.traffic.messagesIn,
    messagesOut: after.traffic.messagesOut - before.traffic.messagesOut,
    bytesIn: after.traffic.bytesIn - before.traffic.bytesIn,
    bytesOut: after.traffic.bytesOut - before.traffic.bytesOut,
  },
})

/** The use of the site while the work went on, and how long that took in seconds. */
export const measured = async (site: Site, work: () => Promise<unknown>): Promise<Usage & { seconds: number }> => {
  const before = await usageOf(site)
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  return { ...usedBetween(before, await usageOf(site)), seconds }
}

const openSite = async (
  name: string,
  start: (databaseUrl: string) => Promise<{ servers: ReadonlyArray<ServerProcess>; nats: Nats | undefined }>,
  users: number,
  defer: Defer,
): Promise<Site> => {
  const databases = await startDatabases(defer)
  const databaseUrl = await databases.create("migrated")
  const { servers, nats } = await start(databaseUrl)
  const [first] = servers
  if (first === undefined) throw new Error("a site has a server")
  const workspace = await createWorkspace(first.url)
  const stored = await storeUsers(databaseUrl, workspace.id, users)
  return { name, servers, nats, postmaster: databases.pid, databaseUrl, workspace, users: stored }
}

export const openSingle = (users: number, profile: number, defer: Defer): Promise<Site> =>
  openSite(
    "one process",
    async (databaseUrl) => {
      const environment = { ...PRODUCTION, DATABASE_URL: databaseUrl }
      return { servers: [await startProbedServer({ environment, profile }, defer)], nats: undefined }
    },
    users,
    defer,
  )

export const openNodes = (users: number, profile: number, defer: Defer): Promise<Site> =>
  openSite(
    `${NODES} nodes`,
    async (databaseUrl) => {
      const nats = await startNats(defer)
      const servers: ServerProcess[] = []
      for (let n = 0; n < NODES; n++) {
        const environment = {
          ...PRODUCTION,
          DATABASE_URL: databaseUrl,
          NATS_URL: nats.url,
          CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
          CLUSTER_SECRET,
        }
        servers.push(await startProbedServer({ environment, profile }, defer))
      }
      await sleep(SHARDS_SETTLE_MS)
      return { servers, nats }
    },
    users,
    defer,
  )

/** A live event, and the number of the server that owns it. */
export interface OwnedEvent {
  readonly place: GatewayPlace
  readonly owner: number
}

/** A node's name is `host:pid:random`. */
const processOf = (node: string): number => Number(node.split(":").at(-2))

/** The numbers of the servers that own these events; of a process that runs alone always the first. */
export const ownersOf = async (
  { servers, databaseUrl }: Site,
  eventIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, number>> => {
  if (servers.length === 1) return new Map(eventIds.map((id) => [id, 0]))
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    const rows = await sql<{ id: string; node: string }[]>`
      select event_id as id, node from live_events where event_id = any(${[...eventIds]}::uuid[]) and node is not null`
    return new Map(rows.map(({ id, node }) => [id, servers.findIndex(({ pid }) => pid === processOf(node))]))
  } finally {
    await sql.end()
  }
}

/** An event with an audience of the first `people` users. */
export const openEvent = async (site: Site, people: number): Promise<OwnedEvent> => {
  const { workspace, users } = site
  const eventId = await createLiveEvent(site.servers[0]?.url ?? "", workspace.key, SHOW)
  const owner = (await ownersOf(site, [eventId])).get(eventId) ?? 0
  const place = { eventId, workspaceId: workspace.id, users: { ...users, ids: users.ids.slice(0, people) } }
  return { place, owner }
}

/** Nobody is present any more, so that no one is reported as gone half a minute later. */
export const endEvent = ({ servers, workspace }: Site, { place }: OwnedEvent): Promise<unknown> =>
  call(servers[0]?.url ?? "", "POST", `/v1/events/${place.eventId}/end`, { key: workspace.key })

/** The server after the event's owner: the owner itself where there is only one. */
export const besideOwner = ({ servers }: Site, { owner }: OwnedEvent, by = 1): number => (owner + by) % servers.length

export const portOf = ({ servers }: Site, at: number): number => servers[at]?.port ?? 0
