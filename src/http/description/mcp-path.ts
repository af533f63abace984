/** The route of agents. It is not part of the contract: it carries messages of the Model Context Protocol, whose tools are made of the contract. */
import { MCP_PATH } from "../transport/mcp-path.ts"
import { type ByteOperation, HEADERS_TOO_LARGE_ANSWER, parameter } from "./media-paths.ts"
import { problemResponse } from "./problem-answers.ts"

export const AGENTS_TAG = { name: "agents", description: "The server of agents, by the Model Context Protocol." }

const message = (description: string) => ({ "application/json": { schema: { type: "object", description } } })

export const mcpPath = (): { readonly [path: string]: { readonly [method: string]: ByteOperation } } => ({
  [MCP_PATH]: {
    post: {
      operationId: "sendAgentMessage",
      summary: "A message of an agent, by the Model Context Protocol",
      description:
        "Callers: an API key, also as a bearer token, or the holder of a session token. Each tool is an operation of this description under its name with underscores, and counts, is logged and is refused as that. `initialize`, `ping`, `tools/list` and `tools/call` of 2025-06-18 and 2025-11-25, and `server/discover` of 2026-07-28, without a session.",
      tags: [AGENTS_TAG.name],
      security: [{ apiKey: [] }, { workspaceSession: [] }],
      parameters: [parameter("write", "query", "`1`: tools may also change things; otherwise they only read.")],
      requestBody: { required: true, content: message("A JSON-RPC 2.0 request or notification.") },
      responses: {
        "200": { description: "The answer, which may be an error.", content: message("A JSON-RPC 2.0 response.") },
        "202": { description: "The notification was received." },
        "400": {
          description: "No message, or one of a revision that is not served.",
          content: message("A JSON-RPC 2.0 error."),
        },
        "401": problemResponse(["unauthorized"]),
        "403": problemResponse(["forbidden"]),
        "404": { description: "No such method (2026-07-28).", content: message("A JSON-RPC 2.0 error.") },
        "413": problemResponse(["payload_too_large"]),
        "415": problemResponse(["unsupported_media_type"]),
        "429": problemResponse(["rate_limited"]),
        "431": HEADERS_TOO_LARGE_ANSWER,
        "503": problemResponse(["unavailable"]),
      },
    },
  },
})
