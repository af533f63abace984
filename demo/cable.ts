/** A cable between some clients and the server that can be pulled: a TCP relay whose connections can be cut at once. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Cable {
  /** The same gateway address, through the cable. */
  readonly through: (gatewayUrl: string) => string
  /** Cuts every connection without a word; new ones pass again. Returns how many were cut. */
  readonly pull: () => number
  readonly close: () => Promise<void>
}

export const layCable = async (serverUrl: string): Promise<Cable> => {
  const { hostname, port } = new URL(serverUrl)
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    ends.add(near)
    near.pipe(far).pipe(near)
    const cut = (): void => {
      near.destroy()
      far.destroy()
      ends.delete(near)
    }
    for (const socket of [near, far]) socket.on("error", cut).on("close", cut)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const relayPort = (server.address() as AddressInfo).port
  return {
    through: (gatewayUrl) => {
      const url = new URL(gatewayUrl)
      url.host = `127.0.0.1:${relayPort}`
      return url.href
    },
    pull: () => {
      const cut = ends.size
      for (const near of ends) near.destroy()
      return cut
    },
    close: async () => {
      for (const near of ends) near.destroy()
      server.close()
      await once(server, "close")
    },
  }
}
