/**
 * What things cost as there are more of them: joins, deliveries, commands and memory of one event with more and more people, and of a server
 * with more and more live events. A slope of 1 means that the total cost is linear. The limit of deliveries is raw uWebSockets.js.
 */

import { type Bench, defineBenchmark } from "../benchmark.ts"
import { affordableSockets, startLiveServer } from "../support/live-server.ts"
import type { Report } from "../support/report.ts"
import { PRODUCTION, PROFILE_OPTION } from "../support/server-process.ts"
import { FiguresBySize } from "./figures-by-size.ts"
import { measureEvents } from "./many-events.ts"
import { measureMemory, measureRaw, measureSize } from "./one-event.ts"

const OPTIONS = {
  sockets: {
    fallback: 10_000,
    quick: 600,
    doc: "Largest audience of one event; the others have 1/10 and 1/100 of it.",
  },
  events: { fallback: 10_000, quick: 100, doc: "Most live events; the others are one, and 1/100 of it." },
  steps: { fallback: 3, quick: 2, doc: "2 leaves out the size in the middle." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of all sizes, in turns." },
  seconds: { fallback: 8, quick: 1.5, doc: "For which announcements, and then commands, are sent." },
  perSecond: { fallback: 20, doc: "Announcements or commands a second, at most 40." },
  rest: { fallback: 6, quick: 0.5, doc: "Seconds over which the CPU at rest is taken each time." },
  only: { fallback: 0, doc: "1 measures one event alone, 2 many events." },
  ...PROFILE_OPTION,
}

const STEP = 10

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const sockets = affordableSockets(options.sockets)
  const events = affordableSockets(options.events)
  const chosen = (sizes: ReadonlyArray<number>): ReadonlyArray<number> => {
    const whole = sizes.map((size) => Math.max(1, Math.round(size)))
    return options.steps === 2 ? whole.filter((_, at) => at !== 1) : whole
  }
  const live = await startLiveServer(options.profile, defer, {
    environment: PRODUCTION,
    users: sockets,
    isProbed: true,
  })
  const middle = Math.round(sockets / STEP)
  const memory = new FiguresBySize("people at one event", [middle, sockets])
  // Also when one event is not measured: it makes the process warm.
  await measureMemory(live, [middle, sockets], memory, defer)
  const told: FiguresBySize[] = []
  if (options.only !== 2) {
    const sizes = chosen([sockets / STEP ** 2, sockets / STEP, sockets])
    const people = new FiguresBySize("people at one event", sizes)
    for (let round = 0; round < options.rounds; round++) {
      for (const size of sizes) await measureSize(live, size, options, people, defer)
      await measureRaw(sizes, options, people, defer)
    }
    people.addDifferences("CPU us per announcement", "CPU us per further delivery")
    told.push(people, memory)
  }
  if (options.only !== 1) {
    const sizes = chosen([1, events / STEP ** 2, events])
    const many = new FiguresBySize("live events", sizes)
    await measureEvents(live, sizes, options, many, defer)
    told.push(many)
  }
  for (const figures of told) {
    figures.print()
    console.log("")
  }
  console.log(
    `${options.rounds} rounds, ${options.perSecond} a second for ${options.seconds} s; median (min..max); CPU beyond what the process takes at rest`,
  )
  console.log("a delivery has its share of the command that caused it; a note is told to the hosts alone")
  return { peer: "the smallest size (1 means linear)", ratios: told.flatMap((figures) => figures.slopes()) }
}

export const growth = defineBenchmark({
  summary: "What joins, deliveries, commands and memory cost as an audience grows, and as live events become more.",
  options: OPTIONS,
  limitSeconds: 1200,
  run,
})
