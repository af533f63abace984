/**
 * Time zones in calendar files (RFC 5545, section 3.6.5): the offsets of a zone around an event, from the IANA data of this runtime, and
 * times in the zone.
 */
import { LRUCache } from "lru-cache"
import { wallClock } from "../model/wall-time.ts"
import { isTimeZone } from "../model/zoned-moment.ts"

const DAY_MS = 86_400_000
/** Programs show an event's neighbours too, and may move it by some months. */
const AROUND_MS = 400 * DAY_MS
/** Shorter than the time between two changes of a clock. */
const STRIDE_MS = 14 * DAY_MS
/** A year has four digits. */
const LATEST_MS = Date.UTC(9999, 11, 30)
/** From here on all offsets are whole minutes, and the data is certain. */
const EARLIEST_MS = Date.UTC(1972, 1)

/** A change of the offset in milliseconds, at a time of UTC. */
interface Change {
  readonly at: number
  readonly from: number
  readonly to: number
}

export interface CalendarZone {
  readonly name: string
  readonly component: string
  /** The time in the zone as in `20300331T020000`; undefined in an hour that comes twice, of which programs take the first or the second. */
  readonly wallTime: (at: number) => string | undefined
}

const offsetsOf = (name: string): ((at: number) => number) => {
  const { shown } = wallClock(name)
  return (at) => shown(at) - at
}

/** The first second of the new offset. */
const boundary = (offsetAt: (at: number) => number, early: number, late: number): number => {
  let [before, after] = [early, late]
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000
    if (offsetAt(middle) === offsetAt(early)) before = middle
    else after = middle
  }
  return after
}

const changesIn = (offsetAt: (at: number) => number, start: number, end: number): ReadonlyArray<Change> => {
  const changes: Change[] = []
  for (let at = start; at < end; at += STRIDE_MS) {
    const [from, to] = [offsetAt(at), offsetAt(at + STRIDE_MS)]
    if (from !== to) changes.push({ at: boundary(offsetAt, at, at + STRIDE_MS), from, to })
  }
  return changes
}

const two = (value: number): string => String(value).padStart(2, "0")

/** Formats as in `+0530`. */
const offsetText = (offset: number): string => {
  const minutes = Math.abs(offset) / 60_000
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`
}

const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")

const observance = (kind: "STANDARD" | "DAYLIGHT", { at, from, to }: Change): ReadonlyArray<string> => [
  `BEGIN:${kind}`,
  `DTSTART:${wallText(at + from)}`,
  `TZOFFSETFROM:${offsetText(from)}`,
  `TZOFFSETTO:${offsetText(to)}`,
  `END:${kind}`,
]

const isForward = ({ from, to }: Change): boolean => to > from

interface Described {
  /** The offset before the first change. */
  readonly first: number
  readonly changes: ReadonlyArray<Change>
  readonly component: string
}

const describe = (name: string, start: number, end: number): Described => {
  const offsetAt = offsetsOf(name)
  const changes = changesIn(offsetAt, start, end)
  const first = offsetAt(start)
  const begins = { at: start, from: first, to: first }
  const lines = [
    "BEGIN:VTIMEZONE",
    `TZID:${name}`,
    ...observance(changes[0] !== undefined && !isForward(changes[0]) ? "DAYLIGHT" : "STANDARD", begins),
    ...changes.flatMap((change) => observance(isForward(change) ? "DAYLIGHT" : "STANDARD", change)),
    "END:VTIMEZONE",
  ]
  return { first, changes, component: lines.join("\r\n") }
}

/** A description takes some milliseconds, and thousands of people may get the file of one event. */
const described = new LRUCache<string, Described>({ max: 50 })

const describedOnce = (name: string, start: number, end: number): Described => {
  const key = `${name} ${start} ${end}`
  const found = described.get(key) ?? describe(name, start, end)
  described.set(key, found)
  return found
}

/** The description of a zone grows with the event, and no program shows one of more than a year by its hours. */
const LONGEST_MS = 370 * DAY_MS

/** Null where times stay in UTC: without a zone, in one that this runtime does not have, long ago, far ahead, and for more than a year. */
export const calendarZone = (name: string | null, start: number, end: number): CalendarZone | null => {
  const earliest = Math.floor(start / STRIDE_MS) * STRIDE_MS - AROUND_MS
  if (name === null || name === "UTC" || earliest < EARLIEST_MS || !isTimeZone(name)) return null
  if (end - start > LONGEST_MS || end > LATEST_MS - AROUND_MS) return null
  const latest = Math.ceil(end / STRIDE_MS) * STRIDE_MS + AROUND_MS
  const { first, changes, component } = describedOnce(name, earliest, latest)
  const isRepeated = (at: number) => changes.some(({ at: change, from, to }) => Math.abs(at - change) <= from - to)
  const offsetAt = (at: number) => changes.findLast((one) => one.at <= at)?.to ?? first
  return { name, component, wallTime: (at) => (isRepeated(at) ? undefined : wallText(at + offsetAt(at))) }
}
