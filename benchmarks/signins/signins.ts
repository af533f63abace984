/**
 * Sign-ins with passwords beside joins, on a server in production mode. A password is hashed with argon2id on purpose slowly, in the same
 * process that lets people in. The limit beside each figure is the same server with joins alone; sign-ins alone are measured too, so that
 * their CPU can be taken off what both need together.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { affordableSockets, startLiveServer } from "../support/live-server.ts"
import { type Person, signUp } from "../support/people.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { type Report, ratio } from "../support/report.ts"
import { PRODUCTION, PROFILE_OPTION, type ServerProcess } from "../support/server-process.ts"
import type { Joined, Joins } from "./newcomers-process.ts"
import type { SignedIn, SignIns } from "./people-process.ts"

const OPTIONS = {
  perSecond: { fallback: 200, quick: 60, doc: "Joins per second." },
  signins: { fallback: 16, quick: 4, doc: "Sign-ins at once, each of another person." },
  seconds: { fallback: 10, quick: 3, doc: "Length of a round." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of joins alone, sign-ins alone, and both, in turns." },
  ...PROFILE_OPTION,
}

interface Round {
  /** Without what the server needs at rest. */
  readonly cpuSeconds: number
  readonly joins?: Joined
  readonly signIns?: SignedIn
}

interface House {
  readonly server: ServerProcess
  readonly place: GatewayPlace
  readonly newcomers: Child
  readonly people: Child
  readonly persons: ReadonlyArray<Person>
}

/** Those who joined have left, and their leaving is told. */
const SETTLE_MS = 2000
/** Sign-ins go on for so long before the first join. */
const AHEAD_MS = 500

const openHouse = async ({ options, defer }: Bench<typeof OPTIONS>, joins: number): Promise<House> => {
  const given = { environment: PRODUCTION, users: joins }
  const { server, place } = await startLiveServer(options.profile, defer, given)
  const persons: Person[] = []
  for (let n = 0; n < options.signins; n++) persons.push(await signUp(server.url, `10.1.${n >> 8}.${n & 255}`))
  const newcomers = await startChild(new URL("./newcomers-process.js", import.meta.url), defer)
  const people = await startChild(new URL("./people-process.js", import.meta.url), defer)
  return { server, place, newcomers, people, persons }
}

const joinsOf = async ({ server, place, newcomers }: House, perSecond: number, seconds: number): Promise<Joined> =>
  newcomers.call<Joined>("join", { port: server.port, place, perSecond, seconds } satisfies Joins)

const beginSignIns = async ({ server, people, persons }: House): Promise<void> => {
  await people.call("begin", { port: server.port, people: persons } satisfies SignIns)
  await sleep(AHEAD_MS)
}

const leave = async ({ newcomers }: House): Promise<void> => {
  await newcomers.call("leave")
  await sleep(SETTLE_MS)
}

/** CPU seconds of the server in a second without anybody. */
const restOf = async ({ server }: House, seconds: number): Promise<number> => {
  const before = cpuSeconds(server.pid)
  await sleep(seconds * 1000)
  return (cpuSeconds(server.pid) - before) / seconds
}

/** The CPU that work takes beyond the rest's. */
const measured = async <A>(
  { server }: House,
  rest: number,
  work: () => Promise<A>,
): Promise<{ readonly result: A; readonly cpuSeconds: number }> => {
  const [before, startedAt] = [cpuSeconds(server.pid), performance.now()]
  const result = await work()
  const elapsed = (performance.now() - startedAt) / 1000
  return { result, cpuSeconds: cpuSeconds(server.pid) - before - rest * elapsed }
}

interface Pace {
  readonly perSecond: number
  readonly seconds: number
  /** CPU seconds of the server in a second without anybody. */
  readonly rest: number
}

const joinsAlone = async (house: House, { perSecond, seconds, rest }: Pace): Promise<Round> => {
  const { result: joins, cpuSeconds } = await measured(house, rest, () => joinsOf(house, perSecond, seconds))
  await leave(house)
  return { joins, cpuSeconds }
}

const signInsAlone = async (house: House, { seconds, rest }: Pace): Promise<Round> => {
  const { result: signIns, cpuSeconds } = await measured(house, rest, async () => {
    await beginSignIns(house)
    await sleep(seconds * 1000)
    return house.people.call<SignedIn>("end")
  })
  await sleep(SETTLE_MS)
  return { signIns, cpuSeconds }
}

