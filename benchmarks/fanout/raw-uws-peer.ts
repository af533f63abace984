/** The ceiling for `fanout`: uWebSockets.js publishing the same coalesced frames, with nothing behind them. */
import { App, us_socket_local_port } from "../../src/engine/engine.ts"
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"
import { gathered } from "../support/gathered.ts"
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
  const { add, flush } = gathered<string>(tickMs, (frames) => {
    app.publish(TOPIC, frames.length === 1 ? (frames[0] ?? "") : `[${frames.join(",")}]`)
  })
  const wanted = perSecond * seconds
  for (let n = 0; n < wanted; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    published += 1
    add(JSON.stringify(dispatchOf(published)))
  }
  flush()
  return wanted
}

answerParent({ start, publish })
