/** Statements under a moderate load: a few at a time, never all connections at once. Measures its own CPU time. */

/** At a time; fewer than there are connections, as at a server that is not busy. */
const AT_ONCE = 3
/** Statements of which the CPU time is measured. */
export const MEASURED = 10_000

const run = async (count: number, statement: () => PromiseLike<unknown>): Promise<void> => {
  let left = count
  const lane = async (): Promise<void> => {
    while (left-- > 0) await statement()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** Runs up to each of the ages in turn; resolves to the microseconds of CPU for a statement at each. */
export const ageOf = async (
  ages: ReadonlyArray<number>,
  statement: () => PromiseLike<unknown>,
): Promise<ReadonlyArray<number>> => {
  const figures: number[] = []
  let done = 0
  for (const age of ages) {
    await run(age - done, statement)
    const before = process.cpuUsage()
    await run(MEASURED, statement)
    const { user, system } = process.cpuUsage(before)
    done = age + MEASURED
    figures.push((user + system) / MEASURED)
  }
  return figures
}
