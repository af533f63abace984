/**
 * Viewers of a broadcast: keep-alive connections that ask for files by turns and count the bytes of the answers without keeping them.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { answerParent } from "../support/child.ts"
import { percentile } from "../support/figures.ts"

export interface Viewers {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Asked for by turns. */
  readonly paths: ReadonlyArray<string>
  /** Between the beginnings of two rounds of a viewer; 0: at once. */
  readonly everyMs: number
  /** All of them begin a round within so many milliseconds. */
  readonly withinMs: number
}

export interface Viewed {
  readonly answered: number
  readonly refused: number
  readonly bytes: number
  readonly seconds: number
  readonly p99Ms: number
}

const HEAD_END = Buffer.from("\r\n\r\n")

/** Counts one answer after the other: `take` is true when an answer is whole. */
class AnswerCounter {
  #head: Buffer = Buffer.alloc(0)
  #left = 0
  #isBody = false
  isRefused = false

  take(chunk: Buffer): boolean {
    if (this.#isBody) {
      this.#left -= chunk.byteLength
    } else {
      this.#head = this.#head.byteLength === 0 ? chunk : Buffer.concat([this.#head, chunk])
      const end = this.#head.indexOf(HEAD_END)
      if (end < 0) return false
      const head = this.#head.toString("latin1", 0, end)
      this.isRefused = head[9] !== "2"
      this.#left =
        Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0) - (this.#head.byteLength - end - HEAD_END.length)
      this.#isBody = true
      this.#head = Buffer.alloc(0)
    }
    if (this.#left > 0) return false
    this.#isBody = false
    return true
  }
}

const run = async ({ port, connections, seconds, paths, everyMs, withinMs }: Viewers): Promise<Viewed> => {
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`))
  const latencies: number[] = []
  let refused = 0
  let bytes = 0
  let running = true
  const drive = (socket: Socket, offsetMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const counter = new AnswerCounter()
      let turn = 0
      let sentAt = 0
      let dueAt = performance.now() + offsetMs
      const send = (): void => {
        if (!running) {
          resolve()
          return
        }
        sentAt = performance.now()
        socket.write(requests[turn++ % requests.length] ?? "")
      }
      const next = (): void => {
        if (everyMs === 0 || turn % requests.length !== 0) {
          send()
          return
        }
        dueAt += everyMs
        setTimeout(send, Math.max(0, dueAt - performance.now()))
      }
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength
        if (!counter.take(chunk)) return
        latencies.push(performance.now() - sentAt)
        if (counter.isRefused) refused += 1
        next()
      })
      socket.once("error", reject)
      socket.once("close", () => reject(new Error("the server closed a connection")))
      if (offsetMs === 0) send()
      else setTimeout(send, offsetMs)
    })
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: "127.0.0.1", port, noDelay: true })
      await once(socket, "connect")
      return socket
    }),
  )
  const startedAt = performance.now()
  setTimeout(() => {
    running = false
  }, seconds * 1000)
  await Promise.all(sockets.map((socket, index) => drive(socket, (index * withinMs) / connections)))
  const lasted = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return { answered: latencies.length, refused, bytes, seconds: lasted, p99Ms: percentile(latencies, 0.99) }
}

answerParent({ run })
