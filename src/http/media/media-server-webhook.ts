/** Webhooks of the media server about people who join its rooms and recordings that it makes. Their signature is the credential. */
import { Effect, type Exit } from "effect"
import { settleCapture } from "../../media/jobs/capture.ts"
import { RoomRecorder } from "../../media/livekit/room-recorder.ts"
import { ServerMessages } from "../../media/livekit/server-messages.ts"
import type { LiveBroadcasts } from "../../media/placed/live-broadcasts.ts"
import { type Failure, NotFound } from "../../model/errors.ts"
import type { Database } from "../../store/database.ts"
import type { MediaSignal } from "../../store/media/media-signal.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import type { HttpRequest } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { PlainRoute } from "../transport/uws-http.ts"
import { refusalResponse } from "./refusal.ts"

export type WebhookServices = Database | LiveBroadcasts | MediaSignal | Telemetry

type Run = <A, E>(effect: Effect.Effect<A, E, WebhookServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

const BODY_LIMIT_BYTES = 1024 ** 2

const text = new TextDecoder()

/** Messages about other things or unknown recordings are accepted without effect. */
const receive = ({ body, headers }: HttpRequest): Effect.Effect<void, Failure, WebhookServices> =>
  Effect.gen(function* () {
    const messages = yield* ServerMessages
    if (messages === null) return yield* NotFound.of("media server")
    const { egress, arrival } = yield* messages.verify(text.decode(body), headers["authorization"] ?? "")
    if (arrival !== null) messages.arrivals.notify(arrival)
    const recorder = yield* RoomRecorder
    const facts = egress === null || recorder === null ? null : recorder.factsOf(egress)
    if (facts !== null) yield* settleCapture(facts)
  })

export const mediaServerWebhook = (run: Run, problems: Problems): PlainRoute => ({
  method: "POST",
  path: "/v1/media/livekit/webhook",
  crossOrigin: false,
  wantsClient: false,
  bodyLimit: BODY_LIMIT_BYTES,
  respond: (request, send) =>
    run(receive(request), (exit) =>
      send(
        exit._tag === "Success"
          ? { status: 200, headers: [], body: "" }
          : refusalResponse(exit, problems, request.requestId),
      ),
    ),
})
