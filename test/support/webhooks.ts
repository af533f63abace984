/** The webhooks room on a real database: workspaces, endpoints and occurrences to feed it, and dispatchers to run. */
import { Context, Effect, Exit, Layer, type Redacted, Scope, Redacted as Secret } from "effect"
import type { Logger } from "pino"
import { onTestFinished } from "vitest"
import type { KeyRing } from "../../src/crypto/secret-key.ts"
import { Egress, type EgressOptions } from "../../src/egress/egress.ts"
import { newId } from "../../src/model/ids.ts"
import type { WebhookEventType } from "../../src/model/integrations/webhook-types.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { sealText } from "../../src/store/sealing/sealed-text.ts"
import { appendOccurrences, OutboxSignal } from "../../src/store/webhooks/outbox.ts"
import { insertWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { newSigningSecret } from "../../src/store/webhooks/webhook-registration.ts"
import { openLog, Telemetry } from "../../src/telemetry/telemetry.ts"
import { type DispatcherOptions, dispatcherLayer } from "../../src/webhooks/dispatcher.ts"
import { createTestDatabase } from "./database.ts"
import { DATABASE_DEADLINE_MS } from "./patience.ts"
import { openStore, type TestSql } from "./store.ts"

export const SEALING_KEYS: KeyRing = [new Uint8Array(32).fill(7)]

interface Outbox {
  readonly url: Redacted.Redacted<string>
  readonly sql: TestSql
  readonly workspaceId: string
  readonly addEndpoint: (url: string, eventTypes?: ReadonlyArray<WebhookEventType>) => Promise<TestEndpoint>
  /** Commits one occurrence; resolves to its id. Sends no signal. */
  readonly emit: (eventId: string, extra?: { readonly [field: string]: unknown }) => Promise<string>
  readonly statuses: () => Promise<ReadonlyArray<string>>
}

interface TestEndpoint {
  readonly id: string
  readonly secret: string
}

/** A database of its own with one workspace. */
export const openOutbox = async (): Promise<Outbox> => {
  const database = await createTestDatabase()
  const url = Secret.make(database.url)
  const sql = openStore(database.url)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const workspaceId = newId()
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Test', ${`test-${workspaceId}`})`
  return {
    url,
    sql,
    workspaceId,
    addEndpoint: async (target, eventTypes = []) => {
      const id = newId()
      const secret = newSigningSecret()
      const secretSealed = sealText(SEALING_KEYS, id, secret)
      await insertWebhookEndpoint(sql, { id, workspaceId, url: target, eventTypes, secretSealed, createdByKeyId: null })
      return { id, secret }
    },
    emit: async (eventId, extra = {}) => {
      const id = newId()
      const occurredAt = toTimestamp(Date.now())
      const question = { questionId: newId(), text: "When?", anonymous: true, ...extra }
      await appendOccurrences(sql, [
        { id, type: "question.created", workspaceId, eventId, occurredAt, extra: question },
      ])
      return id
    },
    statuses: async () => {
      const rows = await sql<{ status: string }[]>`select status from webhook_deliveries order by seq`
      return rows.map(({ status }) => status)
    },
  }
}

interface RunningDispatcher {
  readonly ring: () => void
  /** Idempotent. */
  readonly stop: () => Promise<void>
}

export const startDispatcher = async (
  outbox: Outbox,
  options: Partial<DispatcherOptions & EgressOptions> & { readonly log?: Logger; readonly url?: string } = {},
): Promise<RunningDispatcher> => {
  const scope = Scope.makeUnsafe()
  const telemetry = Layer.succeed(Telemetry, Telemetry.make(options.log ?? openLog("silent")))
  const url = options.url === undefined ? outbox.url : Secret.make(options.url)
  const layer = dispatcherLayer({
    sealingKeys: SEALING_KEYS,
    retryDelaysMs: [5, 5, 5],
    concurrency: 64,
    alone: true,
    ...options,
  }).pipe(
    Layer.provideMerge(OutboxSignal.layer),
    Layer.provide([
      Database.layer({ url, connections: 4, deadlineMs: DATABASE_DEADLINE_MS }),
      Egress.layer({ allowLoopback: true, ...options }),
    ]),
    Layer.provide(telemetry),
  )
  const services = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  onTestFinished(stop)
  return { ring: Context.get(services, OutboxSignal).notify, stop }
}
