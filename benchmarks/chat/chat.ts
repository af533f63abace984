/**
 * Chat of a webinar: hundreds of people, each with a socket of their own, write to everybody. Our server decides each message, commits it,
 * answers, and fans it out; Socket.IO at its best answers and fans out in the same tick. Both stay connected throughout and take turns.
 */
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { newId } from "../../src/model/ids.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { printRows, sleep } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds, postgresSeconds } from "../support/process-usage.ts"
import { type Report, ratio } from "../support/report.ts"
import { PRODUCTION, PROFILE_OPTION } from "../support/server-process.ts"
import { inTurns, rowsOf } from "../support/turns.ts"
import type { PeopleOptions, Talk, Talked } from "./people-process.ts"

const OPTIONS = {
  people: {
    fallback: 500,
    quick: 200,
    doc: "People at the event, each with a socket; a person may write once a second.",
  },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side and pace, in turns." },
  seconds: { fallback: 10, quick: 2, doc: "Length of a round." },
  slow: { fallback: 20, doc: "Messages per second of all people together at the slow pace." },
  fast: { fallback: 200, quick: 150, doc: "Messages per second of all people together at the fast pace." },
  peers: { fallback: 1, doc: "0 leaves the peer out." },
  ...PROFILE_OPTION,
}

interface Contestant {
  readonly name: string
  readonly pid: number
  /** Of PostgreSQL, for the one that has it. */
  readonly postmaster: number | undefined
  readonly people: Child
}

const SETTLE_MS = 2000

const startPeople = async (options: PeopleOptions, defer: Bench<typeof OPTIONS>["defer"]): Promise<Child> => {
  const people = await startChild(new URL("./people-process.js", import.meta.url), defer)
  await people.call("open", options)
  return people
}

const contestantsOf = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<ReadonlyArray<Contestant>> => {
  const people = affordableSockets(options.people)
  const { server, place, databases } = await startLiveServer(options.profile, defer, { environment: PRODUCTION })
  const given = { place, people, joinsPerSecond: JOINS_PER_SECOND }
  const ours: Contestant = {
    name: "Gathercue",
    pid: server.pid,
    postmaster: databases.pid,
    people: await startPeople({ ...given, port: server.port, speaks: "gateway" }, defer),
  }
  if (options.peers === 0) return [ours]
  const peer = await startChild(new URL("./socket-io-chat-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start", GATEWAY_DEFAULTS.tickMs(people))
  const elsewhere = { eventId: newId(), workspaceId: newId() }
  const theirs = await startPeople({ ...given, port, place: elsewhere, speaks: "socket.io" }, defer)
  return [ours, { name: "Socket.IO at its best", pid: peer.pid, postmaster: undefined, people: theirs }]
}

const measureOnce = async ({ name, pid, postmaster, people }: Contestant, talk: Talk) => {
  const postgresOf = () => (postmaster === undefined ? 0 : postgresSeconds(postmaster))
  const [before, postgresBefore] = [cpuSeconds(pid), postgresOf()]
  const startedAt = performance.now()
  const talked = await people.call<Talked>("talk", talk)
  const seconds = (performance.now() - startedAt) / 1000
  const us = (cpuSeconds(pid) - before) * 1e6
  if (talked.refused > 0) throw new Error(`${name} refused ${talked.refused} messages: ${talked.refusal}`)
  if (talked.missing > 0) throw new Error(`${name}: ${talked.missing} receipts are missing`)
  const postgresSecondsUsed = postgresOf() - postgresBefore
  await sleep(SETTLE_MS)
  return {
    perSecond: talked.accepted / seconds,
    usPerMessage: us / talked.accepted,
    usPerDelivery: us / talked.deliveries,
    postgresUs: (postgresSecondsUsed * 1e6) / talked.accepted,
    ackP50Ms: talked.ackP50Ms,
    ackP99Ms: talked.ackP99Ms,
    lastP50Ms: talked.lastP50Ms,
    lastP99Ms: talked.lastP99Ms,
  }
}

/** Milliseconds of CPU a second of those who only listen: they are in all figures. */
const printRest = async (contestants: ReadonlyArray<Contestant>, seconds: number): Promise<void> => {
  const before = contestants.map(({ pid }) => cpuSeconds(pid))
  await sleep(seconds * 1000)
  const rest = contestants.map(({ name, pid }, index) => {
    const ms = ((cpuSeconds(pid) - (before[index] ?? 0)) * 1000) / seconds
    return `${name} ${ms.toFixed(0)} ms`
  })
  console.log(`  CPU a second while nobody writes, which is in the figures below: ${rest.join(", ")}\n`)
}

const HEAD = [
  "messages/s",
  "CPU us per message",
  "per delivery",
  "PostgreSQL us per message",
  "answered p50 ms",
  "p99 ms",
  "last receipt p50 ms",
  "p99 ms",
]

const FIGURES = [
  "perSecond",
  "usPerMessage",
  "usPerDelivery",
  "postgresUs",
  "ackP50Ms",
  "ackP99Ms",
  "lastP50Ms",
  "lastP99Ms",
] as const

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { people, rounds, seconds, slow, fast } = bench.options
  const contestants = await contestantsOf(bench)
  await sleep(SETTLE_MS)
  await printRest(contestants, seconds)
  const ratios: string[] = []
  for (const perSecond of [slow, fast]) {
    const measured = await inTurns(contestants, rounds, (contestant) => measureOnce(contestant, { perSecond, seconds }))
    const rows = rowsOf(contestants, measured, FIGURES)
    printRows([[`${perSecond}/s by ${people} people`, ...HEAD], ...rows])
    console.log("")
    const [ours, peer] = measured
    if (ours === undefined || peer === undefined) continue
    ratios.push(
      ratio(`CPU per delivery at ${perSecond}/s`, ours.usPerDelivery, peer.usPerDelivery).text,
      ratio(`last receipt p99 at ${perSecond}/s`, ours.lastP99Ms, peer.lastP99Ms).text,
    )
  }
  console.log(
    `${rounds} rounds of ${seconds} s; median (min..max); times from the message sent, "last receipt" to its last receiver`,
  )
  return { peer: "Socket.IO at its best (lower is better)", ratios }
}

export const chat = defineBenchmark({
  summary:
    "Chat by hundreds of people: CPU per delivery and message, and the time to the answer and to the last receiver.",
  options: OPTIONS,
  limitSeconds: 400,
  run,
})
