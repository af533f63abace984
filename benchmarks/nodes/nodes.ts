/**
 * One event, and many events, on three nodes: what is paid for the second and third node beside one process of the same build, and
 * beside Socket.IO over three processes. `--save 1` keeps the figures for the capacity model.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"
import type { Measured } from "../../capacity/measured.ts"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import { number } from "../support/figures.ts"
import { atMost, type Goal, type Report } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import { measureBusy } from "./busy.ts"
import { type CommandsResult, measureCommands } from "./commands.ts"
import { type FanOutResult, measureFanOut } from "./fan-out.ts"
import { ALREADY_HERE, type JoinsResult, joinsResult, stormInTurns } from "./joins.ts"
import { measureLoss } from "./loss.ts"
import { NODES, openEvent, openNodes, openSingle, type Site } from "./site.ts"
import { openPeer, type Peer } from "./socket-io.ts"
import { measureEvents, measureResident, printStanding } from "./standing.ts"

const OPTIONS = {
  sockets: { fallback: 5400, quick: 600, doc: "Sockets of the largest audience; the others have 5/9 and 2/9 of it." },
  joins: { fallback: 6000, quick: 600, doc: "People of the largest storm; the others have 5/9 and 2/9 of it." },
  sizes: { fallback: 3, quick: 1, doc: "Of audiences and storms; 1 measures the largest alone, and no slow storm." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 12, quick: 3, doc: "Length of a round." },
  rest: {
    fallback: 14,
    quick: 3,
    doc: "Seconds over which the CPU at rest is taken; two checks of all grants fit in.",
  },
  perSecond: { fallback: 5, doc: "Announcements per second to one event." },
  joinsPerSecond: { fallback: 1000, doc: "Newcomers per second." },
  commands: { fallback: 60, doc: "Commands per second at the highest rate; the others have a half and a quarter." },
  events: { fallback: 24, doc: "Events that commands go to." },
  standing: { fallback: 1500, quick: 100, doc: "Live events whose memory is taken." },
  losses: { fallback: 3, quick: 1, doc: "Times that a process is killed on each side." },
  slowJoins: { fallback: 60, doc: "Newcomers per second of a storm of a fifteenth of the largest one." },
  only: {
    fallback: 0,
    quick: 2,
    doc: "1 measures fan-out alone, 2 joins, 3 commands, 4 what stands, 5 the loss of a process, 6 brokers with much to do.",
  },
  save: { fallback: 0, doc: "1 keeps the figures in capacity/measured.json." },
  ...PROFILE_OPTION,
}

type Values = Bench<typeof OPTIONS>["options"]

const SAVED = fileURLToPath(new URL("../../../capacity/measured.json", import.meta.url))
const SLOW_SHARE = 1 / 15
const SHARES = [2 / 9, 5 / 9, 1]

const sizesOf = (largest: number, sizes: number): ReadonlyArray<number> =>
  SHARES.slice(-sizes).map((share) => Math.round((largest * share) / NODES) * NODES)

/** Parts that were not measured this time stay as they were. */
const save = (measured: Partial<Measured>): void => {
  const [cpu] = cpus()
  const before = existsSync(SAVED) ? (JSON.parse(readFileSync(SAVED, "utf8")) as Measured) : {}
  const all = {
    ...before,
    at: new Date().toISOString(),
    machine: `${cpus().length} x ${cpu?.model ?? "?"}, Node ${process.version}`,
    nodes: NODES,
    ...measured,
  }
  writeFileSync(SAVED, `${JSON.stringify(all, null, 2)}\n`)
  console.log(`\nkept in ${SAVED}`)
}

const goalsOf = (fanOut: ReadonlyArray<FanOutResult>, joins: ReadonlyArray<JoinsResult>): ReadonlyArray<Goal> => [
  ...fanOut.map(({ toSingle, measured: { sockets } }) =>
    atMost(`CPU per delivery, ${number(sockets)} sockets`, toSingle, 1.15, "x"),
  ),
  ...joins.map(({ owningToSingle, measured }) =>
    atMost(`owner's share per join, ${number(measured.joins)} joins`, owningToSingle, 0.3, "x"),
  ),
]

