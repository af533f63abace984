/**
 * A flood of wrong passwords beside people who have done nothing wrong, on a server in production mode; and a request each from a
 * million made-up addresses. The limit beside each figure is the same server without the flood.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, printRows, spread, spreadOf } from "../support/figures.ts"
import { type Person, signUp } from "../support/people.ts"
import { cpuSeconds, residentBytes } from "../support/process-usage.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import { PRODUCTION, type ServerProcess, startServerProcess } from "../support/server-process.ts"
import type { Flood, Flooded } from "./attackers-process.ts"
import type { Served, SignIns } from "./honest-process.ts"

const OPTIONS = {
  perSecond: { fallback: 1000, doc: "Wrong passwords per second." },
  attackers: { fallback: 2000, doc: "Addresses they come from: so many that none reaches its limit." },
  sockets: { fallback: 200, doc: "People at an event." },
  people: { fallback: 50, quick: 20, doc: "People who sign in, one after the other, from where they did before." },
  newcomers: { fallback: 10, doc: "Of them, people who come from an address of theirs that is new in each round." },
  seconds: { fallback: 20, quick: 3, doc: "Length of a round." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds, without the flood and with it in turns." },
  addresses: { fallback: 1_000_000, quick: 100000, doc: "Made-up addresses; 0 leaves them out." },
}

type Values = Bench<typeof OPTIONS>["options"]

const MIB = 1_048_576

interface House {
  readonly server: ServerProcess
  readonly honest: Child
  readonly attackers: Child
  readonly people: ReadonlyArray<Person>
}

const openHouse = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<House> => {
  const databases = await startDatabases(defer)
  const environment = { ...PRODUCTION, DATABASE_URL: await databases.create("migrated") }
  const server = await startServerProcess({ environment }, defer)
  const workspace = await createWorkspace(server.url)
  const eventId = await createLiveEvent(server.url, workspace.key)
  const people: Person[] = []
  for (let n = 0; n < options.people; n++) people.push(await signUp(server.url, `10.1.${n >> 8}.${n & 255}`))
  const honest = await startChild(new URL("./honest-process.js", import.meta.url), defer)
  const place = { eventId, workspaceId: workspace.id }
  await honest.call("join", { port: server.port, place, sockets: options.sockets })
  const attackers = await startChild(new URL("./attackers-process.js", import.meta.url), defer)
  return { server, honest, attackers, people }
}

let moves = 0

/** Some of the people have moved since the last round. */
const serve = ({ honest, server, people }: House, { seconds, newcomers }: Values): Promise<Served> => {
  moves++
  const now = people.map((person, n) =>
    n < newcomers ? { ...person, isNew: true, address: `10.2.${moves}.${n + 1}` } : { ...person, isNew: false },
  )
  return honest.call<Served>("signIn", { port: server.port, seconds, people: now } satisfies SignIns)
}

const underFlood = async (house: House, { options }: Bench<typeof OPTIONS>): Promise<readonly [Served, Flooded]> => {
  const { perSecond, attackers: addresses } = options
  const emails = house.people.map(({ email }) => email)
  await house.attackers.call("flood", { port: house.server.port, perSecond, addresses, emails } satisfies Flood)
  const served = await serve(house, options)
  return [served, await house.attackers.call<Flooded>("end")]
}

/** Memory of the server before and after. */
const sweep = async ({ server, attackers }: House, addresses: number): Promise<void> => {
  const before = residentBytes(server.pid)
  const cpuBefore = cpuSeconds(server.pid)
  const { sent, seconds, answers } = await attackers.call<Flooded>("sweep", { port: server.port, addresses })
  const after = residentBytes(server.pid)
  const cpu = cpuSeconds(server.pid) - cpuBefore
  console.log(
    `\n${number(sent)} addresses, one request each, in ${number(seconds)} s (${number(cpu)} s of the server's CPU): resident ${number(before / MIB)} -> ${number(after / MIB)} MiB; answers ${JSON.stringify(answers)}`,
  )
}

const rowOf = (name: string, rounds: ReadonlyArray<Served>): ReadonlyArray<string> => [
  name,
  spread(rounds.map(({ loginP50Ms }) => loginP50Ms)),
  spread(rounds.map(({ loginP99Ms }) => loginP99Ms)),
  spread(rounds.map(({ loginsRefused }) => loginsRefused)),
  spread(rounds.map(({ newcomersRefused }) => newcomersRefused)),
  spread(rounds.map(({ beatP50Ms }) => beatP50Ms)),
  spread(rounds.map(({ beatP99Ms }) => beatP99Ms)),
  spread(rounds.map(({ socketsLost }) => socketsLost)),
]

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options } = bench
  const house = await openHouse(bench)
  const quiet: Served[] = []
  const flooded: Served[] = []
  const floods: Flooded[] = []
  for (let round = 0; round < options.rounds; round++) {
    quiet.push(await serve(house, options))
    const [served, flood] = await underFlood(house, bench)
    flooded.push(served)
    floods.push(flood)
  }
  printRows([
    ["", "login p50 ms", "p99 ms", "refused", "newcomers refused", "heartbeat p50 ms", "p99 ms", "sockets lost"],
    rowOf("without the flood", quiet),
    rowOf("with it", flooded),
  ])
  for (const { sent, seconds, answers } of floods) {
    console.log(
      `flood: ${number(sent / seconds)}/s from ${number(options.attackers)} addresses, answered ${JSON.stringify(answers)}`,
    )
  }
  if (options.addresses > 0) await sweep(house, options.addresses)
  const p99 = (rounds: ReadonlyArray<Served>) => rounds.map(({ loginP99Ms }) => loginP99Ms)
  const beat = (rounds: ReadonlyArray<Served>) => rounds.map(({ beatP99Ms }) => beatP99Ms)
  return {
    peer: "the same server without the flood",
    ratios: [
      ratio("login p99", p99(flooded), p99(quiet)).text,
      ratio("heartbeat p99", beat(flooded), beat(quiet)).text,
    ],
    goals: [
      atMost("login p99", spreadOf(p99(flooded)).median, 1500, "ms"),
      atMost(
        "sign-ins refused",
        flooded.reduce((sum, { loginsRefused }) => sum + loginsRefused, 0),
        0,
        "",
      ),
      atMost("heartbeat p99", spreadOf(beat(flooded)).median, 100, "ms"),
    ],
  }
}

export const flood = defineBenchmark({
  summary:
    "A thousand wrong passwords a second: what honest sign-ins and heartbeats feel of it, and what a million addresses cost.",
  options: OPTIONS,
  limitSeconds: 600,
  run,
})
