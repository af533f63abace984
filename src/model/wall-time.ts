/** Local times in a time zone: what a clock on the wall shows, as the Unix milliseconds at which a clock in UTC shows the same. */

const DAY_MS = 86_400_000

export interface WallClock {
  readonly shown: (at: number) => number
  /**
   * Time at which the clock shows this. Where the clocks go forward, a time that they skip is as far behind the change as if they had not;
   * where they go back, it is the first of two (RFC 5545, section 3.3.5).
   */
  readonly timeOf: (wall: number) => number
}

/** `timeZone`: a name of the IANA database that this runtime has. */
export const wallClock = (timeZone: string): WallClock => {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  const shown = (at: number): number => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    const day = new Date(0).setUTCFullYear(part("year"), part("month") - 1, part("day"))
    return day + ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000 + (((at % 1000) + 1000) % 1000)
  }
  const offsetAt = (at: number): number => shown(at) - at
  return {
    shown,
    timeOf: (wall) => {
      const before = wall - offsetAt(wall - DAY_MS)
      const after = wall - offsetAt(wall + DAY_MS)
      return shown(before) !== wall && shown(after) === wall ? after : before
    },
  }
}
