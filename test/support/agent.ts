/** Messages of the Model Context Protocol to `/v1/mcp`, as they are: the official clients are in `test-sdks/mcp.test.ts`. */
import type { Json } from "./api.ts"

interface Sent {
  readonly key?: string
  readonly query?: string
  readonly headers?: { readonly [name: string]: string }
  readonly method?: string
}

export interface Said {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The message of the answer, or null where there is none. */
  readonly body: Json
}

/** Sends a body, which is JSON unless it is a text. */
export const say = async (
  base: string,
  body: unknown,
  { key, query = "", headers = {}, method = "POST" }: Sent = {},
): Promise<Said> => {
  const answer = await fetch(`${base}/v1/mcp${query}`, {
    method,
    headers: { "content-type": "application/json", ...(key !== undefined && { "x-api-key": key }), ...headers },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === "" ? null : JSON.parse(text) }
}

export const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })

/** Outcome of a tool: its structured content, or the refusal that its text has. */
export interface Used {
  readonly isError: boolean
  readonly content: Json
  readonly text: string
}

/** An agent of a key. `query` is `?write=1` for one that may change things. */
export const agentOf =
  (base: () => string, sent: () => Sent) =>
  async (name: string, args: object = {}): Promise<Used> => {
    const { body, text: whole } = await say(base(), request("tools/call", { name, arguments: args }), sent())
    const { result } = body
    if (result === undefined) throw new Error(whole)
    const [{ text }] = result.content
    return { isError: result.isError === true, content: result.structuredContent, text }
  }
