/** Servers that collect all garbage on demand and tell what memory is left. */
import type { Defer } from "../benchmark.ts"
import { type ServerOptions, type ServerProcess, startServerProcess } from "./server-process.ts"

export interface Memory {
  readonly heapUsed: number
  readonly rss: number
}

const PROBE = new URL("../soak/heap-probe.js", import.meta.url).href
const waiting = new Map<number, (memory: Memory) => void>()

export const startProbedServer = async (
  { environment, profile = 0 }: ServerOptions,
  defer: Defer,
): Promise<ServerProcess> => {
  let pid = 0
  const said = (line: string): void => waiting.get(pid)?.(JSON.parse(line) as Memory)
  const nodeOptions = ["--expose-gc", "--import", PROBE]
  const server = await startServerProcess({ environment, profile, nodeOptions, said }, defer)
  pid = server.pid
  return server
}

/** Bytes that are left after all garbage was collected. */
export const memoryOf = ({ pid }: ServerProcess): Promise<Memory> =>
  new Promise((resolve) => {
    waiting.set(pid, (memory) => {
      waiting.delete(pid)
      resolve(memory)
    })
    process.kill(pid, "SIGUSR2")
  })
