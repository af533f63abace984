/**
 * Sockets that only listen: what one costs in memory and at rest, how fast they join, and how long it takes until all of
 * them have caught up after every link was cut at once. The peer is Socket.IO with as many sockets in one room.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import { type Child, startChild } from "../support/child.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, openAudience, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds, residentBytes } from "../support/process-usage.ts"
import { atMost, type Report } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import type { SocketIoOptions } from "../support/socket-io-server.ts"

const OPTIONS = {
  sockets: { fallback: 20_000, quick: 4000, doc: "Idle sockets; fewer when a process may not open so many files." },
  rest: {
    fallback: 30,
    quick: 22,
    doc: "Seconds over which the CPU time at rest is taken; a heartbeat of each side fits in.",
  },
  storm: { fallback: 1, doc: "0 leaves the storm out." },
  ...PROFILE_OPTION,
}

interface Idle {
  readonly bytesEach: number
  readonly joined: Joined
  readonly joinCpuMs: number
  readonly restPercent: number
}

const SETTLE_MS = 3000
const STORM_ANNOUNCEMENTS = { text: "We are having a short break.", perSecond: 5, seconds: 60 }

interface Side {
  readonly pid: number
  readonly audience: Child
}

type Joining = Pick<Idle, "joined" | "joinCpuMs"> & { readonly bytesBefore: number }

const join = async ({ pid, audience }: Side, sockets: number): Promise<Joining> => {
  const bytesBefore = residentBytes(pid)
  const cpuBefore = cpuSeconds(pid)
  const joined = await audience.call<Joined>("join", JOINS_PER_SECOND)
  const joinCpuMs = ((cpuSeconds(pid) - cpuBefore) / sockets) * 1000
  await sleep(SETTLE_MS)
  return { joined, joinCpuMs, bytesBefore }
}

/** Of all sides at the same time: they do next to nothing, so that none is in another's way. */
const restPercents = async (sides: ReadonlyArray<Side>, seconds: number): Promise<ReadonlyArray<number>> => {
  const before = sides.map(({ pid }) => cpuSeconds(pid))
  await sleep(seconds * 1000)
  return sides.map(({ pid }, at) => ((cpuSeconds(pid) - (before[at] ?? 0)) / seconds) * 100)
}

const rowOf = (name: string, sockets: number, { bytesEach, joined, joinCpuMs, restPercent }: Idle) => [
  name,
  number(bytesEach),
  number(sockets / joined.seconds),
  number(joined.turnedAway),
  joinCpuMs.toFixed(3),
  restPercent.toFixed(1),
]

const stormOn = async (
  { pid, audience }: Side,
  sockets: number,
  announced: Pick<AnnounceOptions, "port" | "place">,
): Promise<void> => {
  await audience.call("announce", { ...announced, ...STORM_ANNOUNCEMENTS } satisfies AnnounceOptions)
  await sleep(2000)
  const before = cpuSeconds(pid)
  const storm = await audience.call<Joined>("storm")
  const cpu = cpuSeconds(pid) - before
  console.log(
    `  storm: all ${sockets} caught up after ${storm.seconds.toFixed(1)} s (turned away and back later: ${storm.turnedAway}; server CPU ${cpu.toFixed(1)} s)`,
  )
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const sockets = affordableSockets(options.sockets)
  const { server, place } = await startLiveServer(options.profile, defer)
  const audience = await openAudience({ port: server.port, sockets, speaks: "gateway", place }, defer)
  const own: Side = { pid: server.pid, audience }
  const joined = await join(own, sockets)

  const peer = await startChild(new URL("../support/socket-io-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start", { engine: "ws", checksTokens: false } satisfies SocketIoOptions)
  const crowd = await openAudience({ port, sockets, speaks: "socket.io", place }, defer)
  const other: Side = { pid: peer.pid, audience: crowd }
  const joinedPeer = await join(other, sockets)

  const [restPercent = Number.NaN, restOfPeer = Number.NaN] = await restPercents([own, other], options.rest)
  const idle = ({ pid }: Side, { bytesBefore, ...of }: Joining, percent: number): Idle => ({
    ...of,
    bytesEach: (residentBytes(pid) - bytesBefore) / sockets,
    restPercent: percent,
  })
  const ours = idle(own, joined, restPercent)
  const socketIo = idle(other, joinedPeer, restOfPeer)
  await crowd.call("leave")
  await crowd.stop()
  await peer.stop()
  if (options.storm > 0) await stormOn(own, sockets, { port: server.port, place })
  console.log("")
  printRows([
    [`${sockets} idle sockets`, "bytes each", "joined/s", "turned away", "CPU ms per join", "CPU % at rest"],
    rowOf("Gathercue", sockets, ours),
    rowOf("Socket.IO", sockets, socketIo),
  ])
  console.log(`\nresident memory of the server process; ${JOINS_PER_SECOND} joins/s were offered`)
  const times = (ofPeer: number, own: number): string => `${(ofPeer / own).toFixed(2)}x less`
  return {
    peer: "Socket.IO",
    ratios: [
      `memory ${times(socketIo.bytesEach, ours.bytesEach)}`,
      `CPU per join ${times(socketIo.joinCpuMs, ours.joinCpuMs)}`,
      `CPU at rest ${times(socketIo.restPercent, ours.restPercent)}`,
    ],
    goals: [atMost("memory per socket", ours.bytesEach / 1024, 5.5, "KiB")],
  }
}

export const connections = defineBenchmark({
  summary: "Memory per idle socket, joins per second, CPU at rest and a reconnect storm, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 600,
  run,
})
