/**
 * Everybody's link breaks at once: how long until presence says exactly who is left, what a departure costs the server, and what a host who
 * stays feels of it. Sockets are cut, and once their processes are killed. The peer is Socket.IO at its best, with as many sockets in one
 * room: until that is empty. It tells nobody, and stores nothing.
 */
import postgres from "postgres"
import { newId } from "../../src/model/ids.ts"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import { type Child, startChild } from "../support/child.ts"
import { number, printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import {
  affordableSockets,
  JOINS_PER_SECOND,
  type LiveServer,
  openAudience,
  SHOW,
  startLiveServer,
} from "../support/live-server.ts"
import { threadSeconds } from "../support/process-usage.ts"
import { type Report, ratio } from "../support/report.ts"
import { call, createLiveEvent } from "../support/rest-calls.ts"
import { PRODUCTION, PROFILE_OPTION } from "../support/server-process.ts"
import type { SocketIoOptions } from "../support/socket-io-server.ts"
import { atRest, beyond, untilQuiet, usedBy } from "../support/usage.ts"
import { openCrowd, type Way } from "./crowd.ts"
import type { Announced, Awaited, Awaiting, WatchOptions } from "./watch-process.ts"

const OPTIONS = {
  sockets: { fallback: 20_000, quick: 4000, doc: "Sockets that go at once; also a half and a quarter of them." },
  stay: { fallback: 20, doc: "People who stay; when processes are killed, only the host does." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of all sizes on both sides, in turns." },
  perSecond: { fallback: 10, doc: "Announcements per second of the host who stays." },
  steps: { fallback: 3, quick: 2, doc: "2 leaves out the half, and of the peer also the quarter." },
  settle: {
    fallback: 2,
    quick: 0.7,
    doc: "Seconds for which the event goes on before, and over which the CPU without departures is taken after.",
  },
  peers: { fallback: 1, doc: "0 leaves the peer out." },
  ...PROFILE_OPTION,
}
type Options = Bench<typeof OPTIONS>["options"]

/** The host. */
const WATCHERS = 1
const PATIENCE_MS = 90_000
/** Counts come once a second. */
const STAYS_MS = 1200
const WARM_UP = 300

interface Departure {
  /** From the first broken link until presence is exact. */
  readonly seconds: number
  readonly cpuUs: number
  readonly postgresUs: number
  readonly beforeP99Ms: number
  readonly meanwhileP99Ms: number
}

const storedPeople = async ({ databaseUrl }: LiveServer, eventId: string): Promise<number> => {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    const [row] = await sql<{ people: number }[]>`
      select count(*)::integer as people from present_participants where event_id = ${eventId}`
    return row?.people ?? Number.NaN
  } finally {
    await sql.end()
  }
}

const demand = (people: number, expected: number, who: string): void => {
  if (people !== expected) throw new Error(`${who} says ${people} people are present, but there are ${expected}`)
}

/** The last one goes too: nobody is left then. */
const untilNobody = async (live: LiveServer, eventId: string): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  while ((await storedPeople(live, eventId)) > 0 && Date.now() < deadline) await sleep(100)
  demand(await storedPeople(live, eventId), 0, "the store")
}

const departOnce = async (
  live: LiveServer,
  sockets: number,
  way: Way,
  options: Pick<Options, "stay" | "perSecond" | "settle">,
  defer: Defer,
): Promise<Departure> => {
  const { server, workspace, place: first } = live
  const stay = way === "killed" ? 0 : options.stay
  const eventId = await createLiveEvent(server.url, workspace.key, SHOW)
  const place: GatewayPlace = { ...first, eventId }
  const watch = await startChild(new URL("./watch-process.js", import.meta.url), defer)
  await watch.call("open", { port: server.port, place } satisfies WatchOptions)
  const strangers = { eventId, workspaceId: place.workspaceId }
  const stayers = await openAudience({ port: server.port, sockets: stay, speaks: "gateway", place: strangers }, defer)
  await stayers.call<Joined>("join", JOINS_PER_SECOND)
  const crowd = await openCrowd({ port: server.port, sockets, speaks: "gateway", place }, defer)
  const everybody = sockets + stay + WATCHERS
  const left = stay + WATCHERS
  const awaiting = (people: number, staysMs: number) =>
    watch.call<Awaited>("until", { people, staysMs, patienceMs: PATIENCE_MS } satisfies Awaiting)
  const full = await awaiting(everybody, 0)
  demand(full.total, everybody, "the host's client, before,")
  await watch.call("announce", options.perSecond)
  await sleep(options.settle * 1000)
  const before = await watch.call<Announced>("announced")
  let [leftAt, exactAt] = [0, 0]
  const used = await usedBy(live, async () => {
    leftAt = await crowd.leave(way)
    const exact = await awaiting(left, STAYS_MS)
    demand(exact.total, left, "the host's client")
    exactAt = exact.at
  })
  const meanwhile = await watch.call<Announced>("announced")
  const rest = await atRest(live, options.settle)
  demand(await storedPeople(live, eventId), left, "the store")
  await watch.call("silence")
  await watch.stop()
  await stayers.stop()
  await untilNobody(live, eventId)
  await call(server.url, "POST", `/v1/events/${eventId}/end`, { key: workspace.key })
  await untilQuiet(live)
  const departed = beyond(used, rest)
  return {
    seconds: (exactAt - leftAt) / 1000,
    cpuUs: (departed.server / sockets) * 1e6,
    postgresUs: (departed.postgres / sockets) * 1e6,
    beforeP99Ms: before.p99Ms,
    meanwhileP99Ms: meanwhile.p99Ms,
  }
}

