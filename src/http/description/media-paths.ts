/**
 * The routes of media bytes. They are not part of the contract: their bodies are streams, and clients take their addresses from answers.
 */
import type { Operation } from "./openapi-operations.ts"
import { problemResponse } from "./problem-answers.ts"

const text = (description: string) => ({ description, schema: { type: "string" } })

export const parameter = (name: string, place: "header" | "path" | "query", description: string) => ({
  name,
  in: place,
  required: place === "path",
  description,
  schema: { type: "string" },
})

const TOKEN = parameter("token", "path", "From the address that an answer gave; it is the credential.")
const NAME = parameter("name", "path", "Of the file.")
const NEXT = { "next-seq": { description: "The number of the next piece.", schema: { type: "integer" } } }
const OFFSET = { "upload-offset": { description: "Bytes that are stored.", schema: { type: "integer" } } }
export const HEADERS_TOO_LARGE_ANSWER = { $ref: "#/components/responses/HeadersTooLarge" }
const BEARER = parameter("authorization", "header", "`Bearer` and the token of an encoder's address.")
const SDP = { "application/sdp": { schema: { type: "string" } } }
const ANY_BYTES = {
  "application/octet-stream": { schema: { type: "string", contentMediaType: "application/octet-stream" } },
}

/** Callers of the routes that have a token or a key in their path. */
const BY_ADDRESS =
  "Callers: anyone with the address, which another answer gave. It is the credential, so keep it from others."
const BY_TOKEN = "Callers: anyone with the token of an encoder's address, as a bearer token."
const BY_SIGNATURE = "Callers: the media server. A message whose signature does not fit is refused."

const callersOf = (path: string): string => {
  if (path.startsWith("/v1/whip")) return BY_TOKEN
  return path.includes("{") ? BY_ADDRESS : BY_SIGNATURE
}

export interface ByteOperation extends Operation {
  readonly summary: string
  readonly tags: ReadonlyArray<string>
}

type ProblemOf = (...codes: Parameters<typeof problemResponse>[0]) => ReturnType<typeof problemResponse>

const ingested = (operationId: string, problem: ProblemOf, refusals: ByteOperation["responses"]): ByteOperation => ({
  operationId,
  summary:
    "Media of an encoder: `stream` is one endless body of fragmented MP4, or with `seq` a numbered piece of it; other names are files of HLS",
  tags: ["media"],
  security: [],
  parameters: [TOKEN, NAME, parameter("seq", "query", "The number of the piece, from 0.")],
  requestBody: { content: ANY_BYTES },
  responses: {
    "200": { description: "The encoder's own playlist, which is not used." },
    "204": {
      description: "The segments that the body completed are stored.",
      headers: NEXT,
    },
    "400": problem("bad_request"),
    "409": {
      ...problem("conflict", "encoder_replaced"),
      description:
        "`conflict`: the broadcast has ended, or another piece is next. `encoder_replaced`: another encoder took over.",
      headers: { ...problem("conflict").headers, ...NEXT },
    },
    "413": problem("payload_too_large"),
    "415": problem("unsupported_media_type"),
    "429": {
      ...problem("rate_limited"),
      description:
        "`rate_limited`: pieces come faster than the broadcast may have. The same piece may be sent again after `Retry-After`.",
    },
    ...refusals,
  },
})

type MediaPaths = { readonly [path: string]: { readonly [method: string]: ByteOperation } }

export const mediaPaths = (): MediaPaths =>
  Object.fromEntries(
    Object.entries(operations()).map(([path, methods]) => {
      const description = callersOf(path)
      const described = Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, description, responses: { ...operation.responses, "431": HEADERS_TOO_LARGE_ANSWER } },
      ])
      return [path, Object.fromEntries(described)]
    }),
  )