const both = async (house: House, { perSecond, seconds, rest }: Pace): Promise<Round> => {
  const { result, cpuSeconds } = await measured(house, rest, async () => {
    await beginSignIns(house)
    const joins = await joinsOf(house, perSecond, seconds)
    return { joins, signIns: await house.people.call<SignedIn>("end") }
  })
  await leave(house)
  return { ...result, cpuSeconds }
}

type Rounds = ReadonlyArray<Round>

const ofJoins = (rounds: Rounds, figure: (joins: Joined) => number): ReadonlyArray<number> =>
  rounds.flatMap(({ joins }) => (joins === undefined ? [] : [figure(joins)]))

const ofSignIns = (rounds: Rounds, figure: (signIns: SignedIn) => number): ReadonlyArray<number> =>
  rounds.flatMap(({ signIns }) => (signIns === undefined ? [] : [figure(signIns)]))

const MS = 1000

const cell = (values: ReadonlyArray<number>): string => (values.length === 0 ? "" : spread(values))

const rowOf = (name: string, rounds: Rounds, cpuOfJoin: ReadonlyArray<number>): ReadonlyArray<string> => [
  name,
  cell(ofJoins(rounds, ({ joined, seconds }) => joined / seconds)),
  cell(ofJoins(rounds, ({ p50Ms }) => p50Ms)),
  cell(ofJoins(rounds, ({ p99Ms }) => p99Ms)),
  cell(cpuOfJoin),
  cell(ofJoins(rounds, ({ turnedAway }) => turnedAway)),
  cell(ofSignIns(rounds, ({ signedIn, seconds }) => signedIn / seconds)),
  cell(ofSignIns(rounds, ({ p50Ms }) => p50Ms)),
  cell(ofSignIns(rounds, ({ p99Ms }) => p99Ms)),
  cell(ofSignIns(rounds, ({ refused }) => refused)),
]

const HEAD = [
  "joins/s",
  "join p50 ms",
  "p99 ms",
  "CPU ms per join",
  "turned away",
  "sign-ins/s",
  "sign-in p50 ms",
  "p99 ms",
  "refused",
]

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { perSecond, seconds, rounds, signins } = bench.options
  const joins = affordableSockets(perSecond * seconds)
  const house = await openHouse(bench, joins)
  const [alone, signIns, beside]: [Round[], Round[], Round[]] = [[], [], []]
  const pace = { perSecond: joins / seconds, seconds, rest: await restOf(house, seconds) }
  // The first joins of a process are slower than all others, and strangers wait for people who signed in from there before.
  await both(house, pace)
  for (let round = 0; round < rounds; round++) {
    alone.push(await joinsAlone(house, pace))
    signIns.push(await signInsAlone(house, pace))
    beside.push(await both(house, pace))
  }
  const cpuOfSignIn = spreadOf(signIns.map((round) => (round.cpuSeconds * MS) / (round.signIns?.signedIn ?? 0))).median
  const cpuAlone = alone.map((round) => (round.cpuSeconds * MS) / (round.joins?.joined ?? 0))
  const cpuBeside = beside.map(
    (round) => (round.cpuSeconds * MS - (round.signIns?.signedIn ?? 0) * cpuOfSignIn) / (round.joins?.joined ?? 0),
  )
  printRows([
    ["", ...HEAD],
    rowOf("joins alone", alone, cpuAlone),
    rowOf(`${signins} sign-ins at once, alone`, signIns, []),
    rowOf("both", beside, cpuBeside),
  ])
  console.log(
    `\n  a sign-in takes ${cpuOfSignIn.toFixed(1)} ms of CPU; neither that nor what the server needs at rest is in the CPU of joins`,
  )
  console.log(`${rounds} rounds of ${seconds} s; median (min..max); a join is from the opened socket to its ready`)
  const p99 = (of: Rounds) => ofJoins(of, ({ p99Ms }) => p99Ms)
  const rate = (of: Rounds) => ofJoins(of, ({ joined, seconds: took }) => joined / took)
  return {
    peer: "joins alone",
    ratios: [
      ratio("join p99", p99(beside), p99(alone)).text,
      ratio("CPU per join", cpuBeside, cpuAlone).text,
      ratio("joins/s", rate(beside), rate(alone)).text,
    ],
  }
}

export const signins = defineBenchmark({
  summary:
    "Joins beside people who sign in with passwords: joins per second, their p99 and their CPU, against joins alone.",
  options: OPTIONS,
  limitSeconds: 400,
  run,
})
