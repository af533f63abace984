/** The routes of the gateway without WebSockets: event streams, and the frames of their clients (docs/gateway.md). */
import { Effect, Exit, Result, Schema } from "effect"
import { GatewayDoor } from "../../gateway/requests/door.ts"
import { TURNED_AWAY_SECONDS } from "../../gateway/transport/connection-handlers.ts"
import type { NewStream } from "../../gateway/transport/event-streams.ts"
import { StreamSessions } from "../../identity/stream-sessions.ts"
import { BadRequest, Unauthorized } from "../../model/errors.ts"
import { COMMANDS_PATH, type Identify, MAX_FRAME_BYTES, Resume, STREAM_PATH } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { refusalResponse } from "../media/refusal.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import { requireJsonType } from "../transport/request-body.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import type { PlainRoute, StreamRoute } from "../transport/uws-http.ts"

const MOST_PADDING = 32_768

const STREAM_HEADERS: HttpResponse["headers"] = [
  ["content-type", "text/event-stream"],
  // Compression would hold frames back.
  ["cache-control", "no-cache, no-transform"],
  // Asks nginx, and proxies that follow it, to pass each frame on at once.
  ["x-accel-buffering", "no"],
]

const ACCEPTED: HttpResponse = { status: 202, headers: [["cache-control", "no-store"]], body: "" }

const bearerOf = ({ headers }: Pick<HttpRequest, "headers">): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1]

const LAST_EVENT_ID = "last-event-id"
const decodeResume = Schema.decodeUnknownResult(Schema.fromJsonString(Resume))

/** The position from which the client resumes. */
const resumeOf = ({ headers }: RequestHead): Resume | undefined | BadRequest => {
  const given = headers[LAST_EVENT_ID] ?? ""
  if (given === "") return undefined
  const decoded = decodeResume(given)
  if (Result.isSuccess(decoded)) return decoded.success
  return BadRequest.ofHeader(LAST_EVENT_ID, "not the id of an event")
}

/** The number of a parameter; JSON has `null` for any other text, which the gateway refuses. */
const numeric = (text: string): number => (text === "" ? Number.NaN : Number(text))

/** The frame with which the client of a WebSocket identifies itself. The gateway judges it. */
const identifyOf = (token: string, resume: Resume | undefined, query: URLSearchParams): string => {
  const [mute, contract, from, speed] = ["mute", "contract", "from", "speed"].map(
    (name) => query.get(name) ?? undefined,
  )
  return JSON.stringify({
    op: OP.identify,
    d: {
      token,
      ...(resume && { resume }),
      ...(mute && { mute: mute.split(",") as Identify["d"]["mute"] }),
      ...(from !== undefined && {
        replay: { from: numeric(from), ...(speed !== undefined && { speed: numeric(speed) }) },
      }),
      ...(contract !== undefined && { client: { name: "stream", version: "", contract: Number(contract) } }),
    },
  })
}

const paddingOf = (query: URLSearchParams): number | BadRequest => {
  const given = query.get("padding") ?? "0"
  return /^\d{1,5}$/.test(given) && Number(given) <= MOST_PADDING
    ? Number(given)
    : BadRequest.ofParameter("padding", `must be a number from 0 to ${MOST_PADDING}`)
}

const NO_TOKEN = new Unauthorized({
  detail: "Send a gateway token as a bearer token; POST /v1/auth/gateway-token gives one.",
})

/** The stream that a request asks for. */
const wantedBy = (head: RequestHead): Omit<NewStream, "client"> | Unauthorized | BadRequest => {
  const query = new URLSearchParams(head.query)
  const [token, resume, padding] = [bearerOf(head), resumeOf(head), paddingOf(query)]
  if (token === undefined) return NO_TOKEN
  if (resume instanceof BadRequest) return resume
  if (padding instanceof BadRequest) return padding
  return { identify: identifyOf(token, resume, query), resume, padding }
}

export const gatewayStreamRoutes = (
  problems: Problems,
): Effect.Effect<ReadonlyArray<PlainRoute | StreamRoute>, never, GatewayDoor | StreamSessions> =>
  Effect.gen(function* () {
    const door = yield* GatewayDoor
    const { find } = yield* StreamSessions
    const run = Effect.runCallbackWith(yield* Effect.context<never>())

    const turnedAway = {
      full: problems.write("unavailable", "The process takes no more connections.", [
        ["retry-after", TURNED_AWAY_SECONDS],
      ]),
      address: problems.write("rate_limited", "The address has too many connections.", [
        ["retry-after", TURNED_AWAY_SECONDS],
      ]),
    }

    /** The response that refuses the stream; undefined when it was opened. */
    const refusalOf = (exchange: Exchange, head: RequestHead): HttpResponse | undefined => {
      const client = exchange.client()
      const wanted = wantedBy(head)
      if ("_tag" in wanted) return problems.of(wanted)
      const inside = Effect.runSyncExit(door.inside)
      if (Exit.isFailure(inside)) return refusalResponse(inside, problems, head.requestId)
      const { streams } = inside.value
      const refusal = streams.refusal(client)
      if (refusal !== undefined) return turnedAway[refusal]
      const body = exchange.openBody(200, STREAM_HEADERS)
      if (body !== undefined) streams.open({ client, ...wanted }, body)
      return undefined
    }

    const accept: StreamRoute["accept"] = (exchange, head) => {
      const response =
        head.method === "HEAD" ? { status: 200, headers: STREAM_HEADERS, body: "" } : refusalOf(exchange, head)
      if (response !== undefined) exchange.send(response)
    }

    const respond: PlainRoute["respond"] = (request, send) =>
      run(
        find(bearerOf(request) ?? "").pipe(
          Effect.tap(requireJsonType(request)),
          Effect.flatMap((pass) => pass(request.body)),
        ),
        {
          onExit: (exit) => send(Exit.isSuccess(exit) ? ACCEPTED : refusalResponse(exit, problems, request.requestId)),
        },
      )

    return [
      { method: "GET", path: STREAM_PATH, crossOrigin: true, accept },
      {
        method: "POST",
        path: COMMANDS_PATH,
        crossOrigin: true,
        wantsClient: false,
        bodyLimit: MAX_FRAME_BYTES,
        respond,
      },
    ]
  })
