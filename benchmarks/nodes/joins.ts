/** Newcomers to one event: what they cost the node that owns it, the nodes that do not, and a process that runs alone. */
import type { JoinsMeasured } from "../../capacity/measured.ts"
import type { Defer } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import { JOINS_PER_SECOND, openAudience } from "../support/live-server.ts"
import { endEvent, measured, openEvent, type Site } from "./site.ts"
import { byRole, median, medians, ofSingle, type Used } from "./usage-by-role.ts"

interface JoinsOptions {
  readonly joins: number
  readonly perSecond: number
}

interface Storm {
  readonly used: Used
  readonly owner: number
}

/** Above 250 people nobody is sent a list of them any more. */
export const ALREADY_HERE = 300

/** Presence and its counts follow newcomers for about a second. */
const SETTLE_MS = 1500

const storm = async (site: Site, { joins, perSecond }: JoinsOptions, defer: Defer): Promise<Storm> => {
  const event = await openEvent(site, joins + ALREADY_HERE)
  const ports = site.servers.map(({ port }) => port)
  const open = (from: number, to: number) => {
    const users = { ...site.users, ids: site.users.ids.slice(from, to) }
    const place = { ...event.place, users }
    return openAudience({ port: 0, ports, sockets: to - from, speaks: "gateway", place }, defer)
  }
  const here = await open(joins, joins + ALREADY_HERE)
  await here.call<Joined>("join", JOINS_PER_SECOND)
  const audience = await open(0, joins)
  await sleep(SETTLE_MS)
  const used = await measured(site, async () => {
    await audience.call<Joined>("join", perSecond)
    await sleep(SETTLE_MS)
  })
  for (const people of [here, audience]) {
    await people.call("leave")
    await people.stop()
  }
  await endEvent(site, event)
  await sleep(SETTLE_MS)
  return { used, owner: event.owner }
}

export interface JoinsResult {
  readonly measured: JoinsMeasured
  /** CPU per join: of the owner to the single process, and of owning alone to it. */
  readonly ownerToSingle: number
  readonly owningToSingle: number
}

/** Both sides of one storm, round by round. */
interface JoinsRounds {
  readonly options: JoinsOptions
  readonly single: Storm[]
  readonly nodes: Storm[]
}

/** Sizes take turns too, so that what changes in the course of the run changes for all of them. */
export const stormInTurns = async (
  sides: { readonly nodes: Site; readonly single: Site },
  all: ReadonlyArray<JoinsOptions>,
  rounds: number,
  defer: Defer,
): Promise<ReadonlyArray<JoinsRounds>> => {
  const taken = all.map((options): JoinsRounds => ({ options, single: [], nodes: [] }))
  for (let n = 0; n < rounds; n++) {
    for (const { options, single, nodes } of taken) {
      single.push(await storm(sides.single, options, defer))
      nodes.push(await storm(sides.nodes, options, defer))
    }
  }
  return taken
}

export const joinsResult = (
  { options, single, nodes }: JoinsRounds,
  sides: { readonly nodes: Site; readonly single: Site },
): JoinsResult => {
  const cpu = nodes.map(({ used, owner }) => byRole(used, { owner }))
  const alone = single.map(({ used }) => ofSingle(used))
  const each = (seconds: ReadonlyArray<number>): ReadonlyArray<number> =>
    seconds.map((value) => (value / options.joins) * 1e6)
  const notOwner = cpu.map(({ host, other }) => (host + other) / 2)
  const owning = cpu.map(({ owner }, at) => owner - (notOwner[at] ?? 0))
  const owner = each(cpu.map((of) => of.owner))
  const server = each(alone.map((of) => of.server))
  printRows([
    [
      `${number(options.joins)} joins, ${number(options.perSecond)}/s`,
      "CPU us per join",
      "owning alone",
      "a node that does not own",
      "all servers",
      "broker us",
      "PostgreSQL us",
      "s",
    ],
    [
      sides.single.name,
      spread(server),
      "",
      "",
      spread(server),
      "",
      spread(each(alone.map(({ postgres }) => postgres))),
      spread(single.map(({ used }) => used.seconds)),
    ],
    [
      `owner of ${sides.nodes.name}`,
      spread(owner),
      spread(each(owning)),
      spread(each(notOwner)),
      spread(each(cpu.map((of) => of.owner + of.host + of.other))),
      spread(each(cpu.map(({ nats }) => nats))),
      spread(each(cpu.map(({ postgres }) => postgres))),
      spread(nodes.map(({ used }) => used.seconds)),
    ],
  ])
  return {
    measured: {
      before: ALREADY_HERE,
      joins: options.joins,
      perSecond: options.perSecond,
      nodes: {
        seconds: median(nodes.map(({ used }) => used.seconds)),
        cpu: medians(cpu),
        traffic: medians(nodes.map(({ used }) => used.traffic)),
      },
      single: { seconds: median(single.map(({ used }) => used.seconds)), cpu: medians(alone) },
    },
    ownerToSingle: median(owner) / median(server),
    owningToSingle: median(each(owning)) / median(server),
  }
}
