/**
 * A WebSocket client (RFC 6455) reduced to what a load generator of 20,000 sockets can afford: no compression, no
 * fragments, text frames up to 16 MiB, one read buffer for all sockets. A frame is handed on as a view into that buffer,
 * valid during the call only.
 */
import { connect, type Socket } from "node:net"

interface WebSocketHandlers {
  readonly opened: (socket: LoadSocket) => void
  readonly frame: (socket: LoadSocket, payload: Buffer) => void
  /** Once, however it ended; the close code when there was one. */
  readonly closed: (socket: LoadSocket, code: number | undefined) => void
}

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const
const READ_BUFFER = Buffer.allocUnsafe(1 << 18)
const HEAD_END = "\r\n\r\n"
/** A client masks what it sends (§5.3); a mask of zeros leaves the text as it is. */
const MASK_BYTES = 4

const frameOf = (opcode: number, payload: Buffer): Buffer => {
  const wide = payload.length > 125
  const head = Buffer.alloc((wide ? 4 : 2) + MASK_BYTES)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (wide ? 126 : payload.length)
  if (wide) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

/** Connects to a server on this machine. A chunk is a view into a buffer that all connections share, valid during the call only. */
export const connectLoad = (port: number, read: (chunk: Buffer) => void): Socket =>
  connect({
    host: "127.0.0.1",
    port,
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (length, buffer) => {
        read((buffer as Buffer).subarray(0, length))
        return true
      },
    },
  }).on("error", () => {})

/** A connection of an audience: a WebSocket, or an event stream (load-stream.ts). */
export interface LoadConnection {
  readonly index: number
  readonly send: (text: string) => void
  /** Cuts the link without a word. */
  readonly cut: () => void
}

export class LoadSocket implements LoadConnection {
  readonly index: number
  readonly #socket: Socket
  readonly #handlers: WebSocketHandlers
  #pending: Buffer | undefined
  #isOpen = false
  #code: number | undefined

  constructor(index: number, target: { readonly port: number; readonly path: string }, handlers: WebSocketHandlers) {
    this.index = index
    this.#handlers = handlers
    this.#socket = connectLoad(target.port, (chunk) => this.#read(chunk))
    this.#socket.once("connect", () => {
      this.#socket.write(
        `GET ${target.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
          "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      )
    })
    this.#socket.once("close", () => handlers.closed(this, this.#code))
  }

  send(text: string): void {
    this.#socket.write(frameOf(OPCODE.text, Buffer.from(text, "utf8")))
  }

  /** Cuts the link without a word. */
  cut(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk])
    this.#pending = undefined
    let at = this.#isOpen ? 0 : this.#openedAt(bytes)
    while (this.#isOpen && at < bytes.length) {
      const next = this.#takeFrame(bytes, at)
      if (next === at) break
      at = next
    }
    if (at < bytes.length) this.#pending = Buffer.from(bytes.subarray(at))
  }

  /** Where the frames begin, once the handshake was answered. */
  #openedAt(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) return 0
    if (!bytes.toString("latin1", 0, 12).endsWith(" 101")) {
      this.cut()
      return bytes.length
    }
    this.#isOpen = true
    this.#handlers.opened(this)
    return end + HEAD_END.length
  }

  /** Position after the frame, or `at` when it is not complete. */
  #takeFrame(bytes: Buffer, at: number): number {
    const left = bytes.length - at
    if (left < 2) return at
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const headLength = headLengthOf(short)
    if (left < headLength) return at
    const length = payloadLength(bytes, at, short)
    const end = at + headLength + length
    if (end > bytes.length) return at
    this.#handle((bytes[at] ?? 0) & 0x0f, bytes.subarray(at + headLength, end))
    return end
  }

  #handle(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.text) this.#handlers.frame(this, payload)
    else if (opcode === OPCODE.ping) this.#socket.write(frameOf(OPCODE.pong, payload))
    else if (opcode === OPCODE.close) {
      this.#code = payload.length >= 2 ? payload.readUInt16BE(0) : undefined
      this.#socket.end()
    }
  }
}

const headLengthOf = (short: number): number => {
  if (short < 126) return 2
  return short === 126 ? 4 : 10
}

const payloadLength = (bytes: Buffer, at: number, short: number): number => {
  if (short < 126) return short
  return short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}
