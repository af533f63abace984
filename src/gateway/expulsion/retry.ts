/** Trying again what must happen although the database or a live event cannot be reached for a while. */
import { Schedule } from "effect"

/** The tries take about four minutes together. */
export const RETRY_FOR_MINUTES = {
  while: ({ _tag }: { readonly _tag: string }): boolean => _tag === "Unavailable",
  times: 55,
  schedule: Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
} as const