type PeerDeparture = Pick<Departure, "seconds" | "cpuUs">

const departFromPeer = async (
  peer: Child,
  port: number,
  sockets: number,
  way: Way,
  { settle }: Pick<Options, "settle">,
  defer: Defer,
): Promise<PeerDeparture> => {
  const place = { eventId: newId(), workspaceId: newId() }
  const crowd = await openCrowd({ port, sockets, speaks: "socket.io", place }, defer)
  await sleep(settle * 1000)
  const before = threadSeconds(peer.pid)
  const leaving = crowd.leave(way)
  const emptyAt = await peer.call<number>("emptied")
  const seconds = (emptyAt - (await leaving)) / 1000
  // Timers and garbage of those who went.
  await sleep(settle * 1000)
  return { seconds, cpuUs: ((threadSeconds(peer.pid) - before) / sockets) * 1e6 }
}

interface Row<Of> {
  readonly sockets: number
  readonly way: Way
  readonly rounds: Of[]
}

const rowsOf = <Of>(sockets: number, steps: number): ReadonlyArray<Row<Of>> => [
  ...[sockets / 4, ...(steps === 2 ? [] : [sockets / 2]), sockets].map((size) => ({
    sockets: Math.round(size),
    way: "cut" as const,
    rounds: [],
  })),
  { sockets, way: "killed", rounds: [] },
]

const nameOf = ({ sockets, way }: Row<unknown>): string => `${number(sockets)} ${way}`

const printOurs = (rows: ReadonlyArray<Row<Departure>>): void => {
  const cells = ({ rounds }: Row<Departure>) =>
    (["seconds", "cpuUs", "postgresUs", "beforeP99Ms", "meanwhileP99Ms"] as const).map((figure) =>
      spread(rounds.map((round) => round[figure])),
    )
  printRows([
    [
      "Gathercue",
      "s until presence is exact",
      "CPU us per departure",
      "PostgreSQL us",
      "answered p99 ms before",
      "p99 ms meanwhile",
    ],
    ...rows.map((row) => [nameOf(row), ...cells(row)]),
  ])
}

const printPeers = (rows: ReadonlyArray<Row<PeerDeparture>>): void =>
  printRows([
    ["Socket.IO at its best", "s until the room is empty", "CPU us per departure"],
    ...rows.map((row) => [
      nameOf(row),
      spread(row.rounds.map(({ seconds }) => seconds)),
      spread(row.rounds.map(({ cpuUs }) => cpuUs)),
    ]),
  ])

const startPeer = async (defer: Defer) => {
  const peer = await startChild(new URL("../support/socket-io-peer.js", import.meta.url), defer)
  const options: SocketIoOptions = { engine: "uWebSockets.js", checksTokens: false }
  return { peer, port: await peer.call<number>("start", options) }
}

const cpuOf = (row: Row<PeerDeparture> | undefined): number[] => row?.rounds.map(({ cpuUs }) => cpuUs) ?? []
const secondsOf = (row: Row<PeerDeparture> | undefined): number[] => row?.rounds.map(({ seconds }) => seconds) ?? []

/** The first row is a quarter of the sockets, the last two are all of them: cut, and killed. */
const reportOf = (ours: ReadonlyArray<Row<Departure>>, peers: ReadonlyArray<Row<PeerDeparture>>): Report => {
  const [quarter, whole, killed] = [ours[0], ours.at(-2), ours.at(-1)]
  const slope = ratio("CPU per departure, all to a quarter", cpuOf(whole), cpuOf(quarter))
  const answered = spreadOf(whole?.rounds.map(({ meanwhileP99Ms }) => meanwhileP99Ms) ?? []).median
  const toPeer =
    peers.length === 0
      ? []
      : [
          ratio("CPU per departure", cpuOf(whole), cpuOf(peers.at(-2))).text,
          ratio("seconds, cut", secondsOf(whole), secondsOf(peers.at(-2))).text,
          ratio("seconds, killed", secondsOf(killed), secondsOf(peers.at(-1))).text,
        ]
  console.log(
    `\n${slope.text} (1 means linear); presence was exact every time; answered p99 meanwhile ${number(answered)} ms`,
  )
  const against = peers.length === 0 ? "a quarter of the sockets" : "Socket.IO at its best (lower is better)"
  return { peer: against, ratios: [...toPeer, `slope of ours ${slope.value.toFixed(2)}x`] }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const sockets = affordableSockets(options.sockets + options.stay + WATCHERS) - options.stay - WATCHERS
  const live = await startLiveServer(options.profile, defer, { environment: PRODUCTION, users: sockets })
  const other = options.peers > 0 ? await startPeer(defer) : undefined
  const ours = rowsOf<Departure>(sockets, options.steps)
  const peers =
    other === undefined ? [] : rowsOf<PeerDeparture>(sockets, options.steps).slice(options.steps === 2 ? 1 : 0)
  await departOnce(live, Math.min(WARM_UP, sockets), "cut", options, defer)
  for (let round = 0; round < options.rounds; round++) {
    for (const row of ours) row.rounds.push(await departOnce(live, row.sockets, row.way, options, defer))
    for (const row of peers) {
      if (other === undefined) continue
      row.rounds.push(await departFromPeer(other.peer, other.port, row.sockets, row.way, options, defer))
    }
  }
  printOurs(ours)
  console.log("")
  if (peers.length > 0) printPeers(peers)
  return reportOf(ours, peers)
}

export const departures = defineBenchmark({
  summary:
    "A whole audience cut off at once: until presence is exact, CPU per departure, and its slope, beside Socket.IO.",
  options: OPTIONS,
  limitSeconds: 900,
  run,
})
