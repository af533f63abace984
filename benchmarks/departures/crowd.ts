/** Thousands of sockets in several processes, which all go in one moment. */
import type { Defer } from "../benchmark.ts"
import type { Joined } from "../support/audience.ts"
import type { AudienceOptions } from "../support/audience-process.ts"
import type { Child } from "../support/child.ts"
import { JOINS_PER_SECOND, openAudience } from "../support/live-server.ts"

/** Of one process: closing so many takes it a fraction of a second. */
const SOCKETS_EACH = 5000

/** `cut`: each socket is closed without a goodbye; `killed`: their processes are, and the kernel closes what they had open. */
export type Way = "cut" | "killed"

interface Crowd {
  /** Resolves to the moment of the first departure, in Unix milliseconds. */
  readonly leave: (way: Way) => Promise<number>
}

export const openCrowd = async (options: AudienceOptions, defer: Defer): Promise<Crowd> => {
  const { sockets, place } = options
  const processes: Child[] = []
  for (let from = 0; from < sockets; from += SOCKETS_EACH) {
    const to = Math.min(sockets, from + SOCKETS_EACH)
    const { users } = place
    const here = users === undefined ? place : { ...place, users: { ...users, ids: users.ids.slice(from, to) } }
    const child = await openAudience({ ...options, sockets: to - from, place: here }, defer)
    await child.call<Joined>("join", JOINS_PER_SECOND)
    processes.push(child)
  }
  return {
    leave: async (way) => {
      const at = Date.now()
      if (way === "killed") for (const { pid } of processes) process.kill(pid, "SIGKILL")
      else await Promise.all(processes.map((child) => child.call("leave")))
      await Promise.all(processes.map((child) => child.stop()))
      return at
    },
  }
}
