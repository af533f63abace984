/** Sends one signed ping to an address that is not an endpoint, by the rules of deliveries, for an operator who waits for the result. */
import { Clock, Duration, Effect } from "effect"
import { Egress } from "../egress/egress.ts"
import { newId } from "../model/ids.ts"
import type { EgressRefused } from "../model/integrations/egress-target.ts"
import { encodePing } from "../model/integrations/occurrences.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { newSigningSecret } from "../store/webhooks/webhook-registration.ts"
import { classifyFailure, classifyStatus } from "./classify.ts"
import { ANSWER_MS, signedRequest } from "./pipeline.ts"

interface WebhookTrial {
  readonly status: number | null
  readonly problem: string | null
  readonly durationMs: number
  readonly secret: string
}

/** Id of the workspace and endpoint in a ping that belongs to neither. */
const NIL = "00000000-0000-0000-0000-000000000000"

/** Fails if the address itself may not be called; problems of the look-up or the call are in the result. */
export const tryWebhook = (url: string): Effect.Effect<WebhookTrial, EgressRefused, Egress> =>
  Effect.gen(function* () {
    const egress = yield* Egress
    yield* egress.check(url)
    const now = yield* Clock.currentTimeMillis
    const id = newId()
    const secret = newSigningSecret()
    const body = encodePing({ id, workspaceId: NIL, webhookId: NIL, occurredAt: toTimestamp(now) })
    const request = signedRequest(url, [secret], { id, type: "ping", body }, Math.floor(now / 1000), ANSWER_MS)
    const [duration, { status, detail }] = yield* Effect.timed(
      Effect.match(egress.send(request), {
        onSuccess: (answer) => classifyStatus(answer.status, undefined, now),
        onFailure: classifyFailure,
      }),
    )
    const why = status === null ? "could not be called" : "did not take the ping"
    const problem = detail && `The address ${why} (${detail}).`
    return { status, problem, durationMs: Math.round(Duration.toMillis(duration)), secret }
  })
