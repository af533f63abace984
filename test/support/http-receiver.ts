/** A real HTTP server on loopback for a test: keeps what it received, answers as configured, and lets the test wait. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished } from "vitest"
import { deliveryBreach } from "./description.ts"
import { keepAlive } from "./keep-alive.ts"
import { PATIENCE_MS } from "./patience.ts"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** `performance.now()` when the body was complete. */
  readonly at: number
}

/** Ends the response; a receiver that never does is a slow one. */
export type Answer = (response: ServerResponse, request: Received, nth: number) => void

export const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end()

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Requests that are not answered yet, and the most there have ever been at once. */
  readonly open: () => number
  readonly mostOpen: () => number
  answer: Answer
  /** Resolves when so many requests have come; rejects after the deadline. */
  readonly count: (wanted: number, deadlineMs?: number) => Promise<void>
}

/** A webhook delivery is held against the description, whatever a test looks at. */
const breachOfDelivery = ({ headers, body }: Received): string | undefined => {
  const type = headers["x-gc-event-type"]
  return type === undefined ? undefined : deliveryBreach(String(type), JSON.parse(body))
}

export const startReceiver = async (answer: Answer = status(200)): Promise<Receiver> => {
  const received: Array<Received> = []
  const waiting = new Set<() => void>()
  let open = 0
  let mostOpen = 0
  const server = createServer((request, response) => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    response.once("close", () => {
      open -= 1
    })
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const one = { path: request.url ?? "", headers: request.headers, body, at: performance.now() }
      received.push(one)
      receiver.answer(response, one, received.length)
      for (const check of waiting) check()
    })
  })
  keepAlive(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
    expect(received.map(breachOfDelivery).filter((breach) => breach !== undefined)).toEqual([])
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    open: () => open,
    mostOpen: () => mostOpen,
    answer,
    count: (wanted, deadlineMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        // timed: the deadline of a wait that would last for ever.
        const deadline = setTimeout(() => {
          waiting.delete(check)
          reject(new Error(`${received.length} of ${wanted} requests came within ${deadlineMs} ms`))
        }, deadlineMs)
        const check = () => {
          if (received.length < wanted) return
          clearTimeout(deadline)
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
  return receiver
}
