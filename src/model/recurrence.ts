/** Rules by which events repeat (RFC 5545, section 3.3.10), as far as a series has them, and the starts that they name. */
import { Result, Schema } from "effect"
import { RRuleTemporal } from "rrule-temporal"
import { type Timestamp, toMillis, toTimestamp } from "./timestamp.ts"
import { type WallClock, wallClock } from "./wall-time.ts"

/** Most events of a series. */
export const MOST_STARTS = 100
const LONGEST_YEARS = 2

/** Periods of each frequency within the longest series, with those that begin before and end after it. */
const PERIODS: { readonly [frequency: string]: number } = { DAILY: 740, WEEKLY: 110, MONTHLY: 28, YEARLY: 5 }
const FREQUENCIES = Object.keys(PERIODS)
const NAMES = new Set([
  ...["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"],
  ...["BYDAY", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"],
])
const UNTIL = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/

type Parts = ReadonlyMap<string, string>

const partsOf = (rule: string): Parts => new Map(rule.split(";").map((part) => part.split("=", 2) as [string, string]))

const isCount = (text: string | undefined): boolean => text === undefined || /^[1-9]\d{0,2}$/.test(text)

/** The fault of a rule that does not depend on its start. */
const faultOf = (rule: string): string | undefined => {
  const parts = partsOf(rule)
  if (parts.size !== rule.split(";").length) return "names a part twice"
  if ([...parts.keys()].some((name) => !NAMES.has(name))) return `takes ${[...NAMES].join(", ")} only`
  if (!FREQUENCIES.includes(parts.get("FREQ") ?? "")) return `needs FREQ as one of ${FREQUENCIES.join(", ")}`
  if (parts.has("COUNT") === parts.has("UNTIL")) return "needs COUNT or UNTIL, and not both"
  if (!isCount(parts.get("COUNT")) || Number(parts.get("COUNT") ?? 1) > MOST_STARTS) {
    return `COUNT must be from 1 to ${MOST_STARTS}`
  }
  if (!isCount(parts.get("INTERVAL"))) return "INTERVAL must be from 1 to 999"
  if (!UNTIL.test(parts.get("UNTIL") ?? "20270101"))
    return "UNTIL must be a day or a time in UTC, as in 20270630T170000Z"
  return undefined
}

export const RecurrenceRule = Schema.String.check(
  Schema.isMaxLength(200),
  Schema.isPattern(/^[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*$/, {
    message: "must be a rule of RFC 5545, as in FREQ=WEEKLY;COUNT=10",
  }),
  Schema.makeFilter((rule) => faultOf(rule) ?? true),
).annotate({
  description: `Recurrence rule (RFC 5545) with \`COUNT\` or \`UNTIL\`: by days, weeks, months or years, at most ${MOST_STARTS} events within two years.`,
  examples: ["FREQ=WEEKLY;BYDAY=TU;COUNT=10"],
})

/** The last moment that UNTIL names, in Unix milliseconds. A day is one of the zone, and whole. */
const untilOf = (text: string, clock: WallClock): number => {
  const [, year, month, day, ...time] = UNTIL.exec(text) ?? []
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (time[0] === undefined) return clock.timeOf(at + 86_400_000) - 1
  const [hour = 0, minute = 0, second = 0] = time.map(Number)
  return at + ((hour * 60 + minute) * 60 + second) * 1000
}

const basic = (wall: number): string => `${new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`

/**
 * Local times that the rule names from `wall` on, in order. The library counts in UTC: in a zone it leaves out times that the clocks skip.
 * A rule that names no more times before `end` stops at the limit of periods.
 */
const wallTimes = (parts: Parts, wall: number, end: number): Result.Result<ReadonlyArray<number>, string> => {
  const counted = [...parts].filter(([name]) => name !== "UNTIL").map(([name, value]) => `${name}=${value}`)
  const found: number[] = []
  try {
    const rule = new RRuleTemporal({
      rruleString: `DTSTART:${basic(wall)}\nRRULE:${counted.join(";")}`,
      strict: true,
      maxIterations: PERIODS[parts.get("FREQ") ?? ""] ?? 0,
    })
    rule.all(({ epochMilliseconds }) => {
      const isWithin = epochMilliseconds <= end && found.length <= MOST_STARTS
      if (isWithin) found.push(epochMilliseconds)
      return isWithin
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ""
    if (!message.startsWith("Maximum iterations")) return Result.fail(`is no rule of RFC 5545: ${message}`)
  }
  return Result.succeed(found)
}

/** Starts of a series, the first included; fails with the fault of the rule. Events keep their local time when the clocks change. */
export const startsOf = (
  rule: string,
  first: Timestamp,
  timeZone: string,
): Result.Result<ReadonlyArray<Timestamp>, string> => {
  const parts = partsOf(rule)
  const clock = wallClock(timeZone)
  const wall = clock.shown(toMillis(first))
  const horizon = new Date(wall)
  horizon.setUTCFullYear(horizon.getUTCFullYear() + LONGEST_YEARS)
  // Timestamps have years of four digits, in each zone.
  const end = Math.min(horizon.getTime(), Date.UTC(9999, 11, 30))
  const until = parts.get("UNTIL")
  const last = until === undefined ? Number.POSITIVE_INFINITY : untilOf(until, clock)
  if (until !== undefined && last > clock.timeOf(end)) return Result.fail("must end within two years")
  const milliseconds = ((wall % 1000) + 1000) % 1000
  return Result.flatMap(wallTimes(parts, wall, end), (walls) => {
    const [begin] = walls
    if (begin === undefined || begin + milliseconds !== wall || toMillis(first) > last)
      return Result.fail("must name the start of the first event")
    // The first event may be in the second of two hours that the clocks show twice.
    const later = walls.slice(1).map((one) => clock.timeOf(one + milliseconds))
    const times = [toMillis(first), ...later].filter((time) => time <= last)
    if (times.length > MOST_STARTS) return Result.fail(`names more than ${MOST_STARTS} events`)
    if (times.length < Number(parts.get("COUNT") ?? 0)) return Result.fail("must end within two years")
    return Result.succeed(times.map(toTimestamp))
  })
}
