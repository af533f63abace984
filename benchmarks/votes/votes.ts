/**
 * One poll and thousands of people who vote in it at once, each over their own socket: how many votes a second are decided,
 * committed and answered, how soon, and whether the tally is exact. The peer only writes the same votes to the database.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { type Report, ratio } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import type { Taken } from "./pace.ts"
import type { Compared, VotersOptions } from "./voters-process.ts"

const OPTIONS = {
  people: { fallback: 2000, quick: 500, doc: "People who vote, each over one socket." },
  rate: { fallback: 5000, quick: 1500, doc: "Votes offered per second; a person may vote five times a second." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 10, quick: 2, doc: "Length of a round." },
  peers: { fallback: 1, doc: "0 leaves the peer out." },
  ...PROFILE_OPTION,
}

interface Contestant {
  readonly name: string
  /** The process of which the CPU time counts. */
  readonly pid: number
  readonly voters: Child
  readonly taken: Taken[]
  readonly perCpuSecond: number[]
}

const SETTLE_MS = 2000

const contestantsOf = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<ReadonlyArray<Contestant>> => {
  const people = affordableSockets(options.people)
  const { server, place, databases } = await startLiveServer(options.profile, defer)
  const voters = await startChild(new URL("./voters-process.js", import.meta.url), defer)
  const given: VotersOptions = { port: server.port, place, people, joinsPerSecond: JOINS_PER_SECOND }
  await voters.call("open", given)
  const ours = { name: "Gathercue", pid: server.pid, voters, taken: [], perCpuSecond: [] }
  if (options.peers === 0) return [ours]
  const peer = await startChild(new URL("./postgres-peer.js", import.meta.url), defer)
  await peer.call("start", { url: await databases.create("empty"), people })
  return [ours, { name: "bare upserts", pid: peer.pid, voters: peer, taken: [], perCpuSecond: [] }]
}

const same = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => a.join() === b.join()

const sayWhetherExact = async ({ name, voters, taken }: Contestant): Promise<void> => {
  const { cast, kept, received } = await voters.call<Compared>("compare")
  if (!same(cast, kept) || !same(cast, received)) {
    throw new Error(`${name}: cast ${cast}, kept ${kept}, received ${received}`)
  }
  const refused = taken.reduce((sum, round) => sum + round.refused, 0)
  console.log(`${name}: the tally is exact (${cast.join(", ")}); ${number(refused)} votes were refused for now`)
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report | undefined> => {
  const { rate, rounds, seconds } = bench.options
  const contestants = await contestantsOf(bench)
  await sleep(SETTLE_MS)
  for (let round = 0; round < rounds; round++) {
    for (const { pid, voters, taken, perCpuSecond } of contestants) {
      const cpuBefore = cpuSeconds(pid)
      const result = await voters.call<Taken>("vote", { perSecond: rate, seconds })
      taken.push(result)
      perCpuSecond.push(result.accepted / (cpuSeconds(pid) - cpuBefore))
      await sleep(SETTLE_MS)
    }
  }
  const of = (taken: ReadonlyArray<Taken>, figure: keyof Taken) => taken.map((round) => round[figure])
  printRows([
    [`${rate}/s offered`, "votes/s", "votes per CPU second", "p50 ms", "p99 ms"],
    ...contestants.map(({ name, taken, perCpuSecond }) => [
      name,
      spread(of(taken, "perSecond")),
      spread(perCpuSecond),
      spread(of(taken, "p50Ms")),
      spread(of(taken, "p99Ms")),
    ]),
  ])
  console.log("")
  for (const contestant of contestants) await sayWhetherExact(contestant)
  console.log(`${rounds} rounds of ${seconds} s; median (min..max); from the vote sent to its answer`)
  const [ours, peer] = contestants
  if (ours === undefined || peer === undefined) return undefined
  const toPeer = ratio("votes/s", of(ours.taken, "perSecond"), of(peer.taken, "perSecond"))
  return { peer: "bare upserts", ratios: [toPeer.text] }
}

export const votes = defineBenchmark({
  summary: "Votes per second in one poll from thousands of sockets, their latency and exactness, against bare upserts.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
