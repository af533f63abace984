/** How many files the process may open, sockets among them. It imports nothing of the project, because the first step of the command uses it. */
import { closeSync, openSync, readFileSync } from "node:fs"
import { devNull } from "node:os"

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } }
}

/** The soft limit, which Node raises to the hard one as it starts; infinity where there is none. */
export const fileLimit = (): number => {
  try {
    const soft = /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    if (soft !== undefined) return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    // Not Linux.
  }
  const { userLimits } = process.report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY
}

const MOST_SPARED = 500

/** Files that sockets leave to requests, probes, the database and the disk. */
const sparedOf = (limit: number): number => Math.min(MOST_SPARED, Math.floor(limit / 4))

const socketRoom = (limit: number): number => limit - sparedOf(limit)

/** A sentence where even one address may open more sockets than the process has room for; undefined where there is room. */
export const shortOfFiles = (socketsPerAddress: number, limit = fileLimit()): string | undefined =>
  socketRoom(limit) >= socketsPerAddress
    ? undefined
    : `The process may open ${limit} files at once, which is room for fewer than ${socketRoom(limit)} sockets, and SOCKETS_PER_ADDRESS lets one address open ${socketsPerAddress}; raise the limit to ${socketsPerAddress + MOST_SPARED} or more (LimitNOFILE, ulimit -n).`

/** May a socket be opened? Cheap enough to be asked before each one, also with very many open. */
export class FileRoom {
  readonly #room: number

  constructor(limit = fileLimit()) {
    this.#room = socketRoom(limit)
  }

  /**
   * `sockets`: those that are open. Other files are judged by the lowest free number, which the system gives next: all below it are
   * in use. It alone would not do, because a connection that waits to become a socket has its file already.
   */
  hasRoomBeside(sockets: number): boolean {
    if (this.#room === Number.POSITIVE_INFINITY) return true
    if (sockets >= this.#room) return false
    try {
      const lowestFree = openSync(devNull, "r")
      closeSync(lowestFree)
      return lowestFree < this.#room
    } catch {
      return false
    }
  }
}
