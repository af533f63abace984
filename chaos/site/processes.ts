/** Processes of others by their ids: who is a child of whom, and whether one is still there. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

export const childrenOf = async (parent: number): Promise<ReadonlyArray<number>> => {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="])
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}

/** False when there is no such process. */
export const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
