/**
 * Loaded into each node before the server (`--import`). A node listens at the very address that the others dial, so a proxy cannot
 * stand between them by configuration alone: here a connection to a node's port goes to the port of the proxy in front of it.
 */
import { Socket } from "node:net"

/** `port:proxy`, comma separated. */
export const NODE_DIALS = "CHAOS_NODE_DIALS"

const proxies = new Map(
  (process.env[NODE_DIALS] ?? "").split(",").map((pair) => pair.split(":").map(Number) as [number, number]),
)

type Connect = (this: Socket, ...args: ReadonlyArray<unknown>) => Socket

const redirected = (options: unknown): unknown => {
  const port = (options as { readonly port?: unknown } | null)?.port
  const proxy = proxies.get(Number(port))
  return proxy === undefined ? options : { ...(options as object), port: proxy }
}

const original = Socket.prototype.connect as unknown as Connect

const connect: Connect = function (first, ...rest) {
  // `net.connect` gives its own array of options and listener, which must stay the array that it is.
  if (Array.isArray(first)) first[0] = redirected(first[0])
  return original.call(this, Array.isArray(first) ? first : redirected(first), ...rest)
}

if (process.env[NODE_DIALS] !== undefined) Socket.prototype.connect = connect as unknown as Socket["connect"]
