/**
 * Sockets that only listen: what one costs in memory and at rest, how fast they join, and how long it takes until all of
 * them have caught up after every link was cut at once. The peer is Socket.IO with as many sockets in one room.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import { type Child, startChild } from "../support/child.ts"
import { number, printMachine, printRows, printVerdicts, sleep } from "../support/figures.ts"
import { affordableSockets, JOINS_PER_SECOND, openAudience, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds, residentBytes } from "../support/process-usage.ts"
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

const percentOver = async (pid: number, seconds: number): Promise<number> => {
  const before = cpuSeconds(pid)
  await sleep(seconds * 1000)
  return ((cpuSeconds(pid) - before) / seconds) * 100
}

const measureIdle = async (pid: number, audience: Child, sockets: number, restSeconds: number): Promise<Idle> => {
  const bytesBefore = residentBytes(pid)
  const cpuBefore = cpuSeconds(pid)
  const joined = await audience.call<Joined>("join", JOINS_PER_SECOND)
  const joinCpuMs = ((cpuSeconds(pid) - cpuBefore) / sockets) * 1000
  await sleep(SETTLE_MS)
  const restPercent = await percentOver(pid, restSeconds)
  return { bytesEach: (residentBytes(pid) - bytesBefore) / sockets, joined, joinCpuMs, restPercent }
}

const rowOf = (name: string, sockets: number, { bytesEach, joined, joinCpuMs, restPercent }: Idle) => [
  name,
  number(bytesEach),
  number(sockets / joined.seconds),
  number(joined.turnedAway),
  joinCpuMs.toFixed(3),
  restPercent.toFixed(1),
]

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<void> => {
  printMachine()
  const sockets = affordableSockets(options.sockets)
  const { server, place } = await startLiveServer(options.profile, defer)
  const audience = await openAudience({ port: server.port, sockets, speaks: "gateway", place }, defer)
  const ours = await measureIdle(server.pid, audience, sockets, options.rest)
  if (options.storm > 0) {
    const announcements: AnnounceOptions = { port: server.port, place, ...STORM_ANNOUNCEMENTS }
    await audience.call("announce", announcements)
    await sleep(2000)
    const before = cpuSeconds(server.pid)
    const storm = await audience.call<Joined>("storm")
    const cpu = cpuSeconds(server.pid) - before
    console.log(
      `  storm: all ${sockets} caught up after ${storm.seconds.toFixed(1)} s (turned away and back later: ${storm.turnedAway}; server CPU ${cpu.toFixed(1)} s)`,
    )
  }
  await audience.call("leave")
  await audience.stop()
  await server.stop()

  const peer = await startChild(new URL("../support/socket-io-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start", { engine: "ws", checksTokens: false } satisfies SocketIoOptions)
  const crowd = await openAudience({ port, sockets, speaks: "socket.io", place }, defer)
  const socketIo = await measureIdle(peer.pid, crowd, sockets, options.rest)
  console.log("")
  printRows([
    [`${sockets} idle sockets`, "bytes each", "joined/s", "turned away", "CPU ms per join", "CPU % at rest"],
    rowOf("Gathercue", sockets, ours),
    rowOf("Socket.IO", sockets, socketIo),
  ])
  console.log(`\nresident memory of the server process; ${JOINS_PER_SECOND} joins/s were offered`)
  const times = (ofPeer: number, own: number): string => `${(ofPeer / own).toFixed(2)}x less`
  printVerdicts(
    "Socket.IO",
    [
      `memory ${times(socketIo.bytesEach, ours.bytesEach)}`,
      `CPU per join ${times(socketIo.joinCpuMs, ours.joinCpuMs)}`,
      `CPU at rest ${times(socketIo.restPercent, ours.restPercent)}`,
    ],
    [{ what: "memory per socket", value: ours.bytesEach / 1024, goal: 5.5, unit: "KiB", better: "lower" }],
  )
}

export const connections = defineBenchmark({
  summary: "Memory per idle socket, joins per second, CPU at rest and a reconnect storm, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
