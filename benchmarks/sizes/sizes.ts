/**
 * What a server that runs alone takes with an audience of 100, 1,000 and 10,000 people at one event: memory and shares of a core, of the
 * server and of PostgreSQL, while people arrive and while the event goes on, and how late they hear of what happens.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Joined, Received } from "../support/audience.ts"
import type { AnnounceOptions } from "../support/audience-process.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { affordableSockets, openAudience, startLiveServer } from "../support/live-server.ts"
import { residentBytes } from "../support/process-usage.ts"
import { PRODUCTION, PROFILE_OPTION } from "../support/server-process.ts"
import { type Used, untilQuiet, usedBy } from "../support/usage.ts"

const OPTIONS = {
  people: { fallback: 10_000, quick: 1000, doc: "Largest audience; the others have 1/10 and 1/100 of it." },
  arriveSeconds: { fallback: 30, quick: 5, doc: "In which all of them arrive." },
  perSecond: { fallback: 5, doc: "Commands of a host a second, of which everybody hears." },
  seconds: { fallback: 20, quick: 5, doc: "For which they are sent." },
  ...PROFILE_OPTION,
}

const MIB = 1024 ** 2

interface Figures {
  readonly people: number
  readonly arriving: Used
  readonly running: Used
  readonly restMib: number
  readonly mostMib: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A server of its own, so that the memory is that of this audience alone. */
const measure = async ({ options, defer }: Bench<typeof OPTIONS>, people: number): Promise<Figures> => {
  const live = await startLiveServer(options.profile, defer, { environment: PRODUCTION, users: people })
  const { server, place } = live
  await untilQuiet(live)
  const restMib = residentBytes(server.pid) / MIB
  let mostMib = restMib
  const look = setInterval(() => {
    mostMib = Math.max(mostMib, residentBytes(server.pid) / MIB)
  }, 200)
  defer(() => clearInterval(look))
  const crowd = await openAudience({ port: server.port, sockets: people, speaks: "gateway", place }, defer)
  const arriving = await usedBy(live, async () => {
    const { turnedAway } = await crowd.call<Joined>("join", Math.ceil(people / options.arriveSeconds))
    if (turnedAway > 0) throw new Error(`${turnedAway} of ${people} people were turned away`)
  })
  await sleep(2000)
  await crowd.call("listen")
  const { perSecond, seconds } = options
  let heard: Received | undefined
  const running = await usedBy(live, async () => {
    const told: AnnounceOptions = { port: server.port, place, text: "What happens at the event.", perSecond, seconds }
    await crowd.call("announce", told)
    await crowd.call("announced")
    heard = await crowd.call<Received>("received")
  })
  const due = perSecond * seconds * people
  if (heard?.deliveries !== due) throw new Error(`${heard?.deliveries} deliveries of ${due} to ${people} people`)
  clearInterval(look)
  await crowd.stop()
  await server.stop()
  return { people, arriving, running, restMib, mostMib, p50Ms: heard.p50Ms, p99Ms: heard.p99Ms }
}

const share = (cpu: number, { seconds }: Used): string => `${((cpu / seconds) * 100).toFixed(0)} %`

const run = async (bench: Bench<typeof OPTIONS>): Promise<undefined> => {
  const most = affordableSockets(bench.options.people)
  const rows: string[][] = []
  for (const part of [100, 10, 1]) {
    const found = await measure(bench, Math.max(1, Math.round(most / part)))
    const { arriving, running } = found
    rows.push([
      number(found.people),
      found.restMib.toFixed(0),
      found.mostMib.toFixed(0),
      `${share(arriving.server, arriving)} in ${arriving.seconds.toFixed(0)} s`,
      share(arriving.postgres, arriving),
      share(running.server, running),
      share(running.postgres, running),
      found.p50Ms.toFixed(0),
      found.p99Ms.toFixed(0),
    ])
  }
  const heads = ["people", "MiB before", "MiB at most", "core, arriving", "PostgreSQL", "core, running", "PostgreSQL"]
  printRows([[...heads, "heard p50 ms", "p99 ms"], ...rows])
  console.log(`\n${bench.options.perSecond} commands a second while it runs; everybody hears of each`)
}

export const sizes = defineBenchmark({
  summary: "Memory and cores of a server that runs alone, for audiences of 100, 1,000 and 10,000 people.",
  options: OPTIONS,
  limitSeconds: 480,
  run,
})
