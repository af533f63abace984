/**
 * The faults of single values that the server names where it refuses what was sent: `path: reason; path: reason.`. A path is the names of
 * members and the places in lists, joined by dots.
 */

const FAULT = /^([^\s:;]+): (.+)$/s
/** A reason may have a semicolon too: another fault begins with its path. */
const NEXT = /; (?=[^\s:;]+: )/

const REST = /; and \d+ more faults?$/

/** The reasons by their paths, in their order; empty where the text is none of faults. */
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
