/** Downloads of a recording, whole and in ranges, against nginx that sends the same file. */
import type { Child } from "../support/child.ts"
import { printRows } from "../support/figures.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atLeast, type Goal, ratio } from "../support/report.ts"
import { inTurns, rowsOf } from "../support/turns.ts"
import { MEBIBYTE } from "./house.ts"
import type { Get, Transferred } from "./transfer-process.ts"
import { AT_ONCE, type Verdict } from "./uploads.ts"

interface Reader {
  readonly name: string
  readonly pid: number
  readonly url: string
}

interface Wanted {
  readonly rounds: number
  /** Of the file. */
  readonly bytes: number
  /** 0: the whole. */
  readonly ranges: number
}

const someRanges = (count: number, bytes: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => {
    const from = Math.floor(Math.random() * (bytes - MEBIBYTE))
    return `bytes=${from}-${from + MEBIBYTE - 1}`
  })

/** `readers`: ours, nginx. */
export const compareDownloads = async (
  loader: Child,
  readers: ReadonlyArray<Reader>,
  { rounds, bytes, ranges }: Wanted,
): Promise<Verdict> => {
  // Both read the same ranges in a round.
  const wanted = Array.from({ length: rounds }, () => (ranges === 0 ? {} : { ranges: someRanges(ranges, bytes) }))
  const measured = await inTurns(readers, rounds, async ({ pid, url }, round) => {
    const before = cpuSeconds(pid)
    const done = await loader.call<Transferred>("get", { url, connections: AT_ONCE, ...wanted[round] } satisfies Get)
    const cpu = Math.max(0.01, cpuSeconds(pid) - before)
    return { perSecond: done.bytes / MEBIBYTE / done.seconds, perCpuSecond: done.bytes / MEBIBYTE / cpu }
  })
  const title = ranges === 0 ? `GET of ${bytes / MEBIBYTE} MiB` : `${ranges} ranges of 1 MiB`
  console.log("")
  printRows([[title, "MiB/s", "MiB per CPU second"], ...rowsOf(readers, measured, ["perSecond", "perCpuSecond"])])
  const [ours, peer] = measured
  const cpu = ratio(`${title} per CPU second`, ours?.perCpuSecond ?? [], peer?.perCpuSecond ?? [])
  const goal: Goal = atLeast(cpu.text, cpu.value, 0.5, "x")
  return { goals: [goal], ratios: [cpu.text] }
}
