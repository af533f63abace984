/**
 * WebSockets of uWebSockets.js; no other file uses them. Rules of the engine: a closed socket throws when used, so every call is guarded.
 * An exception must not reach the engine. A message's memory is invalid after the callback. `publish` and `send` drop silently above
 * `maxBackpressure`, so a drop terminates the socket.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket } from "uWebSockets.js"
import type { Client } from "../../identity/callers/client-addresses.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import { GATEWAY_PATH, SUBPROTOCOL } from "../../protocol/wire/frames.ts"
import type { Connection, Socket } from "../connection/connection.ts"
import {
  type ConnectionHandlers,
  TRANSPORT_LIMIT_FACTOR,
  TURNED_AWAY_SECONDS,
  type TurnedAway,
} from "./connection-handlers.ts"

/** The engine's app to which the gateway is bound. */
export type SocketApp = TemplatedApp

interface SocketHandlers extends ConnectionHandlers {
  readonly clientOf: (peer: string, forwardedFor: string) => Client
}

/** The engine drops larger messages without a close code; up to this size the gateway answers with one. */
const ENGINE_MAX_MESSAGE = 65_536
/** Seconds without any traffic; the gateway's heartbeat rule is far stricter. */
const ENGINE_IDLE_SECONDS = 120

interface UserData {
  connection: Connection | undefined
  socket: UwsSocket | undefined
  readonly client: Client
}

const REFUSED: { readonly [why in TurnedAway]: string } = {
  full: "503 Service Unavailable",
  address: "429 Too Many Requests",
}

const latin1 = new TextDecoder("latin1")

/** All lines of the header as one list, in order: the engine returns only the first line, which a client may have written. */
const forwardedFor = (req: HttpRequest): string => {
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === "x-forwarded-for") lines.push(value)
  })
  return lines.join(",")
}

/**
 * Whether the handshake announces a body, which it must not have (RFC 6455, section 4.1). If a proxy sees a body and the gateway does not,
 * requests could be smuggled in it.
 */
const announcesBody = (req: HttpRequest): boolean => {
  let doesAnnounce = false
  req.forEach((name, value) => {
    if (name === "transfer-encoding" || (name === "content-length" && value !== "0")) doesAnnounce = true
  })
  return doesAnnounce
}

const WEBSOCKET_VERSION = "13"

/** Refuses the handshake, and names the supported version (RFC 6455, section 4.4). */
const refuseVersion = (res: HttpResponse): void => {
  res.cork(() =>
    res
      .writeStatus("426 Upgrade Required")
      .writeHeader("upgrade", "websocket")
      .writeHeader("sec-websocket-version", WEBSOCKET_VERSION)
      .end(),
  )
}

/** Refuses after a delay: the engine takes no other request from the connection until the answer, and then closes it. */
const refuseLater = (res: HttpResponse): void => {
  let isGone = false
  res.onAborted(() => {
    isGone = true
  })
  setImmediate(() => {
    if (!isGone) res.cork(() => res.writeStatus("400 Bad Request").end(undefined, true))
  })
}

class UwsSocket implements Socket {
  #ws: WebSocket<UserData> | undefined
  readonly #onSent: () => void

  constructor(ws: WebSocket<UserData>, onSent: () => void) {
    this.#ws = ws
    this.#onSent = onSent
  }

  /** Called when the engine has released the socket. */
  detach(): void {
    this.#ws = undefined
  }

  send(text: string): void {
    if (this.#ws === undefined) return
    this.#ws.send(text)
    this.#onSent()
  }

  end(code: number, reason: string): void {
    const ws = this.#ws
    this.#ws = undefined
    ws?.end(code, reason)
  }

  terminate(): void {
    const ws = this.#ws
    this.#ws = undefined
    ws?.close()
  }

  subscribe(topic: string): void {
    this.#ws?.subscribe(topic)
  }

  unsubscribe(topic: string): void {
    this.#ws?.unsubscribe(topic)
  }

  buffered(): number {
    return this.#ws?.getBufferedAmount() ?? 0
  }
}

export const bindSockets = (app: SocketApp, orderedLimitBytes: number, handlers: SocketHandlers): void => {
  /** Sockets with a dropped message; they cannot be closed while the engine iterates over its subscribers. */
  const dropped = new Set<Connection>()

  const cutDropped = (): void => {
    for (const connection of dropped) connection.apply({ type: "cut", why: CLOSE.slowConsumer })
    dropped.clear()
  }

  const guard = (ws: WebSocket<UserData>, body: (connection: Connection) => void): void => {
    const { connection } = ws.getUserData()
    if (connection === undefined) return
    try {
      body(connection)
    } catch (error) {
      handlers.failed(error)
      connection.close(CLOSE.internal)
    }
  }

  app.ws<UserData>(GATEWAY_PATH, {
    maxPayloadLength: ENGINE_MAX_MESSAGE,
    maxBackpressure: orderedLimitBytes * TRANSPORT_LIMIT_FACTOR,
    idleTimeout: ENGINE_IDLE_SECONDS,
    sendPingsAutomatically: false,
    upgrade: (res, req, context) => {
      const peer = latin1.decode(res.getRemoteAddressAsText())
      const client = handlers.clientOf(peer, forwardedFor(req))
      if (announcesBody(req)) {
        refuseLater(res)
        return
      }
      if (req.getHeader("sec-websocket-version") !== WEBSOCKET_VERSION) {
        refuseVersion(res)
        return
      }
      const refusal = handlers.refusal(client)
      if (refusal !== undefined) {
        // The connection is closed, so that it no longer uses a file descriptor.
        res.cork(() =>
          res.writeStatus(REFUSED[refusal]).writeHeader("retry-after", TURNED_AWAY_SECONDS).end(undefined, true),
        )
        return
      }
      const offered = req.getHeader("sec-websocket-protocol").split(",")
      const protocol = offered.some((name) => name.trim() === SUBPROTOCOL) ? SUBPROTOCOL : ""
      res.upgrade<UserData>(
        { connection: undefined, socket: undefined, client },
        req.getHeader("sec-websocket-key"),
        protocol,
        req.getHeader("sec-websocket-extensions"),
        context,
      )
    },
    open: (ws) => {
      const data = ws.getUserData()
      data.socket = new UwsSocket(ws, handlers.sent)
      try {
        data.connection = handlers.opened(data.socket, data.client)
      } catch (error) {
        handlers.failed(error)
        data.socket.end(CLOSE.internal.code, CLOSE.internal.reason)
      }
    },
    message: (ws, bytes) => guard(ws, (connection) => handlers.received(connection, bytes)),
    drain: (ws) => guard(ws, handlers.drained),
    dropped: (ws) => {
      const { connection } = ws.getUserData()
      if (connection === undefined || connection.state === "closed") return
      if (dropped.size === 0) setImmediate(cutDropped)
      dropped.add(connection)
    },
    close: (ws) => {
      const data = ws.getUserData()
      data.socket?.detach()
      handlers.closed(data.client)
      guard(ws, (connection) => connection.apply({ type: "lost" }))
    },
  })
}
