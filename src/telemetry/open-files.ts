/**
 * Limit on files that the process may open, including sockets. The module imports nothing of the project, because the first step of the
 * command uses it.
 */
import { closeSync, openSync, readFileSync } from "node:fs"
import { devNull } from "node:os"

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } }
}

/** The soft limit, which Node raises to the hard one at its start; infinity without a limit. */
export const fileLimit = (): number => {
  try {
    const soft = /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    if (soft !== undefined) return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    // The platform is not Linux.
  }
  const { userLimits } = process.report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY
}

const MOST_SPARED = 500

/** Number of files reserved for requests, probes, the database and the disk. */
const sparedOf = (limit: number): number => Math.min(MOST_SPARED, Math.floor(limit / 4))

const socketAllowance = (limit: number): number => limit - sparedOf(limit)

/** Warning sentence when even one address may open more sockets than the process may have; otherwise undefined. */
export const shortOfFiles = (socketsPerAddress: number, limit = fileLimit()): string | undefined =>
  socketAllowance(limit) >= socketsPerAddress
    ? undefined
    : `The process may open ${limit} files at once, which is room for fewer than ${socketAllowance(limit)} sockets, and SOCKETS_PER_ADDRESS lets one address open ${socketsPerAddress}; raise the limit to ${socketsPerAddress + MOST_SPARED} or more (LimitNOFILE, ulimit -n).`

/** Checks whether a socket may be opened. Cheap enough to be called before each one, even with very many open. */
export class FileAllowance {
  readonly #allowance: number

  constructor(limit = fileLimit()) {
    this.#allowance = socketAllowance(limit)
  }

  /**
   * `sockets` is the number of open ones. Other files are estimated by the lowest free number, which the system assigns next: all below it
   * are in use. That alone would not suffice, because a connection that waits to become a socket already has its file.
   */
  fitsBeside(sockets: number): boolean {
    if (this.#allowance === Number.POSITIVE_INFINITY) return true
    if (sockets >= this.#allowance) return false
    try {
      const lowestFree = openSync(devNull, "r")
      closeSync(lowestFree)
      return lowestFree < this.#allowance
    } catch {
      return false
    }
  }
}
