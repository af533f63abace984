/**
 * Live events in memory: what one costs, how late its timer is, and how many commands go through. The peer is the same
 * commit without an actor: what the database alone gives.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { startDatabases } from "../support/database.ts"
import { number, percentile, printRows, sleep, spread } from "../support/figures.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { announce, commitBare, rateOf, readBare } from "./commits.ts"
import { type ActorHouse, openHouse } from "./house.ts"
import { type SeededEvent, seedLiveEvents, seedWorkspace } from "./seed.ts"

const OPTIONS = {
  events: { fallback: 10_000, quick: 500, doc: "Live events with running timers." },
  lead: { fallback: 40, quick: 8, doc: "Seconds until the first timer falls due; all must be in memory by then." },
  spread: { fallback: 20, quick: 4, doc: "Seconds over which all timers fall due." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of commands, through actors and without, in turns." },
  seconds: { fallback: 2, quick: 0.5, doc: "Length of a round." },
  pool: { fallback: 10, doc: "Database connections." },
  only: {
    fallback: 0,
    doc: "The number of one row of commands, for a profile of it alone, without timers; 0 measures everything.",
  },
}
type Options = Bench<typeof OPTIONS>["options"]

const WAKING_AT_ONCE = 32
/** How long after the last deadline a timer may still come. */
const LATE_MS = 10_000

const heapBytes = async (): Promise<number> => {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc (npm run bench does)")
  for (let n = 0; n < 4; n++) {
    globalThis.gc()
    await sleep(50)
  }
  return process.memoryUsage().heapUsed
}

const wakeAll = async (house: ActorHouse, events: ReadonlyArray<SeededEvent>): Promise<number> => {
  const startedAt = performance.now()
  let next = 0
  const lane = async (): Promise<void> => {
    for (let event = events[next++]; event !== undefined; event = events[next++]) await house.wake(event.id)
  }
  await Promise.all(Array.from({ length: WAKING_AT_ONCE }, lane))
  return events.length / ((performance.now() - startedAt) / 1000)
}

/** Lateness of each elapsed timer when its command began and when it was committed and published. */
const watchTimers = (house: ActorHouse, events: ReadonlyArray<SeededEvent>) => {
  const began: number[] = []
  const published: number[] = []
  for (const { id, endsAt } of events) {
    house.feed.subscribe(id, ({ publications }) => {
      const elapsed = publications.find(({ frame }) => frame.includes('"t":"timer.elapsed"'))
      if (elapsed === undefined) return
      published.push(Date.now() - endsAt)
      began.push((JSON.parse(elapsed.frame) as { ts: number }).ts - endsAt)
    })
  }
  return { began, published }
}

const measureTimers = async (house: ActorHouse, events: ReadonlyArray<SeededEvent>): Promise<number> => {
  const lateness = watchTimers(house, events)
  const last = Math.max(...events.map(({ endsAt }) => endsAt))
  const cpuBefore = process.cpuUsage()
  const from = Date.now()
  while (lateness.published.length < events.length && Date.now() < last + LATE_MS) await sleep(200)
  const cpu = process.cpuUsage(cpuBefore)
  if (lateness.published.length < events.length) {
    throw new Error(`${events.length - lateness.published.length} timers did not fire within ${LATE_MS} ms`)
  }
  const row = (what: string, values: ReadonlyArray<number>) => [
    what,
    ...[0.5, 0.99, 1].map((share) => number(percentile(values, share))),
  ]
  printRows([
    ["timer lateness, ms", "p50", "p99", "max"],
    row("command began", lateness.began),
    row("committed and published", lateness.published),
  ])
  console.log(
    `  CPU meanwhile ${number((cpu.user + cpu.system) / 10_000 / ((Date.now() - from) / 1000))} % of a core\n`,
  )
  return percentile(lateness.published, 0.99)
}

