/** Figures and how they are printed: medians with their spread over rounds, and percentiles. */
import { cpus, loadavg } from "node:os"

interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

/** `share` from 0 to 1, nearest rank. */
export const percentile = (values: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export const number = (value: number): string => {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2
  return value.toLocaleString("en-US", { maximumFractionDigits: digits })
}

export const spread = (values: ReadonlyArray<number>): string => {
  const { median, min, max } = spreadOf(values)
  return values.length === 1 ? number(median) : `${number(median)} (${number(min)}..${number(max)})`
}

export const printRows = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    console.log(
      `  ${row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")}`,
    )
  }
}

/** The machine, and whether it was quiet: without this no figure means anything. */
export const printMachine = (): void => {
  const [cpu] = cpus()
  const load = loadavg().map((value) => value.toFixed(2))
  console.log(`${new Date().toISOString()}  ${cpus().length} x ${cpu?.model ?? "?"}  Node ${process.version}`)
  console.log(`load average before the run: ${load.join(" ")}\n`)
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
