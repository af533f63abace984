/**
 * Parses incoming frames and judges them by the state of their connection. The result says what to do, and `frame-handler.ts` does it. A
 * frame that no valid client sends closes the connection; a valid one that comes too early is refused.
 */
import { Result, Schema } from "effect"
import { isShallow } from "../../model/json.ts"
import { faultsOf, faultText } from "../../model/schema-faults.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { because, CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import {
  CommandFrame,
  CommandId,
  Heartbeat,
  Identify,
  MAX_FRAME_BYTES,
  MAX_FRAME_OBJECTS,
  TokenFrame,
} from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { type ConnectionState, isSettled } from "../connection/lifecycle.ts"
import { refusal } from "../connection/refusal.ts"

const decodeHeartbeat = Schema.decodeUnknownResult(Heartbeat)
const decodeIdentify = Schema.decodeUnknownResult(Identify)
const decodeCommand = Schema.decodeUnknownResult(CommandFrame)
const decodeToken = Schema.decodeUnknownResult(TokenFrame)
const isId = Schema.is(CommandId)

const CLIENT_OPS = [OP.heartbeat, OP.identify, OP.command, OP.token] as const

type ClientObject = { readonly op: (typeof CLIENT_OPS)[number]; readonly id?: unknown }

export type Incoming =
  | { readonly type: "heartbeat"; readonly t0: number }
  | ({ readonly type: "identify" } & Identify["d"])
  | { readonly type: "command"; readonly frame: CommandFrame }
  /** Token renewal of an open session. */
  | { readonly type: "renew"; readonly id: string | undefined; readonly token: string }
  /** Without an id the refusal belongs to no command. */
  | { readonly type: "refuse"; readonly id: string | undefined; readonly refusal: Refusal }
  | { readonly type: "close"; readonly why: CloseCode }

const parse = (bytes: ArrayBuffer): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"))
  } catch {
    return undefined
  }
}

/** The objects of a frame, or the reason to close its connection. */
export const objectsIn = (bytes: ArrayBuffer): ReadonlyArray<unknown> | CloseCode => {
  if (bytes.byteLength > MAX_FRAME_BYTES)
    return because(CLOSE.frameTooLarge, `frame: more than ${MAX_FRAME_BYTES} bytes`)
  const frame = parse(bytes)
  if (frame === undefined) return because(CLOSE.protocolError, "frame: not JSON")
  if (!isShallow(frame)) return because(CLOSE.protocolError, "frame: nested too deeply")
  const objects: ReadonlyArray<unknown> = Array.isArray(frame) ? frame : [frame]
  return objects.length > MAX_FRAME_OBJECTS
    ? because(CLOSE.frameTooLarge, `frame: more than ${MAX_FRAME_OBJECTS} objects`)
    : objects
}

export const isClientObject = (value: unknown): value is ClientObject =>
  typeof value === "object" && value !== null && "op" in value && CLIENT_OPS.some((op) => op === value.op)

/** The reason to reject an object that no valid client sends. No value of the client is repeated. */
export const unknownObject = because(CLOSE.protocolError, `op: must be one of ${CLIENT_OPS.join(", ")}`)

const protocolError = (reason: string): Incoming => ({ type: "close", why: because(CLOSE.protocolError, reason) })
export const NOT_READY = refusal("unauthorized", "Identify and wait for ready first.")
const IN_LOBBY = refusal("forbidden", "You wait in the lobby.")

const refuse = (id: string | undefined, refusal: Refusal): Incoming => ({ type: "refuse", id, refusal })

const heartbeat = (object: ClientObject): Incoming => {
  const decoded = decodeHeartbeat(object)
  return Result.isFailure(decoded)
    ? refuse(undefined, refusal("bad_request", "A heartbeat carries d.t0, a number."))
    : { type: "heartbeat", t0: decoded.success.d.t0 }
}

const identify = (state: ConnectionState, object: ClientObject): Incoming => {
  if (state !== "new") return protocolError("identify: was sent before on this connection")
  const decoded = decodeIdentify(object)
  if (Result.isSuccess(decoded)) return { type: "identify", ...decoded.success.d }
  return protocolError(`identify: ${faultText(faultsOf(decoded.failure.issue).slice(0, 1), "identify")}`)
}

const command = (state: ConnectionState, object: ClientObject): Incoming => {
  const decoded = decodeCommand(object)
  if (Result.isFailure(decoded)) {
    return refuse(undefined, refusal("bad_request", "A command carries id (1 to 64 characters) and t."))
  }
  const frame = decoded.success
  if (state === "open") return { type: "command", frame }
  return refuse(frame.id, state === "lobby" ? IN_LOBBY : NOT_READY)
}

const renew = (state: ConnectionState, object: ClientObject): Incoming => {
  const decoded = decodeToken(object)
  if (Result.isFailure(decoded)) {
    // A token frame with an id is refused under that id, like a command.
    return refuse(isId(object.id) ? object.id : undefined, refusal("bad_request", "op 12 carries d.token."))
  }
  const { id, d } = decoded.success
  return isSettled(state) ? { type: "renew", id, token: d.token } : refuse(id, NOT_READY)
}

export const incoming = (state: ConnectionState, object: ClientObject): Incoming => {
  switch (object.op) {
    case OP.heartbeat:
      return heartbeat(object)
    case OP.identify:
      return identify(state, object)
    case OP.command:
      return command(state, object)
    case OP.token:
      return renew(state, object)
  }
}
