/**
 * An HTTP/1.1 load generator in a process of its own: keep-alive connections on bare sockets, each with one request in
 * flight. It understands just enough of an answer (status, content-length) to count it, so that it costs less than what
 * it measures.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { answerParent } from "./child.ts"
import { percentile } from "./figures.ts"
import { AnswerReader } from "./http-response.ts"

export interface HttpLoad {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Whole requests, taken in turn. */
  readonly requests: ReadonlyArray<string>
}

export interface HttpLoadResult {
  readonly answered: number
  /** Answers with any status but 2xx. */
  readonly refused: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const run = async (load: HttpLoad): Promise<HttpLoadResult> => {
  const requests = load.requests.map((text) => Buffer.from(text, "utf8"))
  const latencies: number[] = []
  let next = 0
  let refused = 0
  let running = true
  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const reader = new AnswerReader()
      let sentAt = 0
      const send = (): void => {
        sentAt = performance.now()
        socket.write(requests[next++ % requests.length] ?? "")
      }
      socket.on("data", (chunk: Buffer) => {
        const status = reader.take(chunk)
        if (status === undefined) return
        latencies.push(performance.now() - sentAt)
        if (status < 200 || status > 299) refused += 1
        if (running) send()
        else resolve()
      })
      socket.once("error", reject)
      socket.once("close", () => reject(new Error("the server closed a connection")))
      send()
    })
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true })
      await once(socket, "connect")
      return socket
    }),
  )
  const startedAt = performance.now()
  setTimeout(() => {
    running = false
  }, load.seconds * 1000)
  await Promise.all(sockets.map(drive))
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return {
    answered: latencies.length,
    refused,
    seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

answerParent({ run })
