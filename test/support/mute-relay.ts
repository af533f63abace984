/** A TCP relay to a server whose connections fall silent without a close, as those of a phone that changed its network. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

export interface MuteRelay {
  /** The same address, through the relay. */
  readonly through: (address: string) => string
  /** From now on no byte passes, neither over present connections nor over new ones. */
  readonly fallSilent: () => void
  /** New connections pass again; those from before stay silent. */
  readonly recover: () => void
  /** Resolves when another connection has come. */
  readonly nextConnection: () => Promise<unknown>
}

export const muteRelay = async (serverUrl: string): Promise<MuteRelay> => {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on("error", () => from.destroy())
      from.on("close", () => {
        if (!isMute.has(from)) to.destroy()
      })
      from.on("data", (bytes) => {
        if (!isMute.has(from)) to.write(bytes)
      })
      if (isSilent) isMute.add(from)
    }
  })
  const isMute = new WeakSet<Socket>()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, "close")
  })
  return {
    through: (address) => {
      const url = new URL(address)
      url.host = own
      return url.href
    },
    fallSilent: () => {
      isSilent = true
      for (const socket of sockets) isMute.add(socket)
    },
    recover: () => {
      isSilent = false
    },
    nextConnection: () => once(server, "connection"),
  }
}
