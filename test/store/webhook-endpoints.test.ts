import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { claimFirstTries, findTargets, settleDeliveries } from "../../src/store/webhooks/webhook-deliveries.ts"
import {
  claimUntold,
  deleteEndpointsOfDeletedEvents,
  disableFailing,
  forgetLapsedSecrets,
  replaceSecret,
  updateWebhookEndpoint,
} from "../../src/store/webhooks/webhook-endpoints.ts"
import { openOutbox } from "../support/webhooks.ts"

const at = { startedAt: "2026-11-20T18:00:00.000Z", durationMs: 1 }
const OUTCOMES = {
  delivered: { status: "delivered", attempt: { ...at, outcome: "delivered", statusCode: 200, error: null } },
  rejected: { status: "rejected", attempt: { ...at, outcome: "rejected", statusCode: 400, error: "status" } },
  internal: { status: "exhausted", attempt: { ...at, outcome: "failed", statusCode: null, error: "internal" } },
} as const

/** One endpoint, whose deliveries come to what the test says; the days between are taken off what the database noted. */
const openEndpoint = async () => {
  const outbox = await openOutbox()
  const { sql, addEndpoint, emit } = outbox
  const { id } = await addEndpoint("https://example.com/")
  const claim = () => ({
    claim: newId(),
    leaseMs: 60_000,
    limit: 100,
    perEndpoint: 16,
    busy: new Map<string, number>(),
    runLengths: new Map<string, number>(),
    runLength: 16,
  })
  const settle = (...statuses: ReadonlyArray<"delivered" | "rejected" | "internal">) =>
    settleGone(undefined, ...statuses)
  const settleGone = async (
    goneUrl: string | undefined,
    ...statuses: ReadonlyArray<"delivered" | "rejected" | "internal">
  ) => {
    for (const _ of statuses) await emit(newId())
    const claimed = await claimFirstTries(sql, claim())
    const settlements = statuses.map((came, index) => ({
      id: claimed[index]?.id ?? "",
      claim: claimed[index]?.claim ?? "",
      endpointId: id,
      delayMs: null,
      lastError: null,
      ...OUTCOMES[came],
      ...(goneUrl === undefined ? {} : { goneUrl }),
    }))
    await settleDeliveries(sql, settlements)
  }
  return {
    ...outbox,
    id,
    settle,
    settleGone,
    pass: (time: string) => sql`
      update webhook_endpoints set failing_since = failing_since - ${time}::interval,
             last_failure_at = last_failure_at - ${time}::interval, last_success_at = last_success_at - ${time}::interval`,
    isFailing: async () => {
      const [row] = await sql<{ failingSince: string | null }[]>`select failing_since from webhook_endpoints`
      return row?.failingSince !== null
    },
  }
}

test("an endpoint that answers nothing but failures for five days is disabled, and not before", async () => {
  const { sql, id, workspaceId, settle, pass } = await openEndpoint()
  await settle("rejected")
  for (let day = 1; day <= 4; day++) {
    await pass("1 day")
    await settle("rejected")
    expect(await disableFailing(sql)).toEqual([])
  }
  await pass("23 hours")
  await settle("rejected")
  expect(await disableFailing(sql)).toEqual([])
  await pass("1 hour")
  await settle("rejected")
  expect(await disableFailing(sql)).toEqual([{ id, workspaceId }])
  const [row] = await sql`select status, disabled_reason from webhook_endpoints`
  expect(row).toEqual({ status: "disabled", disabledReason: "failing" })
  expect(await disableFailing(sql)).toEqual([])
})

test("silence after a failure is no failure", async () => {
  const { sql, settle, pass } = await openEndpoint()
  await settle("rejected")
  await pass("60 days")
  expect(await disableFailing(sql)).toEqual([])
  // And two failures with nothing between them for days are not five days of failure.
  await settle("rejected")
  expect(await disableFailing(sql)).toEqual([])
})

test("a fault of ours is not held against an endpoint", async () => {
  const { sql, settle, pass, isFailing } = await openEndpoint()
  await settle("internal")
  expect(await isFailing()).toBe(false)
  await settle("internal", "rejected")
  await pass("1 day")
  await settle("internal")
  expect(await isFailing()).toBe(true)
  await settle("internal", "delivered")
  expect(await isFailing()).toBe(false)
  expect(await disableFailing(sql)).toEqual([])
})

test("one success among the failures, also in the same batch, and the days are counted anew", async () => {
  const { sql, settle, pass, isFailing } = await openEndpoint()
  await settle("rejected")
  for (let day = 1; day <= 4; day++) {
    await pass("1 day")
    await settle("rejected")
  }
  expect(await isFailing()).toBe(true)
  await settle("rejected", "delivered", "rejected")
  expect(await isFailing()).toBe(false)
  await pass("1 day")
  await settle("rejected")
  expect(await disableFailing(sql)).toEqual([])
})