const operations = (): { readonly [path: string]: { readonly [method: string]: ByteOperation } } => {
  const problem = (...codes: Parameters<typeof problemResponse>[0]) => problemResponse(codes)
  const refusals = {
    "401": problem("unauthorized"),
    "404": problem("not_found"),
    "500": problem("internal_error"),
    "503": problem("unavailable"),
  }
  const conflict = problem("conflict")
  const broadcastIngest: {
    readonly put: ByteOperation
    readonly post: ByteOperation
    readonly delete: ByteOperation
  } = {
    put: ingested("putBroadcast", problem, refusals),
    post: ingested("postBroadcast", problem, refusals),
    delete: {
      operationId: "deleteBroadcastFile",
      summary: "Encoders remove old segments; nothing is removed here",
      tags: ["media"],
      security: [],
      parameters: [TOKEN, NAME],
      responses: { "204": { description: "Nothing was done." }, "409": conflict, ...refusals },
    },
  }
  const watched = (
    operationId: string,
    summary: string,
    ...parameters: ReadonlyArray<typeof TOKEN>
  ): { readonly get: ByteOperation } => ({
    get: {
      operationId,
      summary,
      tags: ["media"],
      security: [],
      parameters: [TOKEN, ...parameters, parameter("range", "header", "One range, `bytes=<first>-<last>`.")],
      responses: {
        "200": { description: "All bytes, in the type that the file is of.", content: ANY_BYTES },
        "206": {
          description: "The wanted range.",
          headers: { "content-range": text("`bytes <first>-<last>/<size>`.") },
          content: ANY_BYTES,
        },
        "304": { description: "Not modified since the given `If-None-Match`." },
        "412": { description: "The given `If-Match` is of other bytes." },
        "416": {
          description: "The range lies behind the end.",
          headers: { "content-range": text("`bytes */<size>`.") },
        },
        ...refusals,
      },
    },
  })
  return {
    "/v1/media/uploads/{token}": {
      put: {
        operationId: "putRecordingBytes",
        summary: "Bytes of a recording: all of them, or those after the ones that are stored",
        tags: ["media"],
        security: [],
        parameters: [
          TOKEN,
          parameter(
            "content-range",
            "header",
            "`bytes <first>-<last>/<size or *>` to go on; without it the upload begins anew.",
          ),
        ],
        requestBody: { content: ANY_BYTES },
        responses: {
          "204": { description: "All bytes of the request are stored.", headers: OFFSET },
          "400": problem("bad_request"),
          "409": {
            ...conflict,
            description: "`conflict`: the stored bytes end elsewhere, or none are awaited.",
            headers: { ...conflict.headers, ...OFFSET },
          },
          "413": problem("payload_too_large"),
          "415": problem("unsupported_media_type"),
          ...refusals,
        },
      },
      head: {
        operationId: "headRecordingBytes",
        summary: "Where an upload goes on",
        tags: ["media"],
        security: [],
        parameters: [TOKEN],
        responses: {
          "200": { description: "The upload may go on.", headers: OFFSET },
          "401": { description: "The address is not valid." },
          "404": { description: "The recording is gone." },
          "409": { description: "No bytes are awaited." },
        },
      },
    },
    "/v1/media/parts/{token}": {
      put: {
        operationId: "putRecordingPart",
        summary: "One part of a recording, in any order",
        tags: ["media"],
        security: [],
        parameters: [TOKEN],
        requestBody: { content: ANY_BYTES },
        responses: {
          "204": {
            description: "The part is stored.",
            headers: { etag: text("Of the part's bytes; it may be named when the upload is completed.") },
          },
          "400": problem("bad_request"),
          "409": {
            ...conflict,
            description: "`conflict`: too few bytes came, the part is stored with other bytes, or none are awaited.",
          },
          "413": problem("payload_too_large"),
          "415": problem("unsupported_media_type"),
          ...refusals,
        },
      },
    },
    "/v1/media/recordings/{token}": watched(
      "getRecordingBytes",
      "A recording to watch or download: whole, or one range",
    ),
    "/v1/media/recordings/{token}/{name}": watched(
      "getBroadcastRecording",
      "The recording of a broadcast: `index.m3u8`, and the files that it names",
      NAME,
    ),
    "/v1/media/clips/{token}": watched("getClipBytes", "A clip to watch or download: whole, or one range"),
    "/v1/media/derivations/{token}": watched(
      "getDerivationBytes",
      "A picture of a recording, or the shape of its sound",
    ),
    "/v1/media/captions/{token}": {
      get: {
        operationId: "getCaptions",
        summary: "A transcript as WebVTT, for a player",
        tags: ["media"],
        security: [],
        parameters: [TOKEN],
        responses: {
          "200": { description: "The captions.", content: { "text/vtt": { schema: { type: "string" } } } },
          ...refusals,
        },
      },
    },
    "/v1/media/livekit/webhook": {
      post: {
        operationId: "receiveMediaServerMessage",
        summary: "Messages of the deployment's LiveKit server about recordings that it makes, signed by it",
        tags: ["media"],
        security: [],
        parameters: [parameter("authorization", "header", "The token of the message, with the SHA-256 of its body.")],
        requestBody: { content: { "application/webhook+json": { schema: { type: "object" } } } },
        responses: {
          "200": { description: "Taken, also when it is about something else." },
          "401": problem("unauthorized"),
          "404": { ...problem("not_found"), description: "`not_found`: there is no media server with a bucket." },
          "413": problem("payload_too_large"),
          "415": problem("unsupported_media_type"),
          "503": problem("unavailable"),
        },
      },
    },
    "/v1/ingest/{token}/{name}": broadcastIngest,
    "/v1/whip": {
      post: {
        operationId: "beginWhipSession",
        summary: "An encoder begins to send a broadcast by WebRTC (WHIP, RFC 9725): H.264 and Opus",
        tags: ["media"],
        security: [],
        parameters: [BEARER],
        requestBody: { content: SDP },
        responses: {
          "201": {
            description: "The answer. The session lasts as long as its connection, and nothing is trickled.",
            headers: { location: text("Path of the session, for `DELETE`.") },
            content: SDP,
          },
          "400": { ...problem("bad_request"), description: "`bad_request`: the offer cannot be taken, and why." },
          "409": {
            ...problem("conflict", "encoder_replaced"),
            description:
              "`conflict`: the broadcast has ended, or the server takes no encoders by WebRTC. `encoder_replaced`: another encoder took over.",
          },
          "413": problem("payload_too_large"),
          "415": problem("unsupported_media_type"),
          ...refusals,
        },
      },
    },
    "/v1/whip/{session}": {
      delete: {
        operationId: "endWhipSession",
        summary: "The encoder ends its session",
        tags: ["media"],
        security: [],
        parameters: [parameter("session", "path", "From `Location`."), BEARER],
        responses: {
          "200": { description: "Everything that came is stored." },
          ...refusals,
        },
      },
    },
    "/v1/live/{key}/{name}": {
      get: {
        operationId: "getLiveBroadcast",
        summary:
          "A broadcast as HLS: `index.m3u8`, and the files that it names; the part that it hints at is answered once it is there. `stage.m3u8` of one that the media server makes: its segments are in the bucket",
        tags: ["media"],
        security: [],
        parameters: [
          parameter("key", "path", "From the broadcast's `playbackUrl`."),
          NAME,
          parameter("_HLS_msn", "query", "The segment that the playlist is to have; the answer waits for it."),
          parameter("_HLS_part", "query", "The part of it that the playlist is to have."),
        ],
        responses: {
          "200": { description: "The playlist, or the bytes.", content: ANY_BYTES },
          "304": { description: "Not modified since the given `If-None-Match`." },
          "400": problem("bad_request"),
          ...refusals,
        },
      },
    },
  }
}
