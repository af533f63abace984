/**
 * `gathercue mcp`: the server's tools for agents whose client starts a program and talks over its input and output. Each line is a message
 * for `/v1/mcp` of the server.
 */
import { createInterface } from "node:readline"
import { fetchFailure, fetchWithin } from "../../egress/fetch-within.ts"
import { print } from "../terminal.ts"
import type { Profile } from "./profile.ts"
import { isJson, parsed } from "./rest.ts"

const ANSWER_WITHIN_MS = 40_000
/** Maximum number of messages that wait for answers. */
const MOST_WAITING = 16
const INTERNAL_ERROR = -32_603
const INVALID_REQUEST = -32_600
const UNREADABLE = -32_700

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly name?: unknown; readonly _meta?: { readonly [key: string]: unknown } }
}

const headerText = (value: unknown): string => {
  const text = String(value)
  return /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`
}

/** Headers that repeat parts of a message, as the revision without a handshake requires. */
const repeated = ({ method, params }: Message): { readonly [name: string]: string } => {
  const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"]
  if (version === undefined) return {}
  const name = params?.name === undefined ? {} : { "mcp-name": headerText(params.name) }
  return { "mcp-protocol-version": headerText(version), "mcp-method": headerText(method), ...name }
}

const failed = (id: unknown, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } })

/** The line that answers a message; undefined for one that has no answer. */
const answerTo = async (line: string, url: string, key: string): Promise<string | undefined> => {
  const message: Message | undefined = parsed(line)
  if (message === undefined) {
    return isJson(line)
      ? failed(null, INVALID_REQUEST, "The line is not a message: a message is one object.")
      : failed(null, UNREADABLE, "The line is not a message in JSON.")
  }
  const headers = {
    "x-api-key": key,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...repeated(message),
  }
  const init = { method: "POST", headers, body: line, redirect: "manual" } as const
  const words = await fetchWithin(ANSWER_WITHIN_MS, url, init, async (response) => {
    const text = await response.text()
    const answer: Message | undefined = parsed(text)
    // A message that the server could not read is answered without its id, and its sender would wait for it.
    if (answer !== undefined && "jsonrpc" in answer)
      return { line: JSON.stringify({ ...answer, id: answer.id ?? message.id ?? null }) }
    const { detail } = (answer ?? {}) as { readonly detail?: unknown }
    return {
      status: response.status,
      detail: typeof detail === "string" ? detail : `${url} answered ${response.status}.`,
    }
  }).catch((cause: unknown) => ({ status: 0, detail: `${url} gave no answer (${fetchFailure(cause)}).` }))
  if ("line" in words) return words.line
  return message.id === undefined ? undefined : failed(message.id, INTERNAL_ERROR, words.detail)
}

/** Runs until the input ends. */
export const serveAgents = async ({ url, key }: Profile, writes: boolean): Promise<void> => {
  const address = `${url}/v1/mcp${writes ? "?write=1" : ""}`
  const waiting = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue
    const work = answerTo(line, address, key).then((answer) => {
      waiting.delete(work)
      if (answer !== undefined) print(answer)
    })
    waiting.add(work)
    if (waiting.size >= MOST_WAITING) await Promise.race(waiting)
  }
  await Promise.all(waiting)
}
