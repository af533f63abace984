/** Commands whose event is owned by the node of their sender, or by another one. */
import type { CommandsMeasured } from "../../capacity/measured.ts"
import { storeLiveEvents } from "../actors/seed.ts"
import type { Defer } from "../benchmark.ts"
import type { Child } from "../support/child.ts"
import { openCommanders } from "../support/commanders.ts"
import type { Acknowledged } from "../support/commanders-process.ts"
import { printRows, sleep, spread } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { measured, NODES, ownersOf, portOf, type Site } from "./site.ts"
import { byRole, median, medians, type Used } from "./usage-by-role.ts"

interface CommandsOptions {
  readonly rounds: number
  readonly seconds: number
  readonly events: number
  readonly rates: ReadonlyArray<number>
}

const SETTLE_MS = 3000
const OWNER = 0
/** Of the seeded events a third falls to each node; a few more, so that there are enough. */
const SEEDED_PER_WANTED = NODES * 2

/** Live events of the site's workspace that have just been seeded. */
export const seedEvents = ({ databaseUrl, workspace }: Site, count: number): Promise<ReadonlyArray<string>> =>
  storeLiveEvents(databaseUrl, workspace.id, count)

export const placesOf = ({ workspace }: Site, eventIds: ReadonlyArray<string>): ReadonlyArray<GatewayPlace> =>
  eventIds.map((eventId) => ({ eventId, workspaceId: workspace.id }))

/** Events that the first server owns: an event has an owner once it was asked for. */
const eventsOfOwner = async (site: Site, count: number, defer: Defer): Promise<ReadonlyArray<GatewayPlace>> => {
  const seeded = await seedEvents(site, site.servers.length === 1 ? count : count * SEEDED_PER_WANTED)
  const first = portOf(site, OWNER)
  const probe = await openCommanders({ places: placesOf(site, seeded), hostPort: null, viewerPort: first }, defer)
  const owners = await ownersOf(site, seeded)
  await probe.stop()
  const owned = seeded.filter((id) => owners.get(id) === OWNER).slice(0, count)
  if (owned.length < count) throw new Error(`the first node owns only ${owned.length} of ${seeded.length} events`)
  return placesOf(site, owned)
}

type Round = Used & Acknowledged

interface Row {
  readonly name: string
  readonly hosts: CommandsMeasured["hosts"]
  readonly commanders: Child
  readonly site: Site
  readonly rounds: Round[]
}

const round = async ({ site, commanders }: Row, perSecond: number, seconds: number): Promise<Round> => {
  let acknowledged: Acknowledged | undefined
  const used = await measured(site, async () => {
    acknowledged = await commanders.call<Acknowledged>("command", { perSecond, seconds })
  })
  if (acknowledged === undefined) throw new Error("no command was acknowledged")
  return { ...used, ...acknowledged }
}

const cells = ({ name, rounds }: Row): ReadonlyArray<string> => {
  const perCommand = (value: (used: Round) => number) =>
    spread(rounds.map((used) => (value(used) / used.commands) * 1e6))
  return [
    name,
    spread(rounds.map(({ p50Ms }) => p50Ms)),
    spread(rounds.map(({ p99Ms }) => p99Ms)),
    ...[0, 1, 2].map((at) => perCommand(({ servers }) => servers[at] ?? 0)),
    perCommand(({ nats }) => nats),
    perCommand(({ postgres: used }) => used),
    spread(rounds.map(({ traffic, commands }) => traffic.bytesIn / commands)),
    spread(rounds.map(({ traffic, commands }) => traffic.messagesOut / commands)),
  ]
}

export interface CommandsResult {
  readonly measured: ReadonlyArray<CommandsMeasured>
  /** The median time to the acknowledgement, remote to local, at each rate. */
  readonly remoteToLocal: ReadonlyArray<number>
}

export const measureCommands = async (
  sides: { readonly nodes: Site; readonly single: Site },
  { rounds, seconds, events, rates }: CommandsOptions,
  defer: Defer,
): Promise<CommandsResult> => {
  const alone = await eventsOfOwner(sides.single, events, defer)
  const owned = await eventsOfOwner(sides.nodes, events, defer)
  const port = (at: number): number => portOf(sides.nodes, at)
  const only = portOf(sides.single, 0)
  const commanders = {
    single: await openCommanders({ places: alone, hostPort: only, viewerPort: only }, defer),
    local: await openCommanders({ places: owned, hostPort: port(OWNER), viewerPort: port(2) }, defer),
    remote: await openCommanders({ places: owned, hostPort: port(1), viewerPort: port(2) }, defer),
  }
  await sleep(SETTLE_MS)
  const results: CommandsMeasured[] = []
  const remoteToLocal: number[] = []
  for (const perSecond of rates) {
    const rows: ReadonlyArray<Row> = [
      { name: sides.single.name, hosts: "local", commanders: commanders.single, site: sides.single, rounds: [] },
      { name: "owner is local", hosts: "local", commanders: commanders.local, site: sides.nodes, rounds: [] },
      { name: "owner is remote", hosts: "remote", commanders: commanders.remote, site: sides.nodes, rounds: [] },
    ]
    for (let n = 0; n < rounds; n++) {
      for (const row of rows) row.rounds.push(await round(row, perSecond, seconds))
    }
    printRows([
      [
        `${perSecond} commands/s, ${events} events`,
        "p50 ms",
        "p99 ms",
        "owner us",
        "second node us",
        "third node us",
        "NATS us",
        "PostgreSQL us",
        "bytes to NATS",
        "copies",
      ],
      ...rows.map(cells),
    ])
    console.log("")
    const p50s = rows.map((row) => median(row.rounds.map(({ p50Ms }) => p50Ms)))
    remoteToLocal.push((p50s[2] ?? 0) / (p50s[1] ?? 1))
    for (const row of rows.slice(1)) {
      results.push({
        hosts: row.hosts,
        events,
        perSecond,
        commands: median(row.rounds.map(({ commands }) => commands)),
        seconds: median(row.rounds.map((used) => used.seconds)),
        p50Ms: median(row.rounds.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(row.rounds.map(({ p99Ms }) => p99Ms)),
        cpu: medians(row.rounds.map((used) => byRole(used, { owner: OWNER }))),
        traffic: medians(row.rounds.map(({ traffic }) => traffic)),
      })
    }
  }
  for (const child of Object.values(commanders)) await child.stop()
  return { measured: results, remoteToLocal }
}
