/**
 * Opens the socket of a database connection: TCP or a Unix socket, with TLS where the address asks for it. The pool opens sockets itself,
 * so that it can end a connection at once, even while the driver uses it.
 */
import { readFileSync } from "node:fs"
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectTls } from "node:tls"
import type { DatabaseTls } from "../../model/database-address.ts"

/** The driver's options for connecting. */
export interface Address {
  readonly host: ReadonlyArray<string>
  readonly port: ReadonlyArray<number>
  /** Path of a Unix socket, which takes precedence over host and port. */
  readonly path: string | false | undefined
  readonly sslnegotiation: string | null | undefined
}

/** Idle time before the first probe; Node then sends one a second and gives up after ten of them. */
const KEEPALIVE_AFTER_MS = 10_000
/** SSLRequest message of the PostgreSQL protocol: length 8, then the code that asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const ACCEPTED = 0x53

const failed = (message: string, code = "CONNECT_FAILED"): Error => Object.assign(new Error(message), { code })

/** Resolves at the socket's next event of that name; rejects when the socket fails, closes or is given up before. */
const next = (socket: Socket, event: string, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      socket.off(event, onEvent).off("error", onError).off("close", onClose)
      signal.removeEventListener("abort", onAbort)
      settle()
    }
    const onEvent = (value: unknown) => done(() => resolve(value))
    const onError = (error: Error) => done(() => reject(error))
    const onClose = () => done(() => reject(failed("The database closed the connection.")))
    const onAbort = () => {
      socket.destroy()
      done(() => reject(failed("The database did not take a connection in time.")))
    }
    socket.on(event, onEvent).on("error", onError).on("close", onClose)
    signal.addEventListener("abort", onAbort)
    if (signal.aborted) onAbort()
  })

const askForTls = async (socket: Socket, signal: AbortSignal): Promise<boolean> => {
  socket.write(SSL_REQUEST)
  const answer = (await next(socket, "data", signal)) as Buffer
  socket.pause()
  // A further byte would be plain text injected by an attacker before the encrypted session (CVE-2021-23222).
  if (answer.length !== 1) throw failed("The database answered the request for TLS with more than one byte.")
  return answer[0] === ACCEPTED
}

const contentOf = (name: string, path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw failed(`${name} of its address cannot be read: ${(cause as Error).message}`)
  }
}

const tlsOptions = (tls: DatabaseTls, { sslnegotiation }: Address, host: string): ConnectionOptions => ({
  // Name or address compared by `verify-full`.
  host,
  ...(isIP(host) === 0 && { servername: host }),
  ...(sslnegotiation === "direct" && { ALPNProtocols: ["postgresql"] }),
  ...(tls.rootCert !== null && { ca: contentOf("sslrootcert", tls.rootCert) }),
  ...(tls.cert !== null && { cert: contentOf("sslcert", tls.cert) }),
  ...(tls.key !== null && { key: contentOf("sslkey", tls.key) }),
  // Like libpq, encrypts without verifying the server in the modes before `verify-ca`.
  rejectUnauthorized: tls.mode.startsWith("verify"),
  ...(tls.mode === "verify-ca" && { checkServerIdentity: () => undefined }),
})

const UNTRUSTED = /^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_)/

/** Error sentence for a failed handshake. */
const refusedTls = (cause: unknown): Error => {
  const { code = "", message } = cause as NodeJS.ErrnoException
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return failed(
      `its certificate is for another name: use that name, or sslmode=verify-ca; ${message}`,
      "CONNECT_CERT",
    )
  }
  if (!UNTRUSTED.test(code)) return failed(`TLS with it failed: ${message}`)
  return failed(
    `its certificate is not trusted: ${message}; sslrootcert names the file of its authority`,
    "CONNECT_CERT",
  )
}

const secure = async (
  socket: Socket,
  tls: DatabaseTls,
  address: Address,
  host: string,
  signal: AbortSignal,
): Promise<Socket> => {
  if (address.sslnegotiation !== "direct" && !(await askForTls(socket, signal))) {
    if (tls.mode === "prefer" || tls.mode === "allow") return socket.resume()
    throw failed("The database does not offer TLS, which its address asks for.")
  }
  const options = tlsOptions(tls, address, host)
  try {
    // Throws already for a certificate and key that do not belong together.
    const encrypted = connectTls({ ...options, socket })
    await next(encrypted, "secureConnect", signal)
    return encrypted
  } catch (cause) {
    throw signal.aborted ? cause : refusedTls(cause)
  }
}

/**
 * A socket to the `attempt`th host of the address, in turn, ready for the start-up message.
 * Rejects when the database cannot be reached or `signal` is aborted; nothing is left open then.
 */
export const dial = async (
  address: Address,
  tls: DatabaseTls,
  attempt: number,
  signal: AbortSignal,
): Promise<Socket> => {
  const { host: hosts, port: ports, path } = address
  const host = hosts[attempt % hosts.length] ?? "localhost"
  const port = ports[attempt % ports.length] ?? 5432
  const socket = path ? connectTcp({ path }) : connectTcp({ host, port, noDelay: true })
  try {
    await next(socket, "connect", signal)
    if (!path) socket.setKeepAlive(true, KEEPALIVE_AFTER_MS)
    return tls.mode === "disable" || path ? socket : await secure(socket, tls, address, host, signal)
  } catch (cause) {
    // A failure may be followed by an error event without another listener.
    socket.on("error", () => {}).destroy()
    throw cause
  }
}
