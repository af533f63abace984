/**
 * The Model Context Protocol over HTTP, as far as a server of tools needs it: JSON-RPC messages, one in each request and without any
 * session. Revisions up to 2025-11-25 begin with `initialize` and remember what was agreed; this server has nothing to remember. The
 * revision 2026-07-28 states its version in each request and repeats parts of the message as headers.
 */
import { parseJson, UnreadableJson } from "../../model/json.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"

/** Revisions that begin with `initialize`, the newest first. */
const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18"]
const NEWEST = "2026-07-28"
export const VERSIONS = [NEWEST, ...WITH_HANDSHAKE]

/** The revision that `initialize` agrees on: the requested one, or else the newest with a handshake. */
export const agreedVersion = (asked: unknown): string =>
  WITH_HANDSHAKE.find((version) => version === asked) ?? WITH_HANDSHAKE[0] ?? NEWEST

/** Codes of JSON-RPC; the last two are those of MCP. */
const CODES = {
  unreadable: -32700,
  invalidRequest: -32600,
  noSuchMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

export interface Params {
  readonly [name: string]: unknown
}

export interface AgentMessage {
  readonly id: string | number
  readonly method: string
  readonly params: Params
}

const isId = (id: unknown): id is AgentMessage["id"] => typeof id === "string" || Number.isInteger(id)

/** A message that cannot be answered with a result. */
export class Faulty extends Error {
  override readonly name = "Faulty"
  readonly code: keyof typeof CODES
  readonly status: number
  readonly data: object | undefined
  /** The message's id, as far as it was read. */
  readonly id: AgentMessage["id"] | null

  constructor(
    code: keyof typeof CODES,
    message: string,
    { status = 400, data, id }: { status?: number; data?: object; id?: unknown } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
    this.id = isId(id) ? id : null
  }
}

export const invalidParams = (message: string): Faulty => new Faulty("invalidParams", message, { status: 200 })

export const isParams = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parsed = (body: Uint8Array): Params => {
  let value: unknown
  try {
    value = parseJson(utf8.decode(body))
  } catch (cause) {
    const reason = cause instanceof UnreadableJson ? cause.message : "not UTF-8"
    throw new Faulty("unreadable", `The body cannot be read: ${reason}.`)
  }
  if (!isParams(value) || value["jsonrpc"] !== "2.0")
    throw new Faulty("invalidRequest", "Send one JSON-RPC 2.0 message; batches are not taken.")
  return value
}

const VERSION_HEADER = "mcp-protocol-version"
const ENCODED = /^=\?base64\?(.*)\?=$/

const headerText = (value: string | undefined): string | undefined => {
  const encoded = ENCODED.exec(value ?? "")?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8")
}

/** Intermediaries decide by the headers, so headers and body must agree. */
const requireSame = (headers: HttpRequest["headers"], name: string, said: unknown): void => {
  if (headerText(headers[name]) !== said)
    throw new Faulty("headerMismatch", `Header mismatch: ${name} is missing, or is not what the body says.`)
}

const unsupported = (requested: string): Faulty =>
  new Faulty("unsupportedVersion", "Unsupported protocol version", { data: { supported: VERSIONS, requested } })

/** Whether the message is of the revision without handshake, whose headers are compared. @throws Faulty */
export const isStateless = ({ method, params }: AgentMessage, headers: HttpRequest["headers"]): boolean => {
  const meta = params["_meta"]
  const stated = isParams(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined
  const header = headers[VERSION_HEADER]
  if (typeof stated !== "string") {
    if (header === NEWEST) requireSame(headers, VERSION_HEADER, stated)
    if (header !== undefined && !WITH_HANDSHAKE.includes(header)) throw unsupported(header)
    return false
  }
  if (stated !== NEWEST) throw unsupported(stated)
  requireSame(headers, VERSION_HEADER, stated)
  requireSame(headers, "mcp-method", method)
  if (method === "tools/call") requireSame(headers, "mcp-name", params["name"])
  return true
}

/** The request's message; null for one that gets no answer. @throws Faulty */
export const readMessage = (body: Uint8Array): AgentMessage | null => {
  const { id, method, params = {}, ...others } = parsed(body)
  if (method === undefined && ("result" in others || "error" in others)) return null
  if (typeof method !== "string") throw new Faulty("invalidRequest", "The message has no method.", { id })
  if (id === undefined) return null
  if (!isId(id)) throw new Faulty("invalidRequest", "The id of a request is a text or an integer.")
  if (!isParams(params)) throw new Faulty("invalidRequest", "The params are not an object.", { id })
  return { id, method, params }
}

const response = (status: number, id: unknown, outcome: object): HttpResponse => ({
  status,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
  ],
  body: JSON.stringify({ jsonrpc: "2.0", id, ...outcome }),
})

export const ACCEPTED: HttpResponse = { status: 202, headers: [["cache-control", "no-store"]], body: "" }

export const resultResponse = (id: AgentMessage["id"], result: object): HttpResponse => response(200, id, { result })

/** `id` is null where the message could not be read. */
export const faultResponse = (id: AgentMessage["id"] | null, { code, status, message, data }: Faulty): HttpResponse =>
  response(status, id, { error: { code: CODES[code], message, ...(data && { data }) } })
