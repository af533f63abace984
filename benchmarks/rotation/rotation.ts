/**
 * Rounds of speed networking for a whole audience: how long the pairing takes, and how long after the host's word everyone
 * knows their partner. Ours is committed (the round, seats, and each one's dispatch) before anybody is told; Socket.IO pairs
 * by the same function and only emits.
 */
import { newId } from "../../src/model/ids.ts"
import { nextRound, startRotation } from "../../src/model/rotation/rotation-pairing.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { Told } from "../support/crowd-process.ts"
import { percentile, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report } from "../support/report.ts"
import { compared, measure, nothingMeasured, openContestants } from "../support/seating.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"

const OPTIONS = {
  people: { fallback: 2000, quick: 400, doc: "People present." },
  rounds: { fallback: 10, quick: 2, doc: "Rounds of each side, in turns." },
  pairings: { fallback: 100, quick: 20, doc: "Rounds of the pairing alone." },
  ...PROFILE_OPTION,
}

const AWAITED = "rotation.round"
const OPTIONS_OF_PAIRING = { groupSize: 2, odd: "bye", seed: 1 } as const

/** One round after the other for the same people; each with one who left and one who came. */
const pairAlone = (people: number, rounds: number): ReadonlyArray<number> => {
  let state = startRotation()
  let present = Array.from({ length: people }, newId)
  return Array.from({ length: rounds }, () => {
    const startedAt = performance.now()
    const round = nextRound(state, present, OPTIONS_OF_PAIRING)
    const ms = performance.now() - startedAt
    state = round.state
    present = [...present.slice(1), newId()]
    return ms
  })
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const { people, rounds } = options
  const alone = pairAlone(people, options.pairings)
  const [ours, theirs] = await openContestants("rotation", people, options.profile, defer)
  const [own, peer] = [nothingMeasured(), nothingMeasured()]
  const first = { t: "rotation.start", d: { roundSeconds: 3600, rounds: "exhaust" }, awaits: AWAITED }
  const skip = { t: "rotation.skip", d: {}, awaits: AWAITED }
  for (let round = 0; round < rounds; round++) {
    await measure(ours, own, () => ours.crowd.call<Told>("tell", round === 0 ? first : skip))
    await measure(theirs, peer, () => theirs.crowd.call<Told>("tell", skip))
  }
  console.log(
    `  the pairing alone, ${options.pairings} rounds: ${spread(alone)} ms, p99 ${percentile(alone, 0.99).toFixed(1)} ms\n`,
  )
  return compared(`${people} people in pairs`, own, peer, [
    atMost("pairing of a round", spreadOf(alone).median, 20, "ms"),
    atMost("all told", spreadOf(own.allMs).median, 130, "ms"),
  ])
}

export const rotation = defineBenchmark({
  summary: "Rounds of pairs for two thousand people: the pairing, and until everyone was told, against Socket.IO.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
