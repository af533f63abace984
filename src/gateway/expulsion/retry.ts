/** Retry schedule for work that must eventually succeed although the database or a live event is unreachable for a while. */
import { Schedule } from "effect"

/** The retries take about four minutes in total. */
export const RETRY_FOR_MINUTES = {
  while: ({ _tag }: { readonly _tag: string }): boolean => _tag === "Unavailable",
  times: 55,
  schedule: Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
} as const
