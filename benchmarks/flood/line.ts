/** A keep-alive connection with one request in flight. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { responseLength, statusOf } from "../support/http-response.ts"

interface Answered {
  readonly status: number
  readonly ms: number
}

export class Line {
  /** The server closes what is idle for long. */
  isOpen = true
  readonly #socket: Socket
  #buffered = ""
  #sentAt = 0
  #answered: ((answer: Answered) => void) | undefined
  #failed: ((cause: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on("data", (chunk: Buffer) => this.#read(chunk))
    socket.on("error", () => {})
    socket.once("close", () => {
      this.isOpen = false
      this.#failed?.(new Error("the server closed a connection"))
    })
  }

  static async open(port: number): Promise<Line> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    await once(socket, "connect")
    return new Line(socket)
  }

  ask(request: string): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve
      this.#failed = reject
      this.#sentAt = performance.now()
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#buffered += chunk.toString("latin1")
    const length = responseLength(this.#buffered)
    if (length === 0) return
    const status = statusOf(this.#buffered)
    this.#buffered = this.#buffered.slice(length)
    this.#answered?.({ status, ms: performance.now() - this.#sentAt })
  }
}

const loginBy = (address: string, body: string): string =>
  "POST /v1/accounts/login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n" +
  `x-forwarded-for: ${address}\r\ncontent-length: ${body.length}\r\n\r\n${body}`

export const loginRequest = (address: string, email: string, password: string): string =>
  loginBy(address, JSON.stringify({ email, password }))

/** Counted by address, and then refused for its body: no password is looked at. */
export const emptyLoginRequest = (address: string): string => loginBy(address, "{}")

/** The nth of sixteen million made-up addresses. */
export const addressOf = (n: number): string => `11.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
