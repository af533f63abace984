/**
 * The adapter of `@gathercue/client`: `node typescript.mjs [module]`, where the module is the built client. Other programs may change the
 * client's options by `serve`.
 */
import { createInterface } from "node:readline"
import { WebSocket } from "ws"

/** @param {Error & { code?: number, status?: number }} cause */
const kindOf = ({ name, code, status }) => {
  if (name === "ConnectionClosed") return ["closed", code]
  return name === "RestProblem" ? ["token", status] : ["other"]
}

/** @param {string} tell @param {unknown} [entry] */
export const tell = (tell, entry) => process.stdout.write(`${JSON.stringify({ tell, entry })}\n`)

/** The client that a `connect` begins. */
const connect = ({ GatewayClient, makeRestClient }, { url, options }, more) => {
  const { firstMs = 0, longestMs = 0, ...rest } = options
  const api = makeRestClient({ baseUrl: url })
  const token = () => api.createGatewayToken({ payload: { eventId: "e" } })
  const Socket = globalThis.WebSocket ?? WebSocket
  const client = new GatewayClient({
    token,
    WebSocket: Socket,
    backoff: { firstMs, longestMs },
    transport: "websocket",
    ...rest,
    ...more,
  })
  client.on("dispatch", ({ t, d }) => tell("dispatches", [t, t === "ready" ? { resumed: d.resumed } : d]))
  client.on("status", (status) => tell("status", status))
  client.on("error", ({ cause, retryInMs }) => tell("status", ["failed", ...kindOf(cause), retryInMs]))
  client.on("closed", ({ cause }) => {
    tell("status", cause === undefined ? ["ended"] : ["ended", ...kindOf(cause)])
    // The commands that wait are told first.
    setImmediate(() => tell("ended"))
  })
  client.connect().catch(() => {})
  return client
}

const command = async (client, { label, t, d, id, rev }) => {
  const chosen = { ...(id !== undefined && { id }), ...(rev !== undefined && { rev }) }
  const outcome = await client.command(t, d, chosen).then(
    (reply) => ["accepted", reply.d, reply.dup ?? false],
    (cause) =>
      cause.name === "CommandRefused"
        ? ["refused", cause.code, cause.message, cause.refusal.retryAfterMs ?? null]
        : ["unanswered"],
  )
  tell("replies", [label, outcome])
}

/** Does what the lines of the input say. @param {any} library @param {object} [more] */
export const serve = async (library, more = {}, { random = 0.5, transports = ["websocket", "sse"] } = {}) => {
  // Waits are half of the longest.
  Math.random = () => random
  const started = { name: "@gathercue/client", version: library.RELEASE, transports }
  let client
  let commands = []
  for await (const line of createInterface(process.stdin)) {
    const asked = JSON.parse(line)
    if (asked.cmd === "start") process.stdout.write(`${JSON.stringify({ started })}\n`)
    else if (asked.cmd === "connect") client = connect(library, asked, more)
    else if (asked.cmd === "command") commands.push(command(client, asked))
    else if (asked.cmd === "close") client.close()
    else if (asked.cmd === "stall") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, asked.ms)
    else if (asked.cmd === "finish") {
      await Promise.all(commands)
      commands = []
      tell("finished")
    }
  }
}

if (process.argv[1] === import.meta.filename) await serve(await import(process.argv[2] ?? "@gathercue/client"))
