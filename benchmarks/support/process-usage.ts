/** CPU time and memory of another process, from Linux's /proc: what a server used, without its load generator. */
import { readdirSync, readFileSync } from "node:fs"

/** Linux counts in 1/100 s on every platform that Node runs on. */
const TICKS_PER_SECOND = 100
const KIB = 1024

/** User and system time of all threads of the process so far, in seconds; a step is 10 ms. */
export const cpuSeconds = (pid: number): number => {
  // proc_pid_stat(5): utime 14, stime 15.
  const fields = statFields(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Fields of `/proc/<pid>/stat` from the third one on; the command before them may hold spaces. */
const statFields = (pid: number): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Time on a core of the threads that live, in seconds; a step is a nanosecond (Documentation/scheduler/sched-stats.rst). */
export const threadSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]) / 1e9)
    .reduce((sum, seconds) => sum + seconds, 0)

/** CPU time of a PostgreSQL server: of its first process, the children that live, and those that ended. */
export const postgresSeconds = (postmaster: number): number => {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isChild(pid, postmaster))
  // proc_pid_stat(5): cutime 16, cstime 17.
  const fields = statFields(postmaster)
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  return [postmaster, ...children].reduce((sum, pid) => sum + livingSeconds(pid), ended)
}

const isChild = (pid: number, parent: number): boolean => {
  try {
    return Number(statFields(pid)[1]) === parent
  } catch {
    return false
  }
}

/** A process of PostgreSQL may end between the listing and the reading; its time is then among those of the ended ones. */
const livingSeconds = (pid: number): number => {
  try {
    return threadSeconds(pid)
  } catch {
    return 0
  }
}

/** Resident memory in bytes. */
export const residentBytes = (pid: number): number => {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]
  return Number(kib) * KIB
}

/** Most files and sockets a process may have open here. */
export const fileLimit = (): number =>
  Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1])
