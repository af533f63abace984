/**
 * Tells one process from a later one that got the same pid. A pid alone proves nothing after a crash or a restart of the machine; a pid
 * together with the time it started does. Reads /proc where it exists, otherwise runs `ps`.
 */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { failedWith } from "./refused.ts"
import { runCommand } from "./system-command.ts"

const hasProc = process.platform === "linux"

/** Start time of the process, as an opaque text to compare; `undefined` when no such process runs (a zombie does not). */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (!hasProc) {
    const { ok, output } = await runCommand("ps", ["-o", "lstart=", "-p", String(pid)])
    return ok && output !== "" ? output : undefined
  }
  const stat = await readProc(pid, "stat")
  if (stat === undefined) return undefined
  // proc(5): the second field is the command in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const state = fields[0]
  return state === "Z" || state === "X" ? undefined : fields[22 - 3]
}

/** The command line of a running process, arguments joined by spaces; `undefined` when no such process runs. */
export async function commandLineOf(pid: number): Promise<string | undefined> {
  if (!hasProc) {
    const { ok, output } = await runCommand("ps", ["-ww", "-o", "command=", "-p", String(pid)])
    return ok ? output : undefined
  }
  return (await readProc(pid, "cmdline"))?.replaceAll("\0", " ")
}

/** Waits until that process is gone; false when it still runs after `deadlineMs`. It is polled, because it is not our child. */
export async function processEnded(pid: number, startTime: string, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs
  while ((await startTimeOf(pid)) === startTime) {
    if (performance.now() > deadline) return false
    await delay(25)
  }
  return true
}

async function readProc(pid: number, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, "utf8")
  } catch (error) {
    if (failedWith(error, "ENOENT", "ESRCH")) return undefined
    throw error
  }
}
