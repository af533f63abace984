/** The processes of media servers under the process of a test. */
import { readdirSync, readFileSync } from "node:fs"

/** Pids of the media servers that this process started. */
export const sfuProcesses = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("sfu-process")
      } catch {
        return false
      }
    })
