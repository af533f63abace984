/** CPU time and memory of another process, from Linux's /proc: what a server used, without its load generator. */
import { readFileSync } from "node:fs"

/** Linux counts in 1/100 s on every platform that Node runs on. */
const TICKS_PER_SECOND = 100
const KIB = 1024

/** User and system time of all threads of the process so far, in seconds; a step is 10 ms. */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  // The command in parentheses may hold spaces; fields are counted after it (proc_pid_stat(5): utime 14, stime 15).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory in bytes. */
export const residentBytes = (pid: number): number => {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]
  return Number(kib) * KIB
}

/** Most files and sockets a process may have open here. */
export const fileLimit = (): number =>
  Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1])
