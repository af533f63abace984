/** Sides that are measured in turns, round after round, so that a busy moment of the machine meets all of them. */

import type { Child } from "./child.ts"
import { spread } from "./figures.ts"
import type { HttpLoad, HttpLoadResult } from "./http-load.ts"
import { cpuSeconds, postgresSeconds } from "./process-usage.ts"

type Figures<Name extends string> = { readonly [name in Name]: number }
/** The figures of a side, each over all rounds. */
type Series<Name extends string> = { readonly [name in Name]: number[] }

/** `measure` returns the figures of one round of a side. */
export const inTurns = async <Side, Name extends string>(
  sides: ReadonlyArray<Side>,
  rounds: number,
  measure: (side: Side, round: number) => Promise<Figures<Name>>,
): Promise<ReadonlyArray<Series<Name>>> => {
  const found = sides.map((side) => ({ side, figures: [] as Figures<Name>[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { side, figures } of found) figures.push(await measure(side, round))
  }
  return found.map(({ figures }) => {
    const names = Object.keys(figures[0] ?? {}) as Name[]
    return Object.fromEntries(names.map((name) => [name, figures.map((one) => one[name])])) as Series<Name>
  })
}

/** A row for each side: its name and the spread of each figure. */
export const rowsOf = <Name extends string>(
  sides: ReadonlyArray<{ readonly name: string }>,
  measured: ReadonlyArray<Series<Name>>,
  names: ReadonlyArray<Name>,
): ReadonlyArray<ReadonlyArray<string>> =>
  sides.map(({ name: side }, index) => [side, ...names.map((name) => spread(measured[index]?.[name] ?? []))])

/** A process that answers HTTP. */
export interface HttpSide {
  readonly name: string
  readonly pid: number
  readonly port: number
}

interface HttpRounds {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly warmUpSeconds: number
}

/** The same requests to each side. `postgresUs`: CPU microseconds of PostgreSQL for a request. */
export const httpInTurns = async (
  loader: Child,
  sides: ReadonlyArray<HttpSide>,
  postmaster: number,
  requests: ReadonlyArray<string>,
  { rounds, seconds, connections, warmUpSeconds }: HttpRounds,
) => {
  const once = ({ port }: HttpSide, length: number) =>
    loader.call<HttpLoadResult>("run", { port, connections, seconds: length, requests } satisfies HttpLoad)
  for (const side of sides) await once(side, warmUpSeconds)
  return inTurns(sides, rounds, async (side) => {
    const [before, postgresBefore] = [cpuSeconds(side.pid), postgresSeconds(postmaster)]
    const { answered, refused, seconds: took, p99Ms } = await once(side, seconds)
    const cpu = cpuSeconds(side.pid) - before
    if (refused > 0) throw new Error(`${side.name} refused ${refused} of ${answered} requests`)
    const postgresUs = ((postgresSeconds(postmaster) - postgresBefore) * 1e6) / answered
    return { perSecond: answered / took, perCpuSecond: answered / cpu, postgresUs, p99Ms }
  })
}
