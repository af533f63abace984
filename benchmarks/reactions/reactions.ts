/**
 * Two thousand reactions a second into an audience of ten thousand: whether all are counted, what it costs, and how soon the
 * tally reaches everyone. The peer is Socket.IO, made to count and tell in the same way.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { type Report, ratio } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import type { Applause, CheerOptions, FansOptions } from "./fans-process.ts"

const OPTIONS = {
  sockets: { fallback: 10_000, quick: 2000, doc: "Viewers." },
  perSecond: { fallback: 2000, quick: 400, doc: "Reactions sent per second, by 1 viewer in 10 at most." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 10, quick: 2, doc: "Length of a round." },
  ...PROFILE_OPTION,
}

interface Contestant {
  readonly name: string
  readonly pid: number
  readonly fans: Child
  readonly applause: Applause[]
  readonly cpu: number[]
}

const SETTLE_MS = 1500

const contestantsOf = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<ReadonlyArray<Contestant>> => {
  const viewers = affordableSockets(options.sockets)
  const { server, place } = await startLiveServer(options.profile, defer)
  const peer = await startChild(new URL("./socket-io-counting-peer.js", import.meta.url), defer)
  const open = async (given: Omit<FansOptions, "viewers" | "joinsPerSecond">): Promise<Child> => {
    const fans = await startChild(new URL("./fans-process.js", import.meta.url), defer)
    const opening: FansOptions = { ...given, viewers, joinsPerSecond: JOINS_PER_SECOND }
    await fans.call("open", opening)
    return fans
  }
  const ours = await open({ port: server.port, place, speaks: "gateway" })
  const theirs = await open({ port: await peer.call<number>("start"), place, speaks: "socket.io" })
  return [
    { name: "Gathercue", pid: server.pid, fans: ours, applause: [], cpu: [] },
    { name: "Socket.IO", pid: peer.pid, fans: theirs, applause: [], cpu: [] },
  ]
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report | undefined> => {
  const contestants = await contestantsOf(bench)
  const { perSecond, seconds, rounds } = bench.options
  for (let round = 0; round < rounds; round++) {
    for (const { pid, fans, applause, cpu } of contestants) {
      await sleep(SETTLE_MS)
      const before = cpuSeconds(pid)
      const cheer: CheerOptions = { perSecond, seconds }
      applause.push(await fans.call<Applause>("cheer", cheer))
      cpu.push(((cpuSeconds(pid) - before) / seconds) * 100)
    }
  }
  const of = (applause: ReadonlyArray<Applause>, figure: keyof Applause) => applause.map((one) => one[figure])
  printRows([
    [`${number(perSecond)}/s sent`, "counted of sent", "tallies received", "p50 ms", "p99 ms", "CPU %"],
    ...contestants.map(({ name, applause, cpu }) => [
      name,
      applause.map(({ counted, sent }) => `${number(counted)}/${number(sent)}`).join(" "),
      spread(of(applause, "tallies")),
      spread(of(applause, "p50Ms")),
      spread(of(applause, "p99Ms")),
      spread(cpu),
    ]),
  ])
  console.log("\nlatency: from the reaction to the tally that holds it, which waits for half a second on purpose")
  const [ours, theirs] = contestants
  if (ours === undefined || theirs === undefined) return undefined
  const lost = ours.applause.some(({ counted, sent }) => counted !== sent)
  if (lost) throw new Error("not every reaction was counted")
  return { peer: "Socket.IO", ratios: [ratio("CPU", theirs.cpu, ours.cpu).text.replace("x", "x less")] }
}

export const reactions = defineBenchmark({
  summary: "2,000 reactions per second into 10,000 viewers: all counted, CPU and latency, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
