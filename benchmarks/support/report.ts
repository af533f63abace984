/** The result of a benchmark: ratios to its peers, and goals with their verdicts. */
import { number, spreadOf } from "./figures.ts"

export interface Goal {
  readonly what: string
  readonly value: number
  readonly goal: number
  /** `x` for a ratio, else the unit. */
  readonly unit: string
  readonly better: "higher" | "lower"
}

export const atMost = (what: string, value: number, goal: number, unit: string): Goal => ({
  ...{ what, value, goal, unit },
  better: "lower",
})

export const atLeast = (what: string, value: number, goal: number, unit: string): Goal => ({
  ...{ what, value, goal, unit },
  better: "higher",
})

const verdictOf = ({ what, value, goal, unit, better }: Goal): string => {
  const isMet = better === "higher" ? value >= goal : value <= goal
  const sign = better === "higher" ? ">=" : "<="
  const gap = unit === "x" ? "" : " "
  return `${what} ${number(value)}${gap}${unit} (goal ${sign} ${goal}${gap}${unit}: ${isMet ? "met" : "MISSED"})`
}

/** What a benchmark found, compared with its peers and with its goals. */
export interface Report {
  readonly peer: string
  readonly ratios: ReadonlyArray<string>
  readonly goals?: ReadonlyArray<Goal>
}

/** The last lines of a benchmark. */
export const printReport = ({ peer, ratios, goals = [] }: Report): void => {
  if (goals.length > 0) console.log(`\nGoals: ${goals.map(verdictOf).join("; ")}`)
  if (ratios.length > 0) console.log(`Ratio to ${peer}: ${ratios.join("; ")}`)
}

export const ratio = (what: string, ours: ReadonlyArray<number>, peer: ReadonlyArray<number>) => {
  const value = spreadOf(ours).median / spreadOf(peer).median
  return { value, text: `${what} ${value.toFixed(2)}x` }
}
