import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/**
 * A port for a server that must come back at the same address. It lies below the range the system hands out, so that no
 * other test's connection takes it while the server is down.
 */
export const freePort = async (): Promise<number> => {
  while (true) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true))
    })
    if (!isFree) continue
    probe.close()
    await once(probe, "close")
    return port
  }
}
