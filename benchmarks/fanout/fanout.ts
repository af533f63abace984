/**
 * One live event and its audience: hosts announce, everyone hears. Our server takes each announcement over a socket,
 * commits it to the database and fans it out; the peers only send. Socket.IO comes twice, as its users run it and at its best: on
 * uWebSockets.js, with dispatches gathered in our tick and a token checked at the join. Raw uWebSockets.js sends the same frames as ours. All stay
 * connected throughout and take turns.
 */
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { newId } from "../../src/model/ids.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Joined, Received } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import { type Child, startChild } from "../support/child.ts"
import { printRows, sleep, spreadOf } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, openAudience, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atLeast, atMost, type Goal, type Report, ratio } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import type { SocketIoOptions } from "../support/socket-io-server.ts"
import { inTurns, rowsOf } from "../support/turns.ts"
import { dispatchOf, TEXT } from "./message.ts"

const OPTIONS = {
  sockets: { fallback: 5000, quick: 1000, doc: "Sockets on each server." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each server and pace, in turns." },
  seconds: { fallback: 10, quick: 1.5, doc: "Length of a round." },
  settle: { fallback: 2, quick: 0.5, doc: "Seconds between two rounds." },
  slow: { fallback: 20, doc: "Dispatches per second at the slow pace." },
  fast: { fallback: 200, doc: "Dispatches per second at the fast pace." },
  peers: { fallback: 1, doc: "0 leaves the peers out." },
  streams: { fallback: 0, doc: "1 adds our server with as many event streams in place of sockets." },
  ...PROFILE_OPTION,
}

interface Contestant {
  readonly name: string
  readonly pid: number
  readonly audience: Child
  /** Sends at the pace; resolves to how many dispatches went out. */
  readonly send: (perSecond: number, seconds: number) => Promise<number>
}

const SETTLE_MS = 2000

const measureOnce = async (
  contestant: Contestant,
  perSecond: number,
  { seconds, settle }: Bench<typeof OPTIONS>["options"],
) => {
  const { audience, pid } = contestant
  await audience.call("listen")
  const startedAt = performance.now()
  const cpuBefore = cpuSeconds(pid)
  const sent = await contestant.send(perSecond, seconds)
  const elapsed = (performance.now() - startedAt) / 1000
  const cpuOfSending = cpuSeconds(pid) - cpuBefore
  const received = await audience.call<Received>("received")
  const cpu = cpuSeconds(pid) - cpuBefore
  await sleep(settle * 1000)
  return {
    sent: sent / elapsed,
    perCpuSecond: received.deliveries / cpu,
    perSecond: received.deliveries / elapsed,
    cpuPercent: (cpuOfSending / elapsed) * 100,
    p99Ms: received.p99Ms,
  }
}

const STREAMS = "Gathercue, event streams"

const startOurs = async (
  sockets: number,
  speaks: "gateway" | "gateway streams",
  profile: number,
  defer: Bench<typeof OPTIONS>["defer"],
): Promise<Contestant> => {
  const { server, place } = await startLiveServer(profile, defer)
  const audience = await openAudience({ port: server.port, sockets, speaks, place }, defer)
  return {
    name: speaks === "gateway" ? "Gathercue" : STREAMS,
    pid: server.pid,
    audience,
    send: async (perSecond, seconds) => {
      const announcements: AnnounceOptions = { port: server.port, place, text: TEXT, perSecond, seconds }
      await audience.call("announce", announcements)
      await audience.call("announced")
      return perSecond * seconds
    },
  }
}

interface Peer {
  readonly name: string
  readonly module: URL
  readonly speaks: "socket.io" | "socket.io with tokens" | "raw"
  readonly isGathering: boolean
  readonly options?: SocketIoOptions
}

const SOCKET_IO = new URL("../support/socket-io-peer.js", import.meta.url)

const PEERS: ReadonlyArray<Peer> = [
  {
    name: "Socket.IO",
    module: SOCKET_IO,
    speaks: "socket.io",
    isGathering: false,
    options: { engine: "ws", checksTokens: false },
  },
  {
    name: "Socket.IO at its best",
    module: SOCKET_IO,
    speaks: "socket.io with tokens",
    isGathering: true,
    options: { engine: "uWebSockets.js", checksTokens: true },
  },
  {
    name: "raw uWebSockets.js",
    module: new URL("./raw-uws-peer.js", import.meta.url),
    speaks: "raw",
    isGathering: true,
  },
]

const startPeer = async (
  { name, module, speaks, isGathering, options }: Peer,
  sockets: number,
  defer: Bench<typeof OPTIONS>["defer"],
): Promise<Contestant> => {
  const peer = await startChild(module, defer)
  const port = await peer.call<number>("start", options)
  const place = { eventId: newId(), workspaceId: newId() }
  const audience = await openAudience({ port, sockets, speaks, place }, defer)
  // The tick of our side, where the host is connected too.
  const tickMs = isGathering ? GATEWAY_DEFAULTS.tickMs(sockets + 1) : 0
  return {
    name,
    pid: peer.pid,
    audience,
    send: (perSecond, seconds) => peer.call<number>("publish", { perSecond, seconds, tickMs }),
  }
}

const contestantsOf = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<ReadonlyArray<Contestant>> => {
  const sockets = affordableSockets(options.sockets)
  const contestants = [await startOurs(sockets, "gateway", options.profile, defer)]
  if (options.peers > 0) {
    for (const peer of PEERS) contestants.push(await startPeer(peer, sockets, defer))
  }
  if (options.streams > 0) contestants.push(await startOurs(sockets, "gateway streams", options.profile, defer))
  for (const { name, audience } of contestants) {
    const { seconds } = await audience.call<Joined>("join", JOINS_PER_SECOND)
    console.log(`  ${sockets} sockets joined ${name} in ${seconds.toFixed(1)} s`)
  }
  return contestants
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options } = bench
  const contestants = await contestantsOf(bench)
  console.log(`  a dispatch has ${JSON.stringify(dispatchOf(1)).length} bytes\n`)
  await sleep(SETTLE_MS)
  const ratios: string[] = []
  const goals: Goal[] = []
  for (const [perSecond, rawGoal] of [
    [options.slow, 0.9],
    [options.fast, 0.75],
  ] as const) {
    const measured = await inTurns(contestants, options.rounds, (contestant) =>
      measureOnce(contestant, perSecond, options),
    )
    const rows = rowsOf(contestants, measured, ["sent", "perSecond", "perCpuSecond", "cpuPercent", "p99Ms"])
    const head = [
      `${perSecond}/s wanted`,
      "dispatches/s",
      "deliveries/s",
      "deliveries per CPU second",
      "CPU %",
      "p99 ms",
    ]
    printRows([head, ...rows])
    console.log("")
    const of = (name: string) => measured[contestants.findIndex((contestant) => contestant.name === name)]
    const [ours, raw, streams] = [measured[0], of("raw uWebSockets.js"), of(STREAMS)]
    if (ours === undefined) continue
    for (const { name } of contestants.slice(1)) {
      const other = of(name)
      if (other) ratios.push(ratio(`at ${perSecond}/s ${name}`, ours.perCpuSecond, other.perCpuSecond).text)
    }
    if (streams !== undefined) {
      const cost = ratio("", ours.perCpuSecond, streams.perCpuSecond).value
      goals.push(atMost(`a delivery to an event stream at ${perSecond}/s, of one to a socket`, cost, 1.5, "x"))
    }
    if (raw === undefined) continue
    goals.push(
      atLeast(
        `raw uWebSockets.js at ${perSecond}/s`,
        ratio("", ours.perCpuSecond, raw.perCpuSecond).value,
        rawGoal,
        "x",
      ),
      atMost(
        `p99 at ${perSecond}/s above raw uWebSockets.js`,
        spreadOf(ours.p99Ms).median - spreadOf(raw.p99Ms).median,
        60,
        "ms",
      ),
    )
  }
  console.log(
    `${options.rounds} rounds of ${options.seconds} s; median (min..max); p99 from command received to socket`,
  )
  return { peer: "the peers, in deliveries per CPU second", ratios, goals }
}

export const fanout = defineBenchmark({
  summary: "Deliveries per CPU second and their p99 to one event's audience, against Socket.IO and raw uWebSockets.js.",
  options: OPTIONS,
  limitSeconds: 600,
  run,
})
