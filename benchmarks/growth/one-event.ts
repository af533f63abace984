/** One event with more and more people: what each of them costs when they join, when they are told something, and while they are there. */
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { newId } from "../../src/model/ids.ts"
import type { Defer } from "../benchmark.ts"
import type { PublishOptions } from "../fanout/raw-uws-peer.ts"
import type { Joined, Received } from "../support/audience.ts"
import { type Child, startChild } from "../support/child.ts"
import { openCommanders } from "../support/commanders.ts"
import type { Acknowledged, Commands } from "../support/commanders-process.ts"
import { sleep } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { JOINS_PER_SECOND, type LiveServer, openAudience, SHOW } from "../support/live-server.ts"
import { memoryOf } from "../support/memory.ts"
import { threadSeconds } from "../support/process-usage.ts"
import { call, createLiveEvent } from "../support/rest-calls.ts"
import { atRest, beyond, untilQuiet, usedBy } from "../support/usage.ts"
import type { FiguresBySize } from "./figures-by-size.ts"

export interface Pace {
  readonly perSecond: number
  readonly seconds: number
  /** Seconds over which the CPU at rest is taken. */
  readonly rest: number
}

/** Each may write five messages a second. */
const HOSTS = 4
/** The memory of fewer is lost in that of the process. */
const FEWEST_SHOWN = 1000
/** Presence is flushed and counted within it. */
const SETTLE_MS = 1200

/** An event of its own for each measurement, with its hosts. */
const openEvent = async ({ server, workspace, place }: LiveServer, defer: Defer) => {
  const eventId = await createLiveEvent(server.url, workspace.key, SHOW)
  const event: GatewayPlace = { ...place, eventId }
  const given = { places: [event], hostPort: server.port, viewerPort: null, hosts: HOSTS }
  const hosts = await openCommanders(given, defer)
  const end = async (): Promise<void> => {
    await hosts.stop()
    await call(server.url, "POST", `/v1/events/${eventId}/end`, { key: workspace.key })
  }
  return { event, hosts, end }
}

const usersFrom = (place: GatewayPlace, from: number, to: number): GatewayPlace =>
  place.users === undefined ? place : { ...place, users: { ...place.users, ids: place.users.ids.slice(from, to) } }

/**
 * Resident memory of a socket, once all garbage was collected. The first ones pay for what the process needs once, so the others are
 * measured apart. It must come first: later the process has memory of its own to give. It also makes later measurements warm.
 */
export const measureMemory = async (
  live: LiveServer,
  [first, all]: readonly [number, number],
  figures: FiguresBySize,
  defer: Defer,
): Promise<void> => {
  const { event, end } = await openEvent(live, defer)
  const crowds: Child[] = []
  const steps = [
    [0, first],
    [first, all],
  ] as const
  for (const [from, to] of steps) {
    const { rss } = await memoryOf(live.server)
    const given = { port: live.server.port, sockets: to - from, speaks: "gateway" } as const
    const crowd = await openAudience({ ...given, place: usersFrom(event, from, to) }, defer)
    await crowd.call<Joined>("join", JOINS_PER_SECOND)
    await untilQuiet(live)
    const added = to - from
    if (added >= FEWEST_SHOWN)
      figures.add(to, { "resident bytes per socket": ((await memoryOf(live.server)).rss - rss) / added })
    crowds.push(crowd)
  }
  for (const crowd of crowds) await crowd.stop()
  await end()
  await untilQuiet(live)
}

/** One round at one size. */
export const measureSize = async (
  live: LiveServer,
  size: number,
  { perSecond, seconds, rest: restSeconds }: Pace,
  figures: FiguresBySize,
  defer: Defer,
): Promise<void> => {
  const { event, hosts, end } = await openEvent(live, defer)
  const place = usersFrom(event, 0, size)
  const crowd = await openAudience({ port: live.server.port, sockets: size, speaks: "gateway", place }, defer)
  await untilQuiet(live)
  const empty = await atRest(live, restSeconds)
  const joined = await usedBy(live, async () => {
    const { turnedAway } = await crowd.call<Joined>("join", JOINS_PER_SECOND)
    if (turnedAway > 0) throw new Error(`${turnedAway} of ${size} sockets were turned away`)
    await sleep(SETTLE_MS)
  })
  await untilQuiet(live)
  const rest = await atRest(live, restSeconds)
  const commands = async (sends: NonNullable<Commands["sends"]>) => {
    let acknowledged: Acknowledged | undefined
    let deliveries = 0
    await crowd.call("listen")
    const used = await usedBy(live, async () => {
      acknowledged = await hosts.call<Acknowledged>("command", { perSecond, seconds, sends } satisfies Commands)
      if (sends === "announcements") deliveries = (await crowd.call<Received>("received")).deliveries
    })
    if (acknowledged === undefined) throw new Error("no command was acknowledged")
    return { ...acknowledged, deliveries, ...beyond(used, rest) }
  }
  const told = await commands("announcements")
  const due = told.commands * size
  if (told.deliveries !== due) throw new Error(`${told.deliveries} deliveries of ${due} at ${size} sockets`)
  const noted = await commands("notes")
  const us = (cpuSeconds: number, things: number): number => (cpuSeconds / things) * 1e6
  figures.add(size, {
    "CPU us per join": us(beyond(joined, empty).server, size),
    "PostgreSQL us per join": us(beyond(joined, empty).postgres, size),
    "CPU us per delivery": us(told.server, told.deliveries),
    "CPU us per announcement": us(told.server, told.commands),
    "CPU us per note to hosts": us(noted.server, noted.commands),
    "PostgreSQL us per announcement": us(told.postgres, told.commands),
    "announcement answered p50 ms": told.p50Ms,
    "announcement answered p99 ms": told.p99Ms,
    "CPU us per socket and second at rest":
      us(rest.server - (empty.server / empty.seconds) * rest.seconds, size) / rest.seconds,
  })
  await crowd.stop()
  await end()
  await untilQuiet(live)
}

/** The limit: the same frames from raw uWebSockets.js. */
export const measureRaw = async (
  sizes: ReadonlyArray<number>,
  { perSecond, seconds }: Pace,
  figures: FiguresBySize,
  defer: Defer,
): Promise<void> => {
  const peer = await startChild(new URL("../fanout/raw-uws-peer.js", import.meta.url), defer)
  const port = await peer.call<number>("start")
  const place = { eventId: newId(), workspaceId: newId() }
  for (const sockets of sizes) {
    const crowd = await openAudience({ port, sockets, speaks: "raw", place }, defer)
    await crowd.call<Joined>("join", JOINS_PER_SECOND)
    await crowd.call("listen")
    const before = threadSeconds(peer.pid)
    const tickMs = GATEWAY_DEFAULTS.tickMs(sockets + 1)
    await peer.call<number>("publish", { perSecond, seconds, tickMs } satisfies PublishOptions)
    const { deliveries } = await crowd.call<Received>("received")
    const used = threadSeconds(peer.pid) - before
    figures.add(sockets, { "CPU us per delivery, raw uWebSockets.js": (used / deliveries) * 1e6 })
    await crowd.stop()
  }
  await peer.stop()
}
