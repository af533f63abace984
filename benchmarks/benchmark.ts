/** A benchmark: a name, options with defaults, a time limit, and a run that cleans up after itself. */
import type { Program } from "./support/programs.ts"
import type { Report } from "./support/report.ts"

export interface OptionRow {
  readonly fallback: number
  readonly doc: string
  /** Instead of the default in a quick run of all benchmarks; without it the default is quick enough. */
  readonly quick?: number
}

export type OptionTable = { readonly [name: string]: OptionRow }
export type OptionValues<Table extends OptionTable> = { readonly [Name in keyof Table]: number }

export type Defer = (step: () => Promise<unknown> | unknown) => void

export interface Bench<Table extends OptionTable> {
  readonly options: OptionValues<Table>
  /** Registers what to undo at the end, whatever happens; undone in reverse order. */
  readonly defer: Defer
}

export interface Benchmark<Table extends OptionTable = OptionTable> {
  /** One sentence: what is measured, and against what. */
  readonly summary: string
  readonly options: Table
  /** Programs of the machine that it starts. */
  readonly needs?: ReadonlyArray<Program>
  /** After this the run is given up. */
  readonly limitSeconds: number
  /** Resolves to the comparison with the peers, if there are any. The machine is printed before, the comparison after. */
  run(bench: Bench<Table>): Promise<Report | undefined>
}

/** Inside a benchmark its options have names; outside, a benchmark is like any other. */
export const defineBenchmark = <Table extends OptionTable>(benchmark: Benchmark<Table>): Benchmark => benchmark
