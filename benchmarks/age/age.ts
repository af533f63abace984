/**
 * The cost of a statement in a process that has run many before: an old process and a young one, measured in turns, so that both
 * have the same machine. The load never uses all connections at once. The peer is the driver with its own pool, which we do
 * not use.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, printRows, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report } from "../support/report.ts"

const OPTIONS = {
  statements: { fallback: 1_000_000, quick: 60000, doc: "Statements that our old process has run." },
  peer: { fallback: 500_000, quick: 60000, doc: "The same for the peer, which gets slower and slower." },
  rounds: { fallback: 9, quick: 3, doc: "Measurements of each process, in turns." },
}
const YOUNG = 10_000
/** Statements of one measurement. */
const MEASURED = 10_000

interface Ages {
  readonly young: ReadonlyArray<number>
  readonly old: ReadonlyArray<number>
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const databases = await startDatabases(defer)
  const url = await databases.create("empty")
  const grow = async (module: string, age: number): Promise<Child> => {
    const child = await startChild(new URL(module, import.meta.url), defer)
    await child.call("open", url)
    await child.call("run", age)
    return child
  }
  /** Microseconds of CPU for a statement. */
  const measure = async (module: string, age: number): Promise<Ages> => {
    const [old, young] = [await grow(module, age), await grow(module, YOUNG)]
    const figures = { young: [] as number[], old: [] as number[] }
    for (let round = 0; round < options.rounds; round++) {
      figures.young.push(await young.call<number>("run", MEASURED))
      figures.old.push(await old.call<number>("run", MEASURED))
    }
    await Promise.all([old.stop(), young.stop()])
    return figures
  }
  const ours = await measure("./pool-process.js", options.statements)
  const peer = await measure("./driver-process.js", options.peer)
  printRows([
    ["CPU per statement, microseconds", "young", "old", "statements before"],
    ["Gathercue's pool", spread(ours.young), spread(ours.old), number(options.statements)],
    ["driver's own pool", spread(peer.young), spread(peer.old), number(options.peer)],
  ])
  const growth = ({ young, old }: Ages): number => spreadOf(old).median / spreadOf(young).median
  const against = (age: keyof Ages): string =>
    `${age} ${(spreadOf(ours[age]).median / spreadOf(peer[age]).median).toFixed(2)}x`
  return {
    peer: "the driver's own pool (CPU per statement, so lower is better)",
    ratios: [
      against("young"),
      against("old"),
      `growth ${growth(ours).toFixed(2)}x against ${growth(peer).toFixed(2)}x`,
    ],
    goals: [atMost("old against young", growth(ours), 1.1, "x")],
  }
}

export const age = defineBenchmark({
  summary:
    "CPU per statement of a process that has run a million of them, beside a young one and the driver's own pool.",
  options: OPTIONS,
  limitSeconds: 900,
  run,
})
