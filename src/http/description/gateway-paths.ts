/** The routes of the gateway without WebSockets. They are not part of the contract: they carry frames, which AsyncAPI describes. */
import { COMMANDS_PATH, STREAM_PATH } from "../../protocol/wire/frames.ts"
import { type ByteOperation, HEADERS_TOO_LARGE_ANSWER, parameter } from "./media-paths.ts"
import { problemResponse } from "./problem-answers.ts"

const SECURITY = [{ gatewayToken: [] }]

const FRAME = { type: "object", description: "A frame of the gateway, which `/v1/asyncapi.json` describes." }

export const gatewayPaths = (): { readonly [path: string]: { readonly [method: string]: ByteOperation } } => ({
  [STREAM_PATH]: {
    get: {
      operationId: "openGatewayStream",
      summary: "The gateway without a WebSocket: the frames of the server as Server-Sent Events",
      description:
        "Callers: the holder of a gateway token. Each event has a frame as `data`, and as `id` the position from which `Last-Event-ID` resumes. `close` is the last event, with the code and the reason of a socket's close.",
      tags: ["gateway"],
      security: SECURITY,
      parameters: [
        parameter("last-event-id", "header", "The `id` of the last event that the client has."),
        parameter("mute", "query", "Dispatches to leave out, comma separated: `reactions`, `transcript`."),
        parameter("contract", "query", "The contract for which the client is built; another one closes with 4309."),
        parameter(
          "from",
          "query",
          "Replays the ended event from so many milliseconds after its start: `replay` of `identify`. `last-event-id` then has no effect.",
        ),
        parameter("speed", "query", "Speed of the replay, 0 to 16."),
        parameter(
          "padding",
          "query",
          "Bytes of a comment behind the events, 0 to 32768, for a proxy that passes on full buffers alone.",
        ),
      ],
      responses: {
        "200": {
          description: "The stream, which lasts until the connection ends.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        "400": problemResponse(["bad_request"]),
        "401": problemResponse(["unauthorized"]),
        "429": problemResponse(["rate_limited"]),
        "431": HEADERS_TOO_LARGE_ANSWER,
        "503": problemResponse(["unavailable"]),
      },
    },
  },
  [COMMANDS_PATH]: {
    post: {
      operationId: "sendGatewayFrame",
      summary: "A frame of the client of a stream",
      description:
        "Callers: the holder of a stream's `session`, which is in its `hello`, as a bearer token. The frame counts as if it came on a socket; replies come on the stream. Send frames one after the other: requests at the same time may overtake each other. An array has up to 32 frames.",
      tags: ["gateway"],
      security: SECURITY,
      parameters: [],
      requestBody: {
        required: true,
        content: { "application/json": { schema: FRAME } },
      },
      responses: {
        "202": { description: "The stream has the frame." },
        "401": {
          ...problemResponse(["unauthorized"]),
          description: "`unauthorized`: no open stream has this session. Open another one.",
        },
        "413": problemResponse(["payload_too_large"]),
        "415": problemResponse(["unsupported_media_type"]),
        "431": HEADERS_TOO_LARGE_ANSWER,
        "503": problemResponse(["unavailable"]),
      },
    },
  },
})