const textsOf = (
  fanOut: ReadonlyArray<FanOutResult>,
  joins: ReadonlyArray<JoinsResult>,
  remoteToLocal: ReadonlyArray<number>,
): ReadonlyArray<string> => {
  const all = (values: ReadonlyArray<number>): string => values.map((value) => `${value.toFixed(2)}x`).join(", ")
  return [
    `CPU per delivery ${all(fanOut.map(({ toSingle }) => toSingle))}`,
    `the same without rest ${all(fanOut.map(({ addedToSingle }) => addedToSingle))}`,
    `CPU per join of the owner ${all(joins.map(({ ownerToSingle }) => ownerToSingle))}`,
    `of owning alone ${all(joins.map(({ owningToSingle }) => owningToSingle))}`,
    `p50 of a command, remote to local owner ${all(remoteToLocal)}`,
    `CPU per delivery of Socket.IO over three processes to ours ${all(fanOut.map(({ peerToNodes }) => peerToNodes))}`,
  ]
}

const standingOf = ({ rest, joins, standing, joinsPerSecond }: Values) => ({
  rest,
  people: joins,
  events: standing,
  perSecond: joinsPerSecond,
})

interface Sides {
  readonly single: Site
  readonly nodes: Site
  readonly peer: Peer
}

const fanOutOf = async (sides: Sides, options: Values, defer: Defer): Promise<ReadonlyArray<FanOutResult>> => {
  const events = { single: await openEvent(sides.single, 0), nodes: await openEvent(sides.nodes, 0) }
  const results: FanOutResult[] = []
  for (const sockets of sizesOf(options.sockets, options.sizes)) {
    results.push(await measureFanOut(sides, events, sockets, options, defer))
    console.log("")
  }
  return results
}

const joinsOf = async (sides: Sides, options: Values, defer: Defer): Promise<ReadonlyArray<JoinsResult>> => {
  const { rounds, joinsPerSecond: perSecond } = options
  const slow = { joins: Math.round(options.joins * SLOW_SHARE), perSecond: options.slowJoins }
  const fast = sizesOf(options.joins, options.sizes).map((joins) => ({ joins, perSecond }))
  const storms = options.sizes === 1 ? fast : [slow, ...fast]
  // The first storms of a process are slow: their code is not compiled yet.
  await stormInTurns(sides, [{ joins: options.joins, perSecond }], 1, defer)
  return (await stormInTurns(sides, storms, rounds, defer)).map((taken) => {
    const result = joinsResult(taken, sides)
    console.log("")
    return result
  })
}

const commandsOf = (sides: Sides, options: Values, defer: Defer): Promise<CommandsResult> => {
  const rates = [options.commands / 4, options.commands / 2, options.commands]
  return measureCommands(sides, { ...options, rates }, defer)
}

const standsOf = async (
  { nodes: site }: Sides,
  resident: Awaited<ReturnType<typeof measureResident>>,
  options: Values,
  defer: Defer,
): Promise<Pick<Measured, "standing">> => {
  const standing = { ...resident, ...(await measureEvents(site, standingOf(options), defer)) }
  printStanding(standing)
  return { standing }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const isWanted = (part: number): boolean => options.only === 0 || options.only === part
  const people = Math.max(options.sockets, options.joins + ALREADY_HERE)
  const sides: Sides = {
    single: await openSingle(people, options.profile, defer),
    nodes: await openNodes(people, options.profile, defer),
    peer: await openPeer(defer),
  }
  // Resident memory tells of sockets only in processes that have done little else yet.
  const resident = isWanted(4) ? await measureResident(sides.nodes, standingOf(options), defer) : undefined
  const fanOut = isWanted(1) ? await fanOutOf(sides, options, defer) : []
  const joins = isWanted(2) ? await joinsOf(sides, options, defer) : []
  const commands = isWanted(3) ? await commandsOf(sides, options, defer) : undefined
  const stands = resident && (await standsOf(sides, resident, options, defer))
  const busy = isWanted(6) && (await measureBusy(sides.nodes, defer))
  if (isWanted(5)) await measureLoss({ rounds: options.losses, sockets: 300, perSecond: 20 }, defer)
  console.log(`${options.rounds} rounds of ${options.seconds} s; median (min..max)`)
  if (options.save > 0) {
    save({
      ...(fanOut.length > 0 && { fanOut: fanOut.map(({ measured }) => measured) }),
      ...(joins.length > 0 && { joins: joins.map(({ measured }) => measured) }),
      ...(commands && { commands: commands.measured }),
      ...stands,
      ...(busy && { busy }),
    })
  }
  return {
    peer: "one process",
    ratios: textsOf(fanOut, joins, commands?.remoteToLocal ?? []),
    goals: goalsOf(fanOut, joins),
  }
}

export const nodes = defineBenchmark({
  summary:
    "Three nodes: CPU of fan-out, joins and commands against one process and Socket.IO over three, and a killed one.",
  options: OPTIONS,
  needs: ["nats-server", "redis-server"],
  limitSeconds: 3600,
  run,
})
