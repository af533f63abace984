/** Plans of breakout rooms. The same seed gives the same plan, so the plan that a host saw is the one that opens. */
import { type PlanNote, withNote } from "../../../../model/breakouts/breakout-notes.ts"
import { planBreakout } from "../../../../model/breakouts/breakout-plan.ts"
import { type BreakoutPlan, ONLY } from "../../../../model/live/live-records.ts"
import { restoreHistory } from "../../../../model/pairing/meeting-history.ts"
import type { Turn } from "../../turn.ts"
import { isSeated, roleOf } from "./rooms.ts"
import { roundsOf } from "./rotation-rounds.ts"

/** Most plans kept; the oldest is removed first. */
const MAX_PLANS = 20
export const MAX_ROOMS = 500

/** Participants to be seated: everyone present except staff and viewers. */
const seatable = (turn: Turn): ReadonlyArray<string> =>
  [...turn.people.all()].filter((person) => isSeated(roleOf(turn, person))).map(({ participantId }) => participantId)

const isViewer = (turn: Turn, id: string): boolean => {
  const person = turn.people.find(id)
  return person !== undefined && roleOf(turn, person) === "viewer"
}

/** How often two participants have met at this event, in rounds and in rooms. */
const meetings = (turn: Turn, people: ReadonlyArray<string>) => {
  const rounds = roundsOf(turn.records)
  if (rounds.length === 0) return {}
  const among = restoreHistory(rounds).among(people)
  const numberOf = new Map(people.map((id, number) => [id, number]))
  return { met: (a: string, b: string) => among.times(numberOf.get(a) ?? -1, numberOf.get(b) ?? -1) }
}

type PlanRequest = Omit<Parameters<typeof planBreakout>[0], "people" | "seed" | "met"> & {
  readonly seed?: number
}

/** Seed of a plan, deterministic for the turn. */
const seedOf = (turn: Turn): number => Number.parseInt(turn.idFor("seed").slice(0, 8), 16)

/** The plan, and notes on where it differs from the request. */
export const makePlan = (
  turn: Turn,
  request: PlanRequest,
): { readonly plan: BreakoutPlan; readonly notes: ReadonlyArray<PlanNote> } => {
  const { seed = seedOf(turn), ...asked } = request
  const people = seatable(turn)
  const pinned = Object.fromEntries(Object.entries(asked.pinned ?? {}).filter(([id]) => !isViewer(turn, id)))
  const everyone = [...new Set([...people, ...Object.keys(pinned)])]
  const planned = planBreakout({ ...asked, pinned, people, seed, ...meetings(turn, everyone) })
  const plan: BreakoutPlan = {
    id: turn.freshId,
    strategy: request.strategy,
    seed,
    rooms: planned.rooms.map(({ name, people: inside }) => ({ name, people: inside })),
    unplaced: planned.unplaced,
    size: asked.rooms === undefined && asked.strategy === "balanced" ? (asked.size ?? null) : null,
    at: turn.at,
  }
  const isViewerPinned = Object.keys(pinned).length < Object.keys(asked.pinned ?? {}).length
  return { plan, notes: isViewerPinned ? withNote(planned.notes, "pin_ignored") : planned.notes }
}

/** Keeps the newest plans, and the plan of the open rooms, which late joiners need. */
export const keepPlan = (turn: Turn, plan: BreakoutPlan): void => {
  turn.put("plan", plan.id, plan)
  const inUse = turn.get("breakout", ONLY)?.planId
  const plans = [...turn.all("plan").values()].sort((a, b) => (a.at < b.at ? -1 : 1))
  for (const { id } of plans.slice(0, Math.max(0, plans.length - MAX_PLANS))) {
    if (id !== inUse && id !== plan.id) turn.remove("plan", id)
  }
}
