/**
 * Everyone at an event into breakout rooms: how long a plan takes, and how long after the host's word everyone knows their
 * room. Ours is committed (rooms, seats, and each one's dispatch) before anybody is told; Socket.IO plans by the same
 * function and only emits.
 */
import { planBreakout } from "../../src/model/breakouts/breakout-plan.ts"
import { newId } from "../../src/model/ids.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Told } from "../support/crowd-process.ts"
import { sleep, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report } from "../support/report.ts"
import { type Contestant, compared, measure, nothingMeasured, openContestants } from "../support/seating.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"

const OPTIONS = {
  people: { fallback: 1000, quick: 400, doc: "People present." },
  size: { fallback: 4, doc: "People a room." },
  rounds: { fallback: 7, quick: 2, doc: "Rounds of each side, in turns." },
  ...PROFILE_OPTION,
}

const AWAITED = "assignment.updated"
const SETTLE_MS = 1000

/** The plan alone, without command and commit. */
const planAlone = (people: number, size: number, seed: number): number => {
  const ids = Array.from({ length: people }, newId)
  const startedAt = performance.now()
  planBreakout({ people: ids, size, strategy: "balanced", seed })
  return performance.now() - startedAt
}

const openOurs = async ({ crowd }: Contestant, people: number, size: number, planMs: number[]): Promise<Told> => {
  const startedAt = performance.now()
  const { plan } = await crowd.call<{ readonly plan: { readonly id: string; readonly rooms: ReadonlyArray<Seats> } }>(
    "ask",
    { t: "breakout.plan", d: { strategy: "balanced", size } },
  )
  planMs.push(performance.now() - startedAt)
  const seated = plan.rooms.reduce((sum, room) => sum + room.people.length, 0)
  if (seated !== people) throw new Error(`${seated} of ${people} people were seated`)
  return crowd.call<Told>("tell", { t: "breakout.open", d: { planId: plan.id }, awaits: AWAITED })
}

interface Seats {
  readonly people: ReadonlyArray<string>
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const { people, size, rounds } = options
  const [ours, theirs] = await openContestants("breakout", people, options.profile, defer)
  const [own, peer] = [nothingMeasured(), nothingMeasured()]
  const planMs: number[] = []
  const aloneMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    aloneMs.push(planAlone(people, size, round))
    await measure(ours, own, () => openOurs(ours, people, size, planMs))
    await ours.crowd.call<Told>("tell", { t: "breakout.close", d: { graceMs: 0 }, awaits: "assignment.ended" })
    await sleep(SETTLE_MS)
    await measure(theirs, peer, () =>
      theirs.crowd.call<Told>("tell", { t: "breakout.open", d: { size }, awaits: AWAITED }),
    )
  }
  console.log(`  the plan alone ${spread(aloneMs)} ms; asked for, committed and answered ${spread(planMs)} ms\n`)
  return compared(`${people} people, ${size} a room`, own, peer, [
    atMost("plan", spreadOf(planMs).median, 100, "ms"),
    atMost("all told", spreadOf(own.allMs).median, 80, "ms"),
  ])
}

export const breakout = defineBenchmark({
  summary: "A thousand people into breakout rooms: the plan, and until everyone was told, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
