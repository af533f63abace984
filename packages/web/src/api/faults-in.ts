/**
 * Faults of single values that the server names when it refuses a request: `path: reason; path: reason.`. A path joins names of members and
 * list positions with dots.
 */

const FAULT = /^([^\s:;]+): (.+)$/s
/** A reason may contain a semicolon too: the next fault begins with its path. */
const NEXT = /; (?=[^\s:;]+: )/

const REST = /; and \d+ more faults?$/

/** Reasons by path, in order; empty for other text. */
export const faultsIn = (detail: string): ReadonlyMap<string, string> => {
  const faults = new Map<string, string>()
  for (const line of detail.replace(/\.$/, "").replace(REST, "").split(NEXT)) {
    const [, path, reason] = FAULT.exec(line) ?? []
    if (path === undefined || reason === undefined) return new Map()
    const before = faults.get(path)
    faults.set(path, before === undefined ? reason : `${before}; ${reason}`)
  }
  return faults
}
