/** An HTTP proxy as networks have them: it cuts upgrades to a WebSocket, may pass answers on in full buffers only, and spoils requests. */
import { once } from "node:events"
import { createServer, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
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
  /** Upgrades are passed on from now on. */
  readonly passUpgrades: () => void
  /**
   * Does so to the next frame of a stream's client: `hold` passes nothing on and never answers, `takeUnanswered` passes it on and cuts
   * the connection instead of the answer. `come` resolves when it is here, `ended` when its connection has ended.
   */
  readonly spoilNext: (how: Spoiling) => { readonly come: Promise<void>; readonly ended: Promise<void> }
}

type Spoiling = "hold" | "takeUnanswered"

const signal = () => {
  let give: () => void = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give, given }
}

/** `bufferBytes`: an answer that goes on is passed on in pieces of this size only. */
export const strictProxy = async (serverUrl: string, bufferBytes = 0): Promise<StrictProxy> => {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const streams: string[] = []
  let cutUpgrades = 0
  let passesUpgrades = false
  let spoilt: ((answer: ServerResponse) => Spoiling) | undefined
  const server = createServer((near, answer) => {
    const { method, url = "", headers } = near
    let how: Spoiling | undefined
    if (url.endsWith("/commands")) {
      how = spoilt?.(answer)
      spoilt = undefined
    }
    if (how === "hold") return
    if (url.includes("/stream")) streams.push(new URL(url, serverUrl).search)
    const far = request({ hostname, port, method, path: url, headers, agent: false }, (given) => {
      if (how === "takeUnanswered") {
        answer.destroy()
        return
      }
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
  server.on("upgrade", (near, socket) => {
    if (!passesUpgrades) {
      cutUpgrades++
      socket.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    const lines = near.rawHeaders.map((text, n) => (n % 2 === 0 ? `${text}: ` : `${text}\r\n`))
    far.write(`GET ${near.url} HTTP/1.1\r\n${lines.join("")}\r\n`)
    far.pipe(socket).pipe(far)
    far.on("error", () => socket.destroy())
    far.on("close", () => socket.destroy())
    socket.on("close", () => far.destroy())
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
    passUpgrades: () => {
      passesUpgrades = true
    },
    spoilNext: (how) => {
      const [come, ended] = [signal(), signal()]
      spoilt = (answer) => {
        come.give()
        answer.on("close", ended.give)
        return how
      }
      return { come: come.given, ended: ended.given }
    },
  }
}
