/** The ports: the app that listens on each, and a close that resets no connection. */
import type { TemplatedApp, us_listen_socket } from "uWebSockets.js"
import { Certificates } from "../certificates/certificates.ts"
import { httpPort } from "../certificates/http-port.ts"
import type { Config } from "../config/config.ts"
import { App as createApp, secureApp } from "../engine/engine.ts"

/** The server cannot be started; the message is one sentence for the operator. */
class StartRefused extends Error {
  override readonly name = "StartRefused"
}

/** A turn of the event loop this short accepted everything that was waiting, and little can have arrived since. */
const QUIET_TURN_MS = 0.2
/** The wait ends after this many turns, on a machine that has no short ones. */
const MOST_TURNS = 500

/**
 * Waits until all waiting connections have been accepted. Connections that the kernel has completed and this process has not accepted are
 * reset when the port closes, and a proxy cannot repeat their requests. Each turn of the event loop accepts the waiting ones; the port is
 * closed at the end of a turn that did nothing else.
 */
export const untilAllAreTaken = async (): Promise<void> => {
  let endedAt = performance.now()
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await new Promise(setImmediate)
    const now = performance.now()
    if (turn > 0 && now - endedAt < QUIET_TURN_MS) return
    endedAt = now
  }
}

export const LOOPBACK = "127.0.0.1"
export const EXCLUSIVE_PORT = 1
export const SHARED_PORT = 0

/**
 * Listens on a port. By default the engine shares a port with the process that already has it, which only workers want. Its types know the
 * option only without a host; the engine accepts both.
 */
export const listenOn = (
  app: TemplatedApp,
  host: string,
  port: number,
  sharing: typeof EXCLUSIVE_PORT | typeof SHARED_PORT,
): us_listen_socket => {
  let listening: us_listen_socket | false = false
  const listen = app.listen as unknown as (
    host: string,
    port: number,
    options: number,
    then: (socket: us_listen_socket | false) => void,
  ) => void
  listen.call(app, host, port, sharing, (socket) => {
    listening = socket
  })
  if (listening === false) {
    throw new StartRefused(
      `Port ${port} on ${host} cannot be listened on; is another server using it, or is the address not one of this machine?`,
    )
  }
  return listening
}

/** `front` is the app that listens on the clients' port. */
export const appOf = ({ acme, dataDir }: Config) => {
  if (acme === null) {
    const app = createApp({})
    return { app, front: app, scheme: "http", certificates: null }
  }
  const { app, front, use } = secureApp()
  return { app, front, scheme: "https", certificates: new Certificates(acme, dataDir, use) }
}

/** Returns a function that closes the port again. */
export const openHttpPort = (
  { acme, host }: Config,
  certificates: Certificates | null,
  publicUrl: string,
  sockets: us_listen_socket[],
): ReadonlyArray<() => void> => {
  if (acme === null || certificates === null) return []
  const plain = httpPort(certificates, publicUrl)
  sockets.push(listenOn(plain, host, acme.httpPort, EXCLUSIVE_PORT))
  return [() => void plain.close()]
}