/** One event takes commands one by one however many wait, so only the first row's peer commits to one event. */
const CASES = [
  { what: "one event, 1 in flight", events: 1, inFlight: 1 },
  { what: "one event, 10 in flight", events: 1, inFlight: 10 },
  { what: "one event, 100 in flight", events: 1, inFlight: 100 },
  { what: "many events, 1 in flight", events: 100, inFlight: 1 },
  { what: "many events, 10 in flight", events: 100, inFlight: 10 },
  { what: "many events, 100 in flight", events: 100, inFlight: 100 },
]

const measureCommands = async (house: ActorHouse, ids: ReadonlyArray<string>, options: Options) => {
  const rows: string[][] = []
  const ratios: string[] = []
  for (const { what, events, inFlight } of options.only === 0 ? CASES : CASES.slice(options.only - 1, options.only)) {
    const through: number[] = []
    const without: number[] = []
    const pick = (lane: number): string => ids[events === 1 ? 0 : lane % events] ?? ""
    // Without an actor, commits to one event must be sent one after the other: its version is the fence.
    const bareInFlight = events === 1 ? 1 : inFlight
    for (let round = 0; round < options.rounds; round++) {
      through.push(await rateOf(inFlight, options.seconds, (lane) => announce(house, pick(lane))))
      const bare = await Promise.all(
        Array.from({ length: bareInFlight }, (_, lane) => readBare(house.sql, bareId(ids, pick(lane)))),
      )
      without.push(
        await rateOf(bareInFlight, options.seconds, async (lane) => {
          const event = bare[lane]
          if (event !== undefined) await commitBare(house.sql, event)
        }),
      )
    }
    const { text } = ratio(what, through, without)
    ratios.push(text)
    rows.push([what, spread(through), spread(without)])
  }
  printRows([["commands/s", "through actors", "bare commits"], ...rows])
  return ratios
}

/** Bare commits go to events of their own: an actor's event would be fenced out of step. */
const bareId = (ids: ReadonlyArray<string>, id: string): string => ids[ids.indexOf(id) + ids.length / 2] ?? ""

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const databases = await startDatabases(defer)
  const house = await openHouse(await databases.create("migrated"), options.pool, defer)
  const workspaceId = await seedWorkspace(house.driver)
  const COMMAND_EVENTS = 200
  const aDay = Date.now() + 86_400_000
  const forCommands = await seedLiveEvents(
    house.driver,
    workspaceId,
    Array.from({ length: COMMAND_EVENTS }, () => aDay),
  )
  await wakeAll(house, forCommands)
  const ids = forCommands.map(({ id }) => id)
  const ratios = await measureCommands(house, ids, options)
  console.log("")
  if (options.only !== 0) return { peer: "the same commits without an actor", ratios }

  const first = Date.now() + options.lead * 1000
  const endings = Array.from({ length: options.events }, (_, n) =>
    Math.round(first + (n / options.events) * options.spread * 1000),
  )
  const events = await seedLiveEvents(house.driver, workspaceId, endings)
  const before = await heapBytes()
  const activations = await wakeAll(house, events)
  if (Date.now() > first) throw new Error("the events were not in memory before the first timer; give a longer --lead")
  const perEventKiB = ((await heapBytes()) - before) / events.length / 1024
  console.log(`  ${number(events.length)} live events: ${number(perEventKiB)} KiB of heap each after gc`)
  console.log(`  ${number(activations)} activations/s, ${WAKING_AT_ONCE} at once\n`)
  const p99 = await measureTimers(house, events)
  console.log(`${options.rounds} rounds of ${options.seconds} s each; median (min..max)`)
  return {
    peer: "the same commits without an actor",
    ratios,
    goals: [atMost("heap per live event", perEventKiB, 22, "KiB"), atMost("timer lateness p99", p99, 100, "ms")],
  }
}

export const actors = defineBenchmark({
  summary: "Heap per live event, timer lateness, activations and commands per second, against bare commits.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
