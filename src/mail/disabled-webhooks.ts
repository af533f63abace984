/**
 * Announces webhook endpoints disabled by this server: to their workspace's owners by mail, and to its other endpoints by
 * `webhook.disabled`. The transaction that announces an endpoint clears its mark, so a crash neither loses nor repeats it.
 */
import { Effect, Layer } from "effect"
import { currentTimers } from "../clock/timers.ts"
import { newId } from "../model/ids.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { sweepEvery } from "../store/sweeps.ts"
import { appendOccurrences, OutboxSignal } from "../store/webhooks/outbox.ts"
import { claimUntold } from "../store/webhooks/webhook-endpoints.ts"
import { ownerAddresses } from "../store/workspaces/owners.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { disabledWebhookEmail } from "./emails.ts"
import { Mailer } from "./mailer.ts"

export const disabledWebhooksLayer = (
  hostUrl: string,
): Layer.Layer<never, never, Database | Mailer | OutboxSignal | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const mailer = yield* Mailer
      const signal = yield* OutboxSignal
      const timers = yield* currentTimers
      const { log } = yield* Telemetry

      const tellOne = async (sql: Queryable): Promise<boolean> => {
        const endpoint = await claimUntold(sql)
        if (endpoint === undefined) return false
        const { id, workspaceId, workspace, url, disabledReason: reason, isEmailDue } = endpoint
        await appendOccurrences(sql, [
          {
            id: newId(),
            type: "webhook.disabled",
            workspaceId,
            eventId: null,
            occurredAt: toTimestamp(timers.now()),
            extra: { webhookId: id, reason },
          },
        ])
        for (const { name, email } of isEmailDue ? await ownerAddresses(sql, workspaceId) : []) {
          await mailer.post(
            sql,
            disabledWebhookEmail(email, { name, workspace, host: new URL(url).host, reason }, hostUrl),
          )
        }
        return true
      }

      const tell = database.transaction(tellOne).pipe(
        Effect.tap((hasTold) =>
          Effect.sync(() => {
            if (!hasTold) return
            signal.notify()
            mailer.collect()
          }),
        ),
        Effect.repeat({ while: (hasTold) => hasTold }),
        Effect.asVoid,
      )
      yield* Effect.forkScoped(sweepEvery("5 seconds", log, tell))
    }),
  )
