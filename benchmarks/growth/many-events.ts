/** More and more live events on one server, each with a running timer and a host: what an event costs, and its commands. */
import { storeLiveEvents } from "../actors/seed.ts"
import type { Defer } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import type { Child } from "../support/child.ts"
import { openCommanders } from "../support/commanders.ts"
import type { Acknowledged, CommandersOptions, Commands } from "../support/commanders-process.ts"
import { sleep } from "../support/figures.ts"
import type { GatewayPlace } from "../support/gateway-tokens.ts"
import { type LiveServer, openAudience } from "../support/live-server.ts"
import { memoryOf } from "../support/memory.ts"
import { atRest, beyond, type Used, untilQuiet, usedBy } from "../support/usage.ts"
import type { FiguresBySize } from "./figures-by-size.ts"
import type { Pace } from "./one-event.ts"

/** Few enough that the event shows them as a list, at every size. */
const JOINERS = 150
const JOINS_PER_SECOND = 200
/** Presence is flushed and counted within it. */
const SETTLE_MS = 1200
/** The memory and the rest of fewer events are lost in those of the process. */
const FEWEST_SHOWN = 50

const addEvents = async (
  { databaseUrl, workspace }: LiveServer,
  count: number,
): Promise<ReadonlyArray<GatewayPlace>> => {
  const ids = await storeLiveEvents(databaseUrl, workspace.id, count)
  return ids.map((eventId) => ({ eventId, workspaceId: workspace.id }))
}

/** In seconds of CPU. */
const joinOne = async (live: LiveServer, place: GatewayPlace, rest: Used, defer: Defer): Promise<number> => {
  const given = { port: live.server.port, sockets: JOINERS, speaks: "gateway" } as const
  const crowd = await openAudience({ ...given, place }, defer)
  const used = await usedBy(live, async () => {
    await crowd.call<Joined>("join", JOINS_PER_SECOND)
    await sleep(SETTLE_MS)
  })
  await crowd.stop()
  await untilQuiet(live)
  return beyond(used, rest).server / JOINERS
}

const commandAll = async (
  live: LiveServer,
  hosts: Child,
  { perSecond, seconds }: Pace,
  rest: Used,
): Promise<Acknowledged & Used> => {
  let acknowledged: Acknowledged | undefined
  const used = await usedBy(live, async () => {
    acknowledged = await hosts.call<Acknowledged>("command", { perSecond, seconds } satisfies Commands)
  })
  if (acknowledged === undefined) throw new Error("no command was acknowledged")
  return { ...acknowledged, ...beyond(used, rest) }
}

/** The events of a size stay when those of the next one come. */
export const measureEvents = async (
  live: LiveServer,
  sizes: ReadonlyArray<number>,
  pace: Pace & { readonly rounds: number },
  figures: FiguresBySize,
  defer: Defer,
): Promise<void> => {
  const given = { hostPort: live.server.port, viewerPort: null } as const
  const hosts = await openCommanders({ ...given, places: [] }, defer)
  const places: GatewayPlace[] = []
  await untilQuiet(live)
  const [emptyMemory, emptyRest] = [await memoryOf(live.server), await atRest(live, pace.rest)]
  for (const size of sizes) {
    const added = await addEvents(live, size - places.length)
    places.push(...added)
    const opened = await usedBy(live, () => hosts.call("open", { ...given, places: added } satisfies CommandersOptions))
    await untilQuiet(live)
    const rest = await atRest(live, pace.rest)
    if (size >= FEWEST_SHOWN) {
      const { heapUsed } = await memoryOf(live.server)
      figures.add(size, {
        "CPU us to bring one into memory": (opened.server / added.length) * 1e6,
        "heap bytes per event and its host": (heapUsed - emptyMemory.heapUsed) / size,
        "CPU us per event and second at rest": (beyond(rest, emptyRest).server / rest.seconds / size) * 1e6,
        "PostgreSQL us per event and second at rest": (beyond(rest, emptyRest).postgres / rest.seconds / size) * 1e6,
      })
    }
    for (let round = 0; round < pace.rounds; round++) {
      const done = await commandAll(live, hosts, pace, rest)
      const [place] = places.slice(-1)
      figures.add(size, {
        "CPU us per command": (done.server / done.commands) * 1e6,
        "PostgreSQL us per command": (done.postgres / done.commands) * 1e6,
        "command answered p50 ms": done.p50Ms,
        "command answered p99 ms": done.p99Ms,
        "CPU us per join to one of them": place === undefined ? 0 : (await joinOne(live, place, rest, defer)) * 1e6,
      })
    }
  }
  await hosts.stop()
}
