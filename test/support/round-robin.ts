/** A load balancer: the next request, and the next WebSocket, goes to the next server. */
import { once } from "node:events"
import { createServer, request as forward, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { keepAlive } from "./keep-alive.ts"

interface RoundRobin {
  readonly url: string
  /** From now on to these addresses. */
  readonly spread: (urls: ReadonlyArray<string>) => void
  readonly stop: () => Promise<void>
}

export const startRoundRobin = async (): Promise<RoundRobin> => {
  let servers: ReadonlyArray<URL> = []
  let turn = 0
  const open = new Set<Duplex>()

  /** The same request at the next server, from the same address. */
  const next = (from: IncomingMessage) => {
    const to = servers[turn++ % servers.length]
    const headers = { ...from.headers }
    // A test that says where it comes from is believed, as by the one server.
    headers["x-forwarded-for"] ??= "127.0.0.1"
    const { method = "GET", url: path = "/" } = from
    return forward({ host: to?.hostname, port: to?.port, method, path, headers, agent: false })
  }

  const proxy = createServer({ requireHostHeader: false }, (from, to) => {
    const sent = next(from)
    sent.on("response", (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
      answer.pipe(to)
      answer.on("aborted", () => to.destroy())
    })
    sent.on("error", () => to.destroy())
    to.on("close", () => sent.destroy())
    from.pipe(sent)
  })
  proxy.on("connection", (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
  })
  proxy.on("upgrade", (from, client, head) => {
    const sent = next(from)
    sent.on("upgrade", (answer, server, first) => {
      const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? ""}`]
      for (let n = 0; n < answer.rawHeaders.length; n += 2)
        lines.push(`${answer.rawHeaders[n]}: ${answer.rawHeaders[n + 1]}`)
      client.write(`${lines.join("\r\n")}\r\n\r\n`)
      client.write(first)
      server.write(head)
      server.pipe(client).pipe(server)
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on("error", () => other.destroy())
        one.on("close", () => other.destroy())
      }
    })
    sent.on("response", (answer) => {
      client.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage ?? ""}\r\n`)
      for (let n = 0; n < answer.rawHeaders.length; n += 2)
        client.write(`${answer.rawHeaders[n]}: ${answer.rawHeaders[n + 1]}\r\n`)
      client.write("\r\n")
      answer.pipe(client)
    })
    sent.on("error", () => client.destroy())
    sent.end()
  })
  keepAlive(proxy)
  proxy.listen(0, "127.0.0.1")
  await once(proxy, "listening")
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    spread: (urls) => {
      servers = urls.map((url) => new URL(url))
    },
    stop: async () => {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, "close")
    },
  }
}
