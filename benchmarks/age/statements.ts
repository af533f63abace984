/** Statements under a moderate load: a few at a time, never all connections at once. Measures its own CPU time. */

/** At a time; fewer than there are connections, as at a server that is not busy. */
const AT_ONCE = 3
/** Connections of the pool. A burst opens all of them before the measurement, as it will have at any server. */
export const CONNECTIONS = 10

type Run = () => PromiseLike<unknown>

export interface Statements {
  /** Opens all connections. */
  readonly open: () => Promise<void>
  /** Runs so many; resolves to the microseconds of CPU for each. */
  readonly run: (count: number) => Promise<number>
}

/** `slow` takes so long that as many of them as there are connections need all connections. */
export const statementsOf = (statement: Run, slow: Run): Statements => ({
  open: async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, slow))
  },
  run: async (count) => {
    const before = process.cpuUsage()
    let left = count
    const lane = async (): Promise<void> => {
      while (left-- > 0) await statement()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  },
})
