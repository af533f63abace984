/** An HTTP proxy as networks have them: it cuts upgrades to a WebSocket, and may pass answers on in full buffers only. */
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { onTestFinished } from "vitest"

interface StrictProxy {
  /** The same address, through the proxy. */
  readonly through: (address: string) => string
  /** Number of upgrades that were cut. */
  readonly cutUpgrades: () => number
  /** Query of each stream that was asked for. */
  readonly streams: ReadonlyArray<string>
  /** Cuts all open connections. */
  readonly cut: () => void
}

/** `bufferBytes`: an answer that goes on is passed on in pieces of this size only. */
export const strictProxy = async (serverUrl: string, bufferBytes = 0): Promise<StrictProxy> => {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const streams: string[] = []
  let cutUpgrades = 0
  const server = createServer((near, answer) => {
    const { method, url = "", headers } = near
    if (url.includes("/stream")) streams.push(new URL(url, serverUrl).search)
    const far = request({ hostname, port, method, path: url, headers, agent: false }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      let held = Buffer.alloc(0)
      given.on("data", (bytes: Buffer) => {
        held = Buffer.concat([held, bytes])
        const length = bufferBytes === 0 ? held.length : held.length - (held.length % bufferBytes)
        if (length > 0) answer.write(held.subarray(0, length))
        held = held.subarray(length)
      })
      given.on("end", () => answer.end(held))
      given.on("error", () => answer.destroy())
    })
    far.on("error", () => answer.destroy())
    answer.on("close", () => far.destroy())
    near.pipe(far)
  })
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  })
  server.on("upgrade", (_request, socket) => {
    cutUpgrades++
    socket.destroy()
  })
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    cut()
    server.close()
    await once(server, "close")
  })
  return {
    through: (address) => {
      const url = new URL(address)
      url.host = own
      return url.href
    },
    cutUpgrades: () => cutUpgrades,
    streams,
    cut,
  }
}