test("failures count from before after a change, unless it is of the address or switches the endpoint off", async () => {
  const { sql, id, settle, isFailing } = await openEndpoint()
  await settle("rejected")
  for (const [change, counts] of [
    [{ status: "active" }, true],
    [{ eventTypes: ["event.ended"] }, true],
    [{ url: "https://example.com/" }, true],
    [{ url: "https://example.com/fixed" }, false],
    [{ status: "disabled" }, false],
  ] as const) {
    await sql`update webhook_endpoints set failing_since = last_failure_at`
    await updateWebhookEndpoint(sql, id, change)
    expect(await isFailing(), JSON.stringify(change)).toBe(counts)
  }
})

test("an endpoint that was disabled for failing starts afresh when it is active again", async () => {
  const { sql, id, settle, pass } = await openEndpoint()
  await settle("rejected")
  await sql`update webhook_endpoints set failing_since = failing_since - interval '5 days'`
  expect(await disableFailing(sql)).toHaveLength(1)
  expect(await updateWebhookEndpoint(sql, id, { status: "disabled" })).toMatchObject({ disabledReason: "failing" })
  expect(await updateWebhookEndpoint(sql, id, { status: "active" })).toMatchObject({
    status: "active",
    disabledReason: null,
  })
  await pass("1 day")
  await settle("rejected")
  expect(await disableFailing(sql)).toEqual([])
})

test("a replaced secret is handed to the signer until it lapses, and is then forgotten", async () => {
  const { sql, id } = await openEndpoint()
  const [before] = (await findTargets(sql, [id])).values()
  expect(before?.previousSecretSealed).toBeNull()
  await replaceSecret(sql, id, Buffer.from("next"))
  const [during] = (await findTargets(sql, [id])).values()
  expect(during).toEqual({ ...before, secretSealed: Buffer.from("next"), previousSecretSealed: before?.secretSealed })
  await forgetLapsedSecrets(sql)
  expect((await findTargets(sql, [id])).get(id)).toEqual(during)
  await sql`update webhook_endpoints set previous_secret_until = now() - interval '1 second'`
  expect((await findTargets(sql, [id])).get(id)).toEqual({ ...during, previousSecretSealed: null })
  await forgetLapsedSecrets(sql)
  const [row] = await sql`select previous_secret_sealed, previous_secret_until from webhook_endpoints`
  expect(row).toEqual({ previousSecretSealed: null, previousSecretUntil: null })
  expect(await replaceSecret(sql, newId(), Buffer.from("x"))).toBeUndefined()
})

test("an endpoint whose receiver is gone is disabled, unless it has another address by now", async () => {
  const { sql, id, settleGone } = await openEndpoint()
  const state = () => sql`select status, disabled_reason, is_untold from webhook_endpoints`
  await settleGone("https://example.com/before", "rejected")
  expect(await state()).toEqual([{ status: "active", disabledReason: null, isUntold: false }])
  expect(await claimUntold(sql)).toBeUndefined()
  await settleGone("https://example.com/", "rejected", "delivered")
  expect(await state()).toEqual([{ status: "disabled", disabledReason: "gone", isUntold: true }])
  expect(await claimUntold(sql)).toMatchObject({
    id,
    url: "https://example.com/",
    disabledReason: "gone",
    isEmailDue: true,
  })
  expect(await claimUntold(sql)).toBeUndefined()
})

test("one that somebody enabled again before anybody was told is not told of, and one that somebody disabled stays theirs", async () => {
  const { sql, id, settleGone } = await openEndpoint()
  await settleGone("https://example.com/", "rejected")
  await updateWebhookEndpoint(sql, id, { status: "active" })
  expect(await claimUntold(sql)).toBeUndefined()
  await updateWebhookEndpoint(sql, id, { status: "disabled" })
  const [row] = await sql`select disabled_reason, is_untold from webhook_endpoints`
  expect(row).toEqual({ disabledReason: "manual", isUntold: false })
})

test("an endpoint of a deleted event is deleted once nothing is left to send", async () => {
  const outbox = await openOutbox()
  const { sql, workspaceId } = outbox
  const [kept, gone] = [
    await outbox.addEndpoint("https://example.com/"),
    await outbox.addEndpoint("https://example.com/"),
  ]
  const eventId = newId()
  await sql`update webhook_endpoints set event_id = ${eventId} where id = ${gone.id}`
  await outbox.emit(eventId)
  const ids = async () => {
    await deleteEndpointsOfDeletedEvents(sql)
    return (await sql<{ id: string }[]>`select id from webhook_endpoints where workspace_id = ${workspaceId}`).map(
      ({ id }) => id,
    )
  }
  expect(new Set(await ids())).toEqual(new Set([kept.id, gone.id]))
  await sql`update webhook_deliveries set status = 'delivered', finished_at = now()`
  expect(await ids()).toEqual([kept.id])
})
