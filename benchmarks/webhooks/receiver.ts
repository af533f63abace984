/** Receives webhook requests in a process of its own: counts them, and for each takes how long ago its cause was. */
import { App, us_socket_local_port } from "../../src/engine/engine.ts"
import { answerParent } from "../support/child.ts"
import { percentile } from "../support/figures.ts"

export interface Received {
  readonly count: number
  /** Between the first request and the last. */
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

let latencies: number[] = []
let firstAt = 0
let lastAt = 0
let wanted = Number.POSITIVE_INFINITY
let reached: (() => void) | undefined

const take = (body: string): void => {
  const now = Date.now()
  if (latencies.length === 0) firstAt = now
  lastAt = now
  const { occurredAt } = JSON.parse(body) as { occurredAt: string }
  latencies.push(now - Date.parse(occurredAt))
  if (latencies.length === wanted) reached?.()
}

const start = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const app = App({})
    app.post("/*", (res) => {
      let body = ""
      res.onAborted(() => {})
      res.onData((chunk, isLast) => {
        body += Buffer.from(chunk).toString("utf8")
        if (!isLast) return
        take(body)
        res.cork(() => res.writeStatus("204 No Content").endWithoutBody())
      })
    })
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(us_socket_local_port(socket))
    })
  })

answerParent({
  start,
  /** Forgets everything and waits for so many requests. */
  expect: (count: number): void => {
    latencies = []
    wanted = count
    reached = undefined
  },
  done: async (deadlineMs: number): Promise<Received> => {
    if (latencies.length < wanted) {
      await new Promise<void>((resolve, reject) => {
        const late = () => reject(new Error(`${latencies.length} of ${wanted} requests came`))
        const timer = setTimeout(late, deadlineMs)
        reached = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return {
      count: latencies.length,
      seconds: (lastAt - firstAt) / 1000,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    }
  },
})
