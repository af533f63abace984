/**
 * Ten thousand people at the door at once, of an event that goes on meanwhile: how long until all have been told everything,
 * and how busy that keeps the live event itself. The peer is Socket.IO, which checks a token of each, with as many sockets in one room.
 */
import { newId } from "../../src/model/ids.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import { startChild } from "../support/child.ts"
import { number, printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import { affordableSockets, openAudience, startLiveServer } from "../support/live-server.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import type { SocketIoOptions } from "../support/socket-io-server.ts"

const OPTIONS = {
  sockets: { fallback: 10_000, quick: 2000, doc: "People who join." },
  rounds: { fallback: 3, quick: 1, doc: "Storms, each on an event of its own." },
  perSecond: { fallback: 3500, doc: "Sockets opened per second; the server admits 4,000." },
  ...PROFILE_OPTION,
}

interface Storm {
  readonly seconds: number
  readonly turnedAway: number
  readonly cpuSeconds: number
  /** Share of the time in which the live event was busy, commits included. */
  readonly actorBusy: number
}

const busySeconds = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^gathercue_actor_busy_seconds_total (\S+)/m.exec(text)?.[1] ?? 0)
}

const stormOn = async (bench: Bench<typeof OPTIONS>, sockets: number): Promise<Storm> => {
  const { server, place } = await startLiveServer(bench.options.profile, bench.defer, { users: sockets })
  const audience = await openAudience({ port: server.port, sockets, speaks: "gateway", place }, bench.defer)
  const chatter: AnnounceOptions = { port: server.port, place, text: "Welcome, everybody.", perSecond: 5, seconds: 20 }
  await audience.call("announce", chatter)
  await sleep(1000)
  const [cpuBefore, busyBefore] = [cpuSeconds(server.pid), await busySeconds(server.url)]
  const { seconds, turnedAway } = await audience.call<Joined>("join", bench.options.perSecond)
  const busy = (await busySeconds(server.url)) - busyBefore
  const storm = { seconds, turnedAway, cpuSeconds: cpuSeconds(server.pid) - cpuBefore, actorBusy: busy / seconds }
  await audience.call("leave")
  await audience.stop()
  await server.stop()
  return storm
}

const stormOnPeer = async ({ options, defer }: Bench<typeof OPTIONS>, sockets: number): Promise<Storm> => {
  const peer = await startChild(new URL("../support/socket-io-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start", { engine: "ws", checksTokens: true } satisfies SocketIoOptions)
  const place = { eventId: newId(), workspaceId: newId() }
  const crowd = await openAudience({ port, sockets, speaks: "socket.io with tokens", place }, defer)
  const before = cpuSeconds(peer.pid)
  const { seconds, turnedAway } = await crowd.call<Joined>("join", options.perSecond)
  const storm = { seconds, turnedAway, cpuSeconds: cpuSeconds(peer.pid) - before, actorBusy: 0 }
  await crowd.call("leave")
  await crowd.stop()
  await peer.stop()
  return storm
}

const rowOf = (name: string, storms: ReadonlyArray<Storm>, hasActor: boolean) => [
  name,
  spread(storms.map(({ seconds }) => seconds)),
  spread(storms.map((storm) => storm.cpuSeconds)),
  spread(storms.map(({ turnedAway }) => turnedAway)),
  hasActor ? spread(storms.map(({ actorBusy }) => actorBusy * 100)) : "",
]

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const sockets = affordableSockets(bench.options.sockets)
  const ours: Storm[] = []
  const peers: Storm[] = []
  for (let round = 0; round < bench.options.rounds; round++) {
    ours.push(await stormOn(bench, sockets))
    peers.push(await stormOnPeer(bench, sockets))
  }
  printRows([
    [`${number(sockets)} joins`, "s until all are ready", "server CPU s", "turned away", "event busy %"],
    rowOf("Gathercue", ours, true),
    rowOf("Socket.IO", peers, false),
  ])
  console.log(
    "\nours: token, user and key checked, snapshot and history told, presence counted, 5 announcements/s meanwhile; theirs: token checked, connected",
  )
  const speed = (storms: ReadonlyArray<Storm>) => storms.map(({ seconds }) => sockets / seconds)
  const economy = (storms: ReadonlyArray<Storm>) => storms.map((storm) => sockets / storm.cpuSeconds)
  const texts = [ratio("joins/s", speed(ours), speed(peers)).text]
  texts.push(ratio("joins per CPU second", economy(ours), economy(peers)).text)
  const seconds = spreadOf(ours.map((storm) => storm.seconds)).median
  const cost = spreadOf(ours.map((storm) => storm.cpuSeconds)).median / spreadOf(peers.map((s) => s.cpuSeconds)).median
  return {
    peer: "Socket.IO with a token check",
    ratios: texts,
    goals: [atMost("CPU per join to Socket.IO", cost, 0.8, "x"), atMost("until all are ready", seconds, 3.3, "s")],
  }
}

export const joinstorm = defineBenchmark({
  summary: "Ten thousand joins at once: seconds until all are ready and how busy the event is, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 400,
  run,
})
