import { Effect, Layer, ManagedRuntime } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { Egress } from "../../src/egress/egress.ts"
import { createApiKey } from "../../src/identity/api-keys.ts"
import { ALL_KEY_RIGHTS } from "../../src/model/key-rights.ts"
import { Database } from "../../src/store/database.ts"
import { openText } from "../../src/store/sealing/sealed-text.ts"
import { WebhookRegistration } from "../../src/store/webhooks/webhook-registration.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { openOutbox, SEALING_KEYS } from "../support/webhooks.ts"

const openRegistration = async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  const { id: keyId } = await Effect.runPromise(
    createApiKey(sql, { workspaceId, name: null, expiresAt: null, createdByKeyId: null, rights: ALL_KEY_RIGHTS }),
  )
  const runtime = ManagedRuntime.make(
    WebhookRegistration.layer(SEALING_KEYS).pipe(
      Layer.provide([
        Database.layer({ url: outbox.url, connections: 2, deadlineMs: DATABASE_DEADLINE_MS }),
        Egress.layer({ allowLoopback: false }),
      ]),
      Layer.provide(Telemetry.layer("silent")),
    ),
  )
  onTestFinished(() => runtime.dispose())
  const create = (url: string) =>
    runtime.runPromise(
      Effect.result(
        Effect.flatMap(WebhookRegistration, (registration) =>
          registration.create({
            workspaceId,
            url,
            eventId: null,
            headers: [],
            eventTypes: ["event.started"],
            credential: { keyId, rights: ALL_KEY_RIGHTS },
          }),
        ),
      ),
    )
  return { ...outbox, create }
}

test("a new endpoint is active, and its secret is returned once and stored sealed", async () => {
  const { sql, create } = await openRegistration()
  const created = await create("https://example.com/hook")
  if (created._tag === "Failure") throw created.failure
  const { endpoint, secret } = created.success
  expect(endpoint).toMatchObject({ url: "https://example.com/hook", status: "active", eventTypes: ["event.started"] })
  const [row] = await sql<{ secretSealed: Uint8Array }[]>`select secret_sealed from webhook_endpoints`
  expect(openText(SEALING_KEYS, endpoint.id, row?.secretSealed ?? Buffer.of())).toBe(secret)
})

test("a target that may not be called is refused with the reason and nothing is stored", async () => {
  const { sql, create } = await openRegistration()
  expect(await create("https://169.254.169.254/")).toMatchObject({
    failure: { _tag: "BadRequest", detail: "url: The URL must lead to a public address." },
  })
  expect(await sql`select id from webhook_endpoints`).toHaveLength(0)
})

test("the twenty-first endpoint of a workspace is a conflict, also when many are created at once", async () => {
  const { sql, create } = await openRegistration()
  const created = await Promise.all(Array.from({ length: 25 }, () => create("https://example.com/")))
  expect(created.filter(({ _tag }) => _tag === "Success")).toHaveLength(20)
  expect(created.find(({ _tag }) => _tag === "Failure")).toMatchObject({ failure: { _tag: "Conflict" } })
  expect(await sql`select id from webhook_endpoints`).toHaveLength(20)
})
