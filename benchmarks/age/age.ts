/**
 * The cost of a statement in a process that has run many before: CPU per statement after ten thousand and after a million, under
 * a load that never uses all connections at once. The peer is the driver with its own pool, which we do not use.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, printMachine, printRows, printVerdicts } from "../support/figures.ts"

const OPTIONS = {
  statements: { fallback: 1_000_000, doc: "Statements after which ours is measured last." },
  peer: { fallback: 200_000, doc: "The same for the peer, which gets slower and slower." },
}
const YOUNG = 10_000

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<void> => {
  printMachine()
  const databases = await startDatabases(defer)
  const url = await databases.create("empty")
  const measure = async (module: string, last: number): Promise<ReadonlyArray<readonly [number, number]>> => {
    const ages = [YOUNG, YOUNG + (last - YOUNG) / 2, last].map(Math.round)
    const child = await startChild(new URL(module, import.meta.url), defer)
    const figures = await child.call<ReadonlyArray<number>>("age", { url, ages })
    await child.stop()
    return ages.map((age, index) => [age, figures[index] ?? Number.NaN])
  }
  const ours = await measure("./pool-process.js", options.statements)
  const peer = await measure("./driver-process.js", options.peer)
  const row = (name: string, figures: typeof ours): string[] => [
    name,
    ...figures.map(([age, cost]) => `${number(cost)} after ${number(age)}`),
  ]
  printRows([
    ["CPU per statement, microseconds", "young", "", "old"],
    row("Gathercue's pool", ours),
    row("driver's own pool", peer),
  ])
  const growth = (figures: typeof ours): number => (figures.at(-1)?.[1] ?? Number.NaN) / (figures[0]?.[1] ?? Number.NaN)
  printVerdicts(
    "the driver's own pool (CPU per statement, so lower is better)",
    [
      `young ${((ours[0]?.[1] ?? Number.NaN) / (peer[0]?.[1] ?? Number.NaN)).toFixed(2)}x`,
      `old ${((ours.at(-1)?.[1] ?? Number.NaN) / (peer.at(-1)?.[1] ?? Number.NaN)).toFixed(2)}x`,
      `growth ${growth(ours).toFixed(2)}x against ${growth(peer).toFixed(2)}x`,
    ],
    [{ what: "old against young", value: growth(ours), goal: 1.1, unit: "x", better: "lower" }],
  )
}

export const age = defineBenchmark({
  summary: "CPU per statement after ten thousand and after a million of them, against the driver's own pool.",
  options: OPTIONS,
  limitSeconds: 900,
  run,
})
