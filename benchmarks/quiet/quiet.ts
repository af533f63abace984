/**
 * A quiet event beside a loud one on the same server: twenty people who write once a second between them, alone, and while thousands of
 * others hear fifty messages a second elsewhere. Each round has its own loud event, which comes after the quiet one was measured alone and
 * goes before it is measured alone again.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { PeopleOptions, Talk, Talked } from "../chat/people-process.ts"
import { type Child, startChild } from "../support/child.ts"
import { printRows, sleep, spread } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { affordableSockets, JOINS_PER_SECOND, type LiveServer, SHOW, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { createLiveEvent } from "../support/rest-calls.ts"
import { PRODUCTION, PROFILE_OPTION } from "../support/server-process.ts"

const OPTIONS = {
  people: { fallback: 20, doc: "People at the quiet event." },
  perSecond: { fallback: 1, doc: "Messages per second there." },
  sockets: { fallback: 2000, quick: 400, doc: "People at the loud event." },
  loud: { fallback: 50, doc: "Messages per second there; a person may write once a second." },
  seconds: { fallback: 30, quick: 6, doc: "Length of a round." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds alone and beside the loud event, in turns." },
  ...PROFILE_OPTION,
}

interface Measured {
  readonly quiet: Talked
  /** Of a core, in percent. */
  readonly cpuPercent: number
  readonly loud?: Talked
}

/** The loud event's people have joined for so long before it begins, and have left for so long before the next round. */
const SETTLE_MS = 3000
/** The loud event talks for so long before the quiet one is measured. */
const AHEAD_SECONDS = 1
/** Before the first round, so that it is like the others. */
const WARM_UP_SECONDS = 5

const openPeople = async (options: PeopleOptions, defer: Bench<typeof OPTIONS>["defer"]): Promise<Child> => {
  const people = await startChild(new URL("../chat/people-process.js", import.meta.url), defer)
  await people.call("open", options)
  return people
}

const talkOf = async (people: Child, talk: Talk): Promise<Talked> => {
  const talked = await people.call<Talked>("talk", talk)
  if (talked.refused > 0) throw new Error(`${talked.refused} messages were refused: ${talked.refusal}`)
  if (talked.missing > 0) throw new Error(`${talked.missing} receipts are missing`)
  return talked
}

interface House extends LiveServer {
  readonly quiet: Child
  readonly loudPlace: GatewayPlace
}

const openHouse = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<House> => {
  const live = await startLiveServer(options.profile, defer, { environment: PRODUCTION })
  const { server, place, workspace } = live
  const given = { port: server.port, place, people: options.people, joinsPerSecond: JOINS_PER_SECOND }
  const quiet = await openPeople({ ...given, speaks: "gateway" }, defer)
  const eventId = await createLiveEvent(server.url, workspace.key, SHOW)
  return { ...live, quiet, loudPlace: { eventId, workspaceId: workspace.id } }
}

const measure = async (
  { server, quiet }: House,
  { perSecond, seconds }: Bench<typeof OPTIONS>["options"],
): Promise<Measured> => {
  const [before, startedAt] = [cpuSeconds(server.pid), performance.now()]
  const talked = await talkOf(quiet, { perSecond, seconds })
  const elapsed = (performance.now() - startedAt) / 1000
  return { quiet: talked, cpuPercent: ((cpuSeconds(server.pid) - before) / elapsed) * 100 }
}

const measureBeside = async (
  house: House,
  sockets: number,
  { options, defer }: Bench<typeof OPTIONS>,
): Promise<Measured> => {
  const given = { port: house.server.port, place: house.loudPlace, people: sockets, joinsPerSecond: JOINS_PER_SECOND }
  const crowd = await openPeople({ ...given, speaks: "gateway" }, defer)
  await sleep(SETTLE_MS)
  // Its talk begins before the measurement and ends after it.
  const seconds = options.seconds + 2 * AHEAD_SECONDS
  const talking = talkOf(crowd, { perSecond: options.loud, seconds })
  await sleep(AHEAD_SECONDS * 1000)
  const measured = await measure(house, options)
  const loud = await talking
  await crowd.stop()
  return { ...measured, loud }
}

const rowOf = (name: string, rounds: ReadonlyArray<Measured>): ReadonlyArray<string> => {
  const of = (figure: keyof Omit<Talked, "refusal">): string => spread(rounds.map(({ quiet }) => quiet[figure]))
  return [
    name,
    of("ackP50Ms"),
    of("ackP99Ms"),
    of("receiptP50Ms"),
    of("receiptP99Ms"),
    spread(rounds.map(({ cpuPercent }) => cpuPercent)),
  ]
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options } = bench
  const sockets = affordableSockets(options.sockets)
  const house = await openHouse(bench)
  await sleep(SETTLE_MS)
  await measure(house, { ...options, perSecond: options.perSecond * 5, seconds: WARM_UP_SECONDS })
  const alone: Measured[] = []
  const beside: Measured[] = []
  for (let round = 0; round < options.rounds; round++) {
    alone.push(await measure(house, options))
    beside.push(await measureBeside(house, sockets, bench))
    await sleep(SETTLE_MS)
  }
  printRows([
    [
      `the quiet event, ${options.people} people`,
      "answered p50 ms",
      "p99 ms",
      "receipt p50 ms",
      "p99 ms",
      "server CPU %",
    ],
    rowOf("alone", alone),
    rowOf(`beside ${options.loud}/s to ${sockets}`, beside),
  ])
  const loud = beside.flatMap((one) => (one.loud === undefined ? [] : [one.loud.lastP99Ms]))
  console.log(`\n  the loud event itself: p99 to the last receiver ${spread(loud)} ms`)
  console.log(`${options.rounds} rounds of ${options.seconds} s; median (min..max); times from the message sent`)
  const answered = (rounds: ReadonlyArray<Measured>) => rounds.map(({ quiet }) => quiet.ackP99Ms)
  const received = (rounds: ReadonlyArray<Measured>) => rounds.map(({ quiet }) => quiet.receiptP99Ms)
  const ratios = [
    ratio("answered p99", answered(beside), answered(alone)),
    ratio("receipt p99", received(beside), received(alone)),
  ]
  return {
    peer: "the quiet event alone (lower is better)",
    ratios: ratios.map(({ text }) => text),
    goals: ratios.map(({ text, value }) => atMost(text.replace(/ \S+$/, ""), value, 1.5, "x")),
  }
}

export const quiet = defineBenchmark({
  summary: "What a quiet event feels of a loud one on the same server: the time to the answer and to each receiver.",
  options: OPTIONS,
  limitSeconds: 500,
  run,
})
