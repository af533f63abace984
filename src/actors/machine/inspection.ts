/** The charts of an event as its operator sees them. */
import type { Inspection } from "../../model/live/inspection.ts"
import type { ReadContext } from "../domain/activities/activity.ts"
import { deadlinesOf } from "./clock.ts"
import { pollSnapshot } from "./poll-chart.ts"
import { statesOf } from "./snapshot.ts"

export const inspected = (context: ReadContext): Pick<Inspection, "states" | "polls" | "deadlines"> => ({
  states: statesOf(context.state.chart.value),
  polls: [...context.records.all("poll").values()].map((poll) => ({
    id: poll.id,
    states: statesOf(pollSnapshot(poll).value),
  })),
  deadlines: deadlinesOf(context),
})
