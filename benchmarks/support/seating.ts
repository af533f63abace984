/** Both contestants of `breakout` and `rotation`, each with its crowd: each person is sent the people of their group. */
import type { Defer } from "../benchmark.ts"
import { type Child, startChild } from "./child.ts"
import type { CrowdOptions, Told } from "./crowd-process.ts"
import { printRows, sleep, spread } from "./figures.ts"
import { JOINS_PER_SECOND, startLiveServer } from "./live-server.ts"
import { cpuSeconds } from "./process-usage.ts"
import { type Goal, type Report, ratio } from "./report.ts"

export interface Contestant {
  readonly name: string
  readonly pid: number
  readonly crowd: Child
}

interface Measured {
  readonly p50Ms: number[]
  readonly allMs: number[]
  readonly cpuMs: number[]
}

const SETTLE_MS = 2000

const openCrowd = async (name: string, pid: number, options: CrowdOptions, defer: Defer): Promise<Contestant> => {
  const crowd = await startChild(new URL("./crowd-process.js", import.meta.url), defer)
  await crowd.call("open", options)
  const seconds = await crowd.call<number>("join", JOINS_PER_SECOND)
  console.log(`  ${options.people} people joined ${name} in ${seconds.toFixed(1)} s`)
  return { name, pid, crowd }
}

/** Ours, in a phase of that modality, and Socket.IO, each with so many people and a host. */
export const openContestants = async (
  modality: "breakout" | "rotation",
  people: number,
  profile: number,
  defer: Defer,
): Promise<readonly [Contestant, Contestant]> => {
  const { server, place } = await startLiveServer(profile, defer, { agenda: [{ modality }] })
  const ours = await openCrowd("Gathercue", server.pid, { port: server.port, people, speaks: "gateway", place }, defer)
  const peer = await startChild(new URL("./seating-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start")
  const theirs = await openCrowd("Socket.IO", peer.pid, { port, people, speaks: "socket.io", place }, defer)
  await sleep(SETTLE_MS)
  return [ours, theirs]
}

/** Runs one round and takes its times, and the server's CPU time until everything has come to rest. */
export const measure = async ({ pid }: Contestant, into: Measured, round: () => Promise<Told>): Promise<void> => {
  const before = cpuSeconds(pid)
  const { p50Ms, allMs } = await round()
  await sleep(SETTLE_MS)
  into.p50Ms.push(p50Ms)
  into.allMs.push(allMs)
  into.cpuMs.push((cpuSeconds(pid) - before) * 1000)
}

export const nothingMeasured = (): Measured => ({ p50Ms: [], allMs: [], cpuMs: [] })

/** Prints the times of both and compares them. */
export const compared = (what: string, own: Measured, peer: Measured, goals: ReadonlyArray<Goal>): Report => {
  const rowOf = (name: string, { p50Ms, allMs, cpuMs }: Measured): ReadonlyArray<string> => [
    name,
    ...[p50Ms, allMs, cpuMs].map(spread),
  ]
  printRows([
    [what, "half told, ms", "all told, ms", "CPU ms a round"],
    rowOf("Gathercue", own),
    rowOf("Socket.IO", peer),
  ])
  console.log(`\n${own.allMs.length} rounds; median (min..max); from the host's word to the socket`)
  return {
    peer: "Socket.IO, which stores nothing",
    ratios: [ratio("time until all were told", own.allMs, peer.allMs).text],
    goals,
  }
}
