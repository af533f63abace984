/** A proxy in front of a node's port for the other nodes. It can hold everything back, as a network without a way through does. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface NodeProxy {
  readonly port: number
  /** Nothing passes, and new connections are accepted and silent. */
  readonly hold: () => void
  /** What was held back goes on, as TCP sends again what was lost. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

export const startNodeProxy = async (target: number): Promise<NodeProxy> => {
  const open = new Set<Socket>()
  let isHeld = false

  const keep = (socket: Socket, other: Socket): void => {
    open.add(socket)
    socket.on("error", () => other.destroy())
    socket.once("close", () => {
      open.delete(socket)
      other.destroy()
    })
    socket.on("data", (chunk: Buffer) => {
      if (other.write(chunk)) return
      socket.pause()
      other.once("drain", () => {
        if (!isHeld) socket.resume()
      })
    })
    socket.once("end", () => other.end())
    if (isHeld) socket.pause()
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (inner) => {
    const outer = connect({ host: "127.0.0.1", port: target, noDelay: true, allowHalfOpen: true })
    keep(inner, outer)
    keep(outer, inner)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => {
      isHeld = true
      for (const socket of open) socket.pause()
    },
    heal: () => {
      isHeld = false
      for (const socket of open) socket.resume()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      if (server.listening) await once(server, "close")
    },
  }
}
