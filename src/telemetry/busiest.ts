/**
 * Requests and commands of this process in the last minutes, by workspace, API key and event. The memory is bounded: in a minute with very
 * many ids, those with the lowest counts are dropped.
 */
interface Load {
  readonly requests: number
  readonly commands: number
}

export interface LoadEntry extends Load {
  readonly id: string
}

/** Counts of one process or of several, the busiest entries first. */
export interface LoadReport {
  /** Length of the counted period. */
  readonly seconds: number
  readonly workspaces: ReadonlyArray<LoadEntry>
  readonly keys: ReadonlyArray<LoadEntry>
  readonly events: ReadonlyArray<LoadEntry>
}

const MINUTE_MS = 60_000
const MINUTES = 5
/** Maximum number of ids of one kind per minute; beyond it, half of them are kept. */
const MOST = 2000

const sumOf = ({ requests, commands }: Load): number => requests + commands

const byMost = <T extends Load>(loads: ReadonlyArray<T>): ReadonlyArray<T> =>
  loads.toSorted((a, b) => sumOf(b) - sumOf(a))

/** Sums of the counts by id, the busiest first. */
const sumById = (loads: ReadonlyArray<LoadEntry>): ReadonlyArray<LoadEntry> => {
  const sums = new Map<string, LoadEntry>()
  for (const { id, requests, commands } of loads) {
    const sum = sums.get(id) ?? { id, requests: 0, commands: 0 }
    sums.set(id, { id, requests: sum.requests + requests, commands: sum.commands + commands })
  }
  return byMost([...sums.values()])
}

export const sumReports = (reports: ReadonlyArray<LoadReport>): LoadReport => ({
  seconds: Math.max(...reports.map(({ seconds }) => seconds)),
  workspaces: sumById(reports.flatMap(({ workspaces }) => workspaces)),
  keys: sumById(reports.flatMap(({ keys }) => keys)),
  events: sumById(reports.flatMap(({ events }) => events)),
})

class Minute {
  readonly number: number
  readonly #loads = new Map<string, { requests: number; commands: number }>()

  constructor(number: number) {
    this.number = number
  }

  add(id: string, what: keyof Load): void {
    let load = this.#loads.get(id)
    if (load === undefined) {
      if (this.#loads.size >= MOST) this.#forgetHalf()
      load = { requests: 0, commands: 0 }
      this.#loads.set(id, load)
    }
    load[what]++
  }

  all(): ReadonlyArray<LoadEntry> {
    return Array.from(this.#loads, ([id, load]) => ({ id, ...load }))
  }

  #forgetHalf(): void {
    for (const { id } of byMost(this.all()).slice(MOST / 2)) this.#loads.delete(id)
  }
}

class Minutes {
  #kept: ReadonlyArray<Minute> = []

  add(id: string, what: keyof Load, now: number): void {
    const number = Math.floor(now / MINUTE_MS)
    let last = this.#kept.at(-1)
    // The previous minute continues after a clock was set back.
    if (last === undefined || last.number < number) {
      last = new Minute(number)
      this.#kept = [...this.#kept.slice(1 - MINUTES), last]
    }
    last.add(id, what)
  }

  /** Loads in descending order. */
  most(now: number): ReadonlyArray<LoadEntry> {
    const oldest = Math.floor(now / MINUTE_MS) - MINUTES
    return sumById(this.#kept.filter(({ number }) => number > oldest).flatMap((minute) => minute.all()))
  }
}

export class Busiest {
  readonly workspaces = new Minutes()
  readonly keys = new Minutes()
  readonly events = new Minutes()

  request(
    about: { readonly workspaceId: string | null; readonly keyId: string | null; readonly eventId: string | null },
    now: number,
  ): void {
    if (about.workspaceId !== null) this.workspaces.add(about.workspaceId, "requests", now)
    if (about.keyId !== null) this.keys.add(about.keyId, "requests", now)
    if (about.eventId !== null) this.events.add(about.eventId, "requests", now)
  }

  /** The event's workspace is looked up when the counts are read, because the gateway does not know it. */
  command(eventId: string, now: number): void {
    this.events.add(eventId, "commands", now)
  }

  /** @param most entries of each kind at most */
  report(now: number, uptimeSeconds: number, most: number): LoadReport {
    return {
      seconds: this.seconds(now, uptimeSeconds),
      workspaces: this.workspaces.most(now).slice(0, most),
      keys: this.keys.most(now).slice(0, most),
      events: this.events.most(now).slice(0, most),
    }
  }

  /** Length of the counted period: the current minute, and those before it. */
  seconds(now: number, uptimeSeconds: number): number {
    const running = (now % MINUTE_MS) / 1000
    return Math.round(Math.min(uptimeSeconds, running + ((MINUTES - 1) * MINUTE_MS) / 1000))
  }
}
