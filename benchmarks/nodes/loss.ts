/** One of three processes is killed while messages flow: what its clients and those of the others miss. */
import type { Defer } from "../benchmark.ts"
import { startChild } from "../support/child.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import type { Losses, LossOptions } from "./loss-process.ts"
import { openEvent, openNodes } from "./site.ts"
import { openPeer } from "./socket-io.ts"

interface LossRunOptions {
  readonly rounds: number
  readonly sockets: number
  readonly perSecond: number
}

const SECONDS = 12
const KILL_AFTER_MS = 4000

type Killed = Losses & { readonly perCut: number }

const killWhile = async (options: LossOptions, victim: number, perSecond: number, defer: Defer): Promise<Killed> => {
  const child = await startChild(new URL("./loss-process.js", import.meta.url), defer)
  await child.call("open", options)
  const flowing = child.call<Losses>("flow", { perSecond, seconds: SECONDS })
  await sleep(KILL_AFTER_MS)
  process.kill(victim, "SIGKILL")
  const losses = await flowing
  await child.stop()
  return { ...losses, perCut: losses.missedByCut / losses.cut }
}

/** Runs with its own undo, so that the servers of a round are gone before the next one. */
const within = async <A>(run: (defer: Defer) => Promise<A>, outer: Defer): Promise<A> => {
  const undo: Array<() => Promise<unknown> | unknown> = []
  const unwind = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  outer(unwind)
  try {
    return await run((step) => undo.push(step))
  } finally {
    await unwind()
  }
}

const lossOfOurs = ({ sockets, perSecond }: LossRunOptions, defer: Defer): Promise<Killed> =>
  within(async (step) => {
    const site = await openNodes(1, 0, step)
    const { place, owner } = await openEvent(site, 1)
    const ports = site.servers.map(({ port }) => port)
    const open = { ports, sockets, speaks: "gateway", place: { ...place, users: { ids: [], keyId: "" } } } as const
    return killWhile(open, site.servers[owner]?.pid ?? 0, perSecond, step)
  }, defer)

const lossOfPeer = ({ sockets, perSecond }: LossRunOptions, defer: Defer): Promise<Killed> =>
  within(async (step) => {
    const { processes } = await openPeer(step)
    const ports = processes.map(({ port }) => port)
    const place = { eventId: "", workspaceId: "" }
    const open = { ports, sockets, speaks: "socket.io", place } as const
    return killWhile(open, processes[0]?.child.pid ?? 0, perSecond, step)
  }, defer)

const rowOf = (name: string, all: ReadonlyArray<Killed>) => {
  const each = (value: (losses: Killed) => number): string => spread(all.map(value))
  return [
    name,
    each(({ acknowledged }) => acknowledged),
    each(({ missedByOthers }) => missedByOthers),
    each(({ perCut }) => perCut),
    each(({ cut }) => cut),
    each(({ resumed }) => resumed),
    each(({ repeats }) => repeats),
    each(({ backP50Ms }) => backP50Ms),
    each(({ backMaxMs }) => backMaxMs),
  ]
}

export const measureLoss = async (options: LossRunOptions, defer: Defer): Promise<void> => {
  const ours: Killed[] = []
  const peers: Killed[] = []
  for (let n = 0; n < options.rounds; n++) {
    ours.push(await lossOfOurs(options, defer))
    peers.push(await lossOfPeer(options, defer))
  }
  printRows([
    [
      `kill -9 of one of three, ${options.perSecond}/s to ${number(options.sockets)}`,
      "acknowledged",
      "missed by others",
      "missed by each cut client",
      "cut clients",
      "resumed",
      "repeats",
      "back p50 ms",
      "back max ms",
    ],
    rowOf("Gathercue", ours),
    rowOf("Socket.IO with Redis", peers),
  ])
  console.log("ours: the node that owns the event is killed. Theirs: no commit, no replay, no check of a token\n")
}
