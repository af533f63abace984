/** The ceiling for `fanout`: uWebSockets.js publishing the same coalesced frames, with nothing behind them. */
import { App, us_socket_local_port } from "uWebSockets.js"
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"
import { dispatchOf } from "./message.ts"

export interface PublishOptions {
  readonly perSecond: number
  readonly seconds: number
  /** Dispatches are gathered so long into one frame. */
  readonly tickMs: number
}

const TOPIC = "event"
const BACKPRESSURE_BYTES = 4_194_304
const app = App({})
let published = 0

const start = (): Promise<number> =>
  new Promise((resolve, reject) => {
    app.ws("/*", {
      maxBackpressure: BACKPRESSURE_BYTES,
      idleTimeout: 0,
      sendPingsAutomatically: false,
      open: (ws) => void ws.subscribe(TOPIC),
    })
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(us_socket_local_port(socket))
    })
  })

/** Resolves to how many dispatches were published. */
const publish = async ({ perSecond, seconds, tickMs }: PublishOptions): Promise<number> => {
  const startedAt = performance.now()
  let waiting: string[] = []
  let flushedAt = startedAt
  const flush = (now: number): void => {
    if (waiting.length === 0 || now - flushedAt < tickMs) return
    flushedAt = now
    app.publish(TOPIC, waiting.length === 1 ? (waiting[0] ?? "") : `[${waiting.join(",")}]`)
    waiting = []
  }
  const wanted = perSecond * seconds
  for (let n = 0; n < wanted; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    published += 1
    waiting.push(JSON.stringify(dispatchOf(published)))
    flush(performance.now())
  }
  await sleep(tickMs)
  flush(Number.POSITIVE_INFINITY)
  return wanted
}

answerParent({ start, publish })
