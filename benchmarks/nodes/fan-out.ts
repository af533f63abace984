/** Announcements at a steady pace to one event: three nodes, one process, and Socket.IO over three processes in turns. */
import type { FanOutMeasured } from "../../capacity/measured.ts"
import type { Defer } from "../benchmark.ts"
import { TEXT } from "../fanout/message.ts"
import type { Joined, Received } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import type { Child } from "../support/child.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import { JOINS_PER_SECOND, openAudience } from "../support/live-server.ts"
import { besideOwner, measured, type OwnedEvent, portOf, type Site } from "./site.ts"
import { measuredPeer, type Peer } from "./socket-io.ts"
import { byRole, HOST_BESIDE_OWNER, median, medians, ofSingle, sumOfServers, type Used } from "./usage-by-role.ts"

interface FanOutOptions {
  readonly rounds: number
  readonly seconds: number
  readonly rest: number
  readonly perSecond: number
}

/** One side with its audience. */
interface Side {
  readonly audience: Child
  readonly rest: Used
  readonly rounds: Array<Used & { readonly received: Received }>
}

interface OurSide extends Side {
  readonly site: Site
  readonly event: OwnedEvent
}

/** Counts of presence follow newcomers for a second. */
const SETTLE_MS = 3000

const openOurs = async (
  site: Site,
  event: OwnedEvent,
  sockets: number,
  rest: number,
  defer: Defer,
): Promise<OurSide> => {
  const ports = site.servers.map(({ port }) => port)
  const place = { ...event.place, users: { ...site.users, ids: site.users.ids.slice(0, sockets) } }
  const audience = await openAudience({ port: 0, ports, sockets, speaks: "gateway", place }, defer)
  await audience.call<Joined>("join", JOINS_PER_SECOND)
  // The host connects with the first announcement.
  await announce(site, event, audience, 1, 1)
  await sleep(SETTLE_MS)
  return { site, event, audience, rest: await measured(site, () => sleep(rest * 1000)), rounds: [] }
}

const announce = async (site: Site, event: OwnedEvent, audience: Child, perSecond: number, seconds: number) => {
  const port = portOf(site, besideOwner(site, event, HOST_BESIDE_OWNER))
  const options: AnnounceOptions = { port, place: event.place, text: TEXT, perSecond, seconds }
  await audience.call("announce", options)
  await audience.call("announced")
}

const round = async ({ site, event, audience, rounds }: OurSide, { perSecond, seconds }: FanOutOptions) => {
  let received: Received | undefined
  const used = await measured(site, async () => {
    await audience.call("listen")
    await announce(site, event, audience, perSecond, seconds)
    received = await audience.call<Received>("received")
  })
  if (received !== undefined) rounds.push({ ...used, received })
}

/** CPU in microseconds of all servers for each delivery, at rest included. */
const perDelivery = ({ rounds }: Side): ReadonlyArray<number> =>
  rounds.map((used) => (sumOfServers(used) / used.received.deliveries) * 1e6)
/** The same without what the servers use at rest. */
const addedPerDelivery = ({ rounds, rest }: Side): ReadonlyArray<number> =>
  rounds.map((used) => {
    const atRest = (sumOfServers(rest) / rest.seconds) * used.seconds
    return ((sumOfServers(used) - atRest) / used.received.deliveries) * 1e6
  })

const rowOf = (name: string, sockets: number, side: Side) => {
  const each = (value: (used: Side["rounds"][number]) => number): string => spread(side.rounds.map(value))
  const perThousand = (of: "nats" | "postgres") => each((used) => (used[of] / used.received.deliveries) * 1e6)
  return [
    name,
    number(sockets),
    each(({ received }) => received.deliveries / received.frames),
    spread(perDelivery(side)),
    spread(addedPerDelivery(side)),
    perThousand("nats"),
    perThousand("postgres"),
    each(({ received }) => received.p99Ms),
    ((sumOfServers(side.rest) / side.rest.seconds) * 100).toFixed(1),
  ]
}

export interface FanOutResult {
  readonly measured: FanOutMeasured
  /** CPU per delivery of the nodes to the single process, and of the peer's processes to the nodes. */
  readonly toSingle: number
  readonly addedToSingle: number
  readonly peerToNodes: number
}

const toMeasured = (sockets: number, announcements: number, nodes: OurSide, single: OurSide): FanOutMeasured => ({
  sockets,
  announcements,
  nodes: {
    seconds: median(nodes.rounds.map(({ seconds }) => seconds)),
    cpu: medians(nodes.rounds.map((used) => byRole(used, nodes.event))),
    frames: median(nodes.rounds.map(({ received }) => received.frames)),
    deliveries: median(nodes.rounds.map(({ received }) => received.deliveries)),
    traffic: medians(nodes.rounds.map(({ traffic }) => traffic)),
    rest: { seconds: nodes.rest.seconds, cpu: byRole(nodes.rest, nodes.event) },
  },
  single: {
    seconds: median(single.rounds.map(({ seconds }) => seconds)),
    cpu: medians(single.rounds.map(ofSingle)),
    frames: median(single.rounds.map(({ received }) => received.frames)),
    deliveries: median(single.rounds.map(({ received }) => received.deliveries)),
    rest: { seconds: single.rest.seconds, cpu: ofSingle(single.rest) },
  },
})

export const measureFanOut = async (
  sides: { readonly nodes: Site; readonly single: Site; readonly peer: Peer },
  events: { readonly nodes: OwnedEvent; readonly single: OwnedEvent },
  sockets: number,
  options: FanOutOptions,
  defer: Defer,
): Promise<FanOutResult> => {
  const single = await openOurs(sides.single, events.single, sockets, options.rest, defer)
  const nodes = await openOurs(sides.nodes, events.nodes, sockets, options.rest, defer)
  const ports = sides.peer.processes.map(({ port }) => port)
  const place = { eventId: "", workspaceId: "" }
  const crowd = await openAudience({ port: 0, ports, sockets, speaks: "socket.io", place }, defer)
  await crowd.call<Joined>("join", JOINS_PER_SECOND)
  await sleep(SETTLE_MS)
  const peer: Side = {
    audience: crowd,
    rest: await measuredPeer(sides.peer, () => sleep(options.rest * 1000)),
    rounds: [],
  }
  for (let n = 0; n < options.rounds; n++) {
    await round(single, options)
    await round(nodes, options)
    let received: Received | undefined
    const used = await measuredPeer(sides.peer, async () => {
      await crowd.call("listen")
      await sides.peer.publish(options)
      received = await crowd.call<Received>("received")
    })
    if (received !== undefined) peer.rounds.push({ ...used, received })
  }
  printRows([
    [
      `${options.perSecond} announcements/s`,
      "sockets",
      "dispatches a frame",
      "CPU us per delivery",
      "without rest",
      "broker us",
      "PostgreSQL us",
      "p99 ms",
      "CPU % at rest",
    ],
    rowOf(sides.single.name, sockets, single),
    rowOf(sides.nodes.name, sockets, nodes),
    rowOf(sides.peer.name, sockets, peer),
  ])
  for (const { audience } of [single, nodes, peer]) {
    await audience.call("leave")
    await audience.stop()
  }
  const cost = (side: Side): number => median(perDelivery(side))
  return {
    measured: toMeasured(sockets, options.perSecond * options.seconds, nodes, single),
    toSingle: cost(nodes) / cost(single),
    addedToSingle: median(addedPerDelivery(nodes)) / median(addedPerDelivery(single)),
    peerToNodes: cost(peer) / cost(nodes),
  }
}
