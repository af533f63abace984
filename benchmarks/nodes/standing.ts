/** The standing use while nothing happens: memory and CPU of nodes, sockets, participants, and events. */
import type { StandingMeasured } from "../../capacity/measured.ts"
import type { Defer } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import { openCommanders } from "../support/commanders.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { openAudience } from "../support/live-server.ts"
import { type Memory, memoryOf } from "../support/memory.ts"
import { placesOf, seedEvents } from "./commands.ts"
import { endEvent, measured, NODES, openEvent, portOf, type Site, type Usage } from "./site.ts"
import { sumOfServers, type Used } from "./usage-by-role.ts"

interface StandingOptions {
  readonly rest: number
  readonly people: number
  readonly events: number
  readonly perSecond: number
}

const SETTLE_MS = 4000
/** An event without connections is released after five seconds; participants are kept for 30 s. */
const RELEASED_MS = 40_000
const FOLLOWER = 2

const memories = ({ servers }: Site): Promise<ReadonlyArray<Memory>> => Promise.all(servers.map(memoryOf))

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const atRest = (site: Site, seconds: number): Promise<Used> => measured(site, () => sleep(seconds * 1000))

/** Seconds per second. */
const perSecond = (used: Used, of: (used: Usage) => number): number => of(used) / used.seconds

type OfNodes = Pick<StandingMeasured, "processBytes" | "processCpu" | "postgresPerNode">

/** Nodes that have served some requests and have nothing to do. */
const measureNodesAtRest = async (site: Site, { rest }: StandingOptions): Promise<OfNodes> => {
  const memory = await memories(site)
  const used = await atRest(site, rest)
  return {
    processBytes: mean(memory.map(({ rss }) => rss)),
    processCpu: perSecond(used, sumOfServers) / NODES,
    postgresPerNode: perSecond(used, ({ postgres }) => postgres) / NODES,
  }
}

/** The share of the people that comes first, so that what a process needs once is not counted. */
const FIRST = 1 / 3

/** One event with people on all nodes. */
const measurePeople = async (
  site: Site,
  { people, perSecond: pace }: StandingOptions,
  defer: Defer,
): Promise<Pick<StandingMeasured, "socketBytes" | "participantBytes">> => {
  const event = await openEvent(site, people)
  const { ids, keyId } = site.users
  const ports = site.servers.map(({ port }) => port)
  const enter = async (from: number, to: number) => {
    const place = { ...event.place, users: { ids: ids.slice(from, to), keyId } }
    const options = { port: 0, ports, sockets: to - from, speaks: "gateway", place } as const
    const audience = await openAudience(options, defer)
    await audience.call<Joined>("join", pace)
    await sleep(SETTLE_MS)
    return audience
  }
  const first = Math.round((people * FIRST) / NODES) * NODES
  const early = await enter(0, first)
  const before = await memories(site)
  const late = await enter(first, people)
  const after = await memories(site)
  for (const audience of [early, late]) {
    await audience.call("leave")
    await audience.stop()
  }
  await endEvent(site, event)
  await sleep(SETTLE_MS)
  const added = (of: keyof Memory): ReadonlyArray<number> =>
    after.map((memory, at) => memory[of] - (before[at]?.[of] ?? 0))
  const heap = added("heapUsed")
  const others = heap.filter((_, at) => at !== event.owner)
  return {
    socketBytes: mean(added("rss")) / ((people - first) / NODES),
    participantBytes: ((heap[event.owner] ?? 0) - mean(others)) / (people - first),
  }
}

export const measureResident = async (site: Site, options: StandingOptions, defer: Defer) => ({
  ...(await measureNodesAtRest(site, options)),
  ...(await measurePeople(site, options, defer)),
})

/** Many events: first with owners alone, then followed by one node. */
export const measureEvents = async (
  site: Site,
  { events, rest }: StandingOptions,
  defer: Defer,
): Promise<Omit<StandingMeasured, keyof OfNodes | "socketBytes" | "participantBytes">> => {
  const idle = await atRest(site, rest)
  const before = await memories(site)
  const places = placesOf(site, await seedEvents(site, events))
  const port = portOf(site, FOLLOWER)
  // An event has an owner once it was asked for.
  const first = await openCommanders({ places, hostPort: null, viewerPort: port }, defer)
  await first.stop()
  await sleep(RELEASED_MS)
  const owned = await memories(site)
  const ownedRest = await atRest(site, rest)
  const viewers = await openCommanders({ places, hostPort: null, viewerPort: port }, defer)
  await sleep(SETTLE_MS)
  const followed = await memories(site)
  const followedRest = await atRest(site, rest)
  await viewers.stop()
  const added = (from: ReadonlyArray<Memory>, to: ReadonlyArray<Memory>): ReadonlyArray<number> =>
    to.map(({ heapUsed }, at) => heapUsed - (from[at]?.heapUsed ?? 0))
  const more = (from: Used, to: Used, of: (used: Usage) => number): number => perSecond(to, of) - perSecond(from, of)
  return {
    ownedEventBytes: added(before, owned).reduce((sum, bytes) => sum + bytes, 0) / events,
    followedEventBytes: (added(owned, followed)[FOLLOWER] ?? 0) / events,
    ownedEventCpu: more(idle, ownedRest, sumOfServers) / events,
    followedEventCpu: more(ownedRest, followedRest, ({ servers }) => servers[FOLLOWER] ?? 0) / events,
    postgresPerFollowedEvent: more(ownedRest, followedRest, ({ postgres }) => postgres) / events,
  }
}

export const printStanding = (standing: StandingMeasured): void =>
  printRows([
    ["at rest", "bytes or us of CPU a second"],
    ...Object.entries(standing).map(([name, value]) => [name, number(name.endsWith("Bytes") ? value : value * 1e6)]),
  ])
