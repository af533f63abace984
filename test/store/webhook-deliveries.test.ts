import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { appendOccurrences } from "../../src/store/webhooks/outbox.ts"
import {
  claimFirstTries,
  claimRetries,
  type FirstTriesRequest,
  findTargets,
  nextRetryInMs,
  releaseClaims,
  releaseDeliveries,
  type Settlement,
  settleDeliveries,
  skipDeliveries,
  sweepMessages,
} from "../../src/store/webhooks/webhook-deliveries.ts"
import { deleteWebhookEndpoint } from "../../src/store/webhooks/webhook-endpoints.ts"
import { openOutbox } from "../support/webhooks.ts"

const request = (given: Partial<FirstTriesRequest> = {}) => ({
  claim: `a ${newId()}`,
  leaseMs: 60_000,
  limit: 100,
  perEndpoint: 16,
  busy: new Map<string, number>(),
  runLengths: new Map<string, number>(),
  runLength: 16,
  ...given,
})

const result = (
  row: { id: string; claim: string; endpointId: string },
  given: Partial<Settlement> = {},
): Settlement => ({
  id: row.id,
  claim: row.claim,
  endpointId: row.endpointId,
  status: "delivered",
  delayMs: null,
  lastError: null,
  attempt: {
    startedAt: "2026-11-20T18:00:00.000Z",
    durationMs: 12,
    outcome: "delivered",
    statusCode: 200,
    error: null,
  },
  ...given,
})

/** An event id of a given lane: the lane is the low half of its last byte. */
const eventInLane = (lane: number) => newId().slice(0, -1) + lane.toString(16)

test("a claim brings everything a send needs, in the order of commit", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  const { id } = await addEndpoint("https://example.com/hook")
  const eventId = eventInLane(3)
  const messages = [await emit(eventId, { n: 1 }), await emit(eventId, { n: 2 }), await emit(eventId, { n: 3 })]
  const claimed = await claimFirstTries(sql, request())
  expect(claimed.map(({ messageId }) => messageId)).toEqual(messages)
  expect(claimed[0]).toMatchObject({ endpointId: id, lane: 3, attempts: 0, url: "https://example.com/hook" })
  expect(claimed.map(({ body }) => JSON.parse(body).n)).toEqual([1, 2, 3])
})

test("a lane is handed out once, and again only when everything claimed of it is answered", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  const eventId = newId()
  for (let n = 0; n < 5; n++) await emit(eventId, { n })
  const first = await claimFirstTries(sql, request({ runLength: 2 }))
  expect(first).toHaveLength(2)
  expect(await claimFirstTries(sql, request({ claim: "b" }))).toHaveLength(0)
  await settleDeliveries(
    sql,
    first.slice(0, 1).map((row) => result(row)),
  )
  expect(await claimFirstTries(sql, request({ claim: "b" }))).toHaveLength(0)
  await settleDeliveries(
    sql,
    first.slice(1).map((row) => result(row, { status: "pending", delayMs: 60_000 })),
  )
  expect(await claimFirstTries(sql, request({ claim: "b" }))).toHaveLength(3)
})

test("an endpoint's runs may be longer or shorter than those of others", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  const { id: fast } = await addEndpoint("https://fast.example/")
  const { id: slow } = await addEndpoint("https://slow.example/")
  const { id: other } = await addEndpoint("https://other.example/")
  const eventId = newId()
  for (let n = 0; n < 5; n++) await emit(eventId, { n })
  const runLengths = new Map([
    [fast, 4],
    [slow, 1],
  ])
  const claimed = await claimFirstTries(sql, request({ runLength: 2, runLengths }))
  const of = (endpointId: string) => claimed.filter((row) => row.endpointId === endpointId).length
  expect([of(fast), of(slow), of(other)]).toEqual([4, 1, 2])
})

test("a claim of a first try changes no column of an index", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  const indexed = () => sql`select status, attempts, next_attempt_at, seq, lane from webhook_deliveries`
  const before = await indexed()
  expect(await claimFirstTries(sql, request())).toHaveLength(1)
  expect(await indexed()).toEqual(before)
})

test("of claims at the same moment one gets the lane and the others nothing of it", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  const eventId = newId()
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 4; n++) await emit(eventId, { n })
    const claims = await Promise.all(
      ["a", "b", "c", "d"].map((claim) => claimFirstTries(sql, request({ claim, runLength: 2 }))),
    )
    expect(claims.filter((rows) => rows.length > 0)).toHaveLength(1)
    await sql`delete from outbox_messages`
  }
})

test("a row that is numbered before a claimed row and committed after it is handed out without that row", async () => {
  const { sql, workspaceId, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  const slow = newId()
  const occurrence = { id: slow, type: "question.created" as const, workspaceId, eventId: eventInLane(3), extra: {} }
  let claimed: ReadonlyArray<{ messageId: string }> = []
  const quick: Array<string> = []
  await sql.begin(async (tx) => {
    await appendOccurrences(tx, [{ ...occurrence, occurredAt: toTimestamp(Date.now()) }])
    for (let n = 0; n < 3; n++) quick.push(await emit(eventInLane(3)))
    claimed = await claimFirstTries(sql, request({ runLength: 2 }))
  })
  expect(claimed.map(({ messageId }) => messageId)).toEqual(quick.slice(0, 2))
  expect((await claimFirstTries(sql, request())).map(({ messageId }) => messageId)).toEqual([slow])
  expect(await claimFirstTries(sql, request())).toEqual([])
})

test("one endpoint's backlog takes its share of a batch and the others get their turn first", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  const { id: large } = await addEndpoint("https://large.example/", ["question.created"])
  for (let lane = 0; lane < 16; lane++) for (let n = 0; n < 3; n++) await emit(eventInLane(lane))
  const { id: small } = await addEndpoint("https://small.example/")
  await emit(eventInLane(0))
  const claimed = await claimFirstTries(sql, request({ limit: 3, perEndpoint: 2, runLength: 1 }))
  expect(claimed.filter(({ endpointId }) => endpointId === large)).toHaveLength(2)
  expect(claimed.filter(({ endpointId }) => endpointId === small)).toHaveLength(1)
  const busy = new Map([[large, 2]])
  expect(await claimFirstTries(sql, request({ limit: 3, perEndpoint: 2, runLength: 1, busy }))).toHaveLength(0)
})

test("an expired lease falls due again; a late settlement of its former claimer changes nothing", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  const [row] = await claimFirstTries(sql, request({ leaseMs: 0 }))
  const [again] = await claimFirstTries(sql, request({ claim: "b" }))
  expect(again?.id).toBe(row?.id)
  if (row === undefined || again === undefined) throw new Error("nothing claimed")
  await settleDeliveries(sql, [result(row, { status: "rejected" })])
  expect(await statuses()).toEqual(["pending"])
  await settleDeliveries(sql, [result(again)])
  expect(await statuses()).toEqual(["delivered"])
})

test("a late success of a former claimer counts, and the next claimer's settlement changes nothing of it", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  const [row] = await claimFirstTries(sql, request({ leaseMs: 0 }))
  const [again] = await claimFirstTries(sql, request())
  if (row === undefined || again === undefined) throw new Error("nothing claimed")
  await settleDeliveries(sql, [result(row)])
  expect(await statuses()).toEqual(["delivered"])
  await settleDeliveries(sql, [result(again, { status: "exhausted" })])
  expect(await statuses()).toEqual(["delivered"])
  expect(await sql`select attempts from webhook_deliveries`).toEqual([{ attempts: 1 }])
})

test("a repeated claim returns its own rows first, also when there is place for only one", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  const [first, second] = [await emit(eventInLane(1)), await emit(eventInLane(2))]
  const [held] = await claimFirstTries(sql, request({ claim: "b", limit: 1 }))
  expect(held?.messageId).toBe(first)
  const narrow = request({ claim: "a 1", perEndpoint: 1 })
  expect((await claimFirstTries(sql, narrow)).map(({ messageId }) => messageId)).toEqual([second])
  if (held !== undefined) await releaseDeliveries(sql, [held])
  expect((await claimFirstTries(sql, narrow)).map(({ messageId }) => messageId)).toEqual([second])
})

test("retries are claimed when due, carry their count, and the next one has its time", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  await emit(newId())
  expect(await nextRetryInMs(sql)).toBeUndefined()
  const [soon, later] = await claimFirstTries(sql, request())
  if (soon === undefined || later === undefined) throw new Error("nothing claimed")
  await settleDeliveries(sql, [
    result(soon, { status: "pending", delayMs: 0, lastError: "status 503" }),
    result(later, { status: "pending", delayMs: 60_000, lastError: "timeout" }),
  ])
  expect(await claimFirstTries(sql, request())).toHaveLength(0)
  const claimed = await claimRetries(sql, request())
  expect(claimed).toMatchObject([{ id: soon.id, attempts: 1 }])
  expect(await claimRetries(sql, request({ claim: "b" }))).toHaveLength(0)
  await settleDeliveries(sql, [result(soon)])
  const inMs = await nextRetryInMs(sql)
  expect(inMs).toBeGreaterThan(50_000)
  expect(inMs).toBeLessThanOrEqual(60_000)
})

test("released rows are due at once and count no attempt", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  const claimed = await claimFirstTries(sql, request())
  await releaseDeliveries(
    sql,
    claimed.map(({ id }) => ({ id, claim: "another" })),
  )
  expect(await claimFirstTries(sql, request())).toHaveLength(0)
  await releaseDeliveries(sql, claimed)
  expect(await claimFirstTries(sql, request())).toMatchObject([{ attempts: 0 }])
})

test("rescue releases the claims of other nodes, first tries and retries, and not one's own", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(eventInLane(1))
  await emit(eventInLane(2))
  const [one] = await claimFirstTries(sql, request({ claim: "dead" }))
  if (one === undefined) throw new Error("nothing claimed")
  await settleDeliveries(sql, [result(one, { status: "pending", delayMs: 0 })])
  expect(await claimRetries(sql, request({ claim: "dead" }))).toHaveLength(1)
  await emit(eventInLane(3))
  expect(await claimFirstTries(sql, request({ claim: "me 1" }))).toHaveLength(1)
  expect(await releaseClaims(sql, "me")).toBe(2)
  expect(await claimFirstTries(sql, request({ claim: "me 2" }))).toHaveLength(1)
  expect(await claimRetries(sql, request({ claim: "me 3" }))).toHaveLength(1)
})

test("a claim that is repeated, because its answer was lost, brings the same run again and nothing else", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  const eventId = newId()
  for (let n = 0; n < 5; n++) await emit(eventId, { n })
  const claim = request({ claim: "a 1", runLength: 3 })
  const first = await claimFirstTries(sql, claim)
  expect(first).toHaveLength(3)
  expect((await claimFirstTries(sql, claim)).map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  expect(await claimFirstTries(sql, request())).toHaveLength(0)
})

test("a settlement or release that is repeated changes nothing of the next claim", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  const [first] = await claimFirstTries(sql, request({ claim: "a 1" }))
  if (first === undefined) throw new Error("nothing claimed")
  await releaseDeliveries(sql, [first])
  const [second] = await claimFirstTries(sql, request({ claim: "a 2" }))
  if (second === undefined) throw new Error("nothing claimed")
  await releaseDeliveries(sql, [first])
  expect(await claimFirstTries(sql, request({ claim: "a 3" }))).toHaveLength(0)
  const failed = result(second, { status: "pending", delayMs: 0 })
  await settleDeliveries(sql, [failed])
  expect(await claimRetries(sql, request({ claim: "a 4" }))).toHaveLength(1)
  await settleDeliveries(sql, [failed])
  expect(await sql`select attempts, claimed_by from webhook_deliveries`).toEqual([{ attempts: 1, claimedBy: "a 4" }])
})

test("nothing of a disabled endpoint is claimed, and of a deleted one nothing is left", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  const { id } = await addEndpoint("https://example.com/")
  await emit(newId())
  await sql`update webhook_endpoints set status = 'disabled'`
  expect(await claimFirstTries(sql, request())).toHaveLength(0)
  expect([...(await findTargets(sql, [id])).keys()]).toEqual([])
  await sql`update webhook_endpoints set status = 'active'`
  expect([...(await findTargets(sql, [id, newId()])).keys()]).toEqual([id])
  const claimed = await claimFirstTries(sql, request())
  await deleteWebhookEndpoint(sql, id)
  expect([...(await findTargets(sql, [id])).keys()]).toEqual([])
  expect(await statuses()).toEqual([])
  await settleDeliveries(
    sql,
    claimed.map((row) => result(row)),
  )
})

test("deliveries that wait for a disabled endpoint are skipped in batches, and those on their way when they come back", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  for (let n = 0; n < 5; n++) await emit(eventInLane(1))
  const [first] = await claimFirstTries(sql, request({ runLength: 1 }))
  if (first === undefined) throw new Error("nothing claimed")
  expect(await skipDeliveries(sql, 100)).toBe(0)
  await sql`update webhook_endpoints set status = 'disabled'`
  expect(await skipDeliveries(sql, 3)).toBe(3)
  expect(await skipDeliveries(sql, 3)).toBe(1)
  expect(await statuses()).toEqual(["pending", "skipped", "skipped", "skipped", "skipped"])
  await settleDeliveries(sql, [result(first, { status: "pending", delayMs: 60_000 })])
  expect(await skipDeliveries(sql, 3)).toBe(1)
  const [row] = await sql`select status, attempts, claimed_by, next_attempt_at, finished_at, history
                            from webhook_deliveries order by seq limit 1`
  expect(row).toMatchObject({ status: "skipped", attempts: 1, nextAttemptAt: null, finishedAt: expect.any(String) })
  expect(row?.["history"]).toEqual([result(first).attempt])
})

test("a claim whose claimer died is skipped when its lease has lapsed", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  await emit(newId())
  await claimFirstTries(sql, request({ leaseMs: 0 }))
  await sql`update webhook_endpoints set status = 'disabled'`
  expect(await skipDeliveries(sql, 10)).toBe(1)
  expect(await statuses()).toEqual(["skipped"])
})

test("skipping while claims and settlements go on never deadlocks, and leaves no delivery in between", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  for (let round = 0; round < 10; round++) {
    for (let lane = 0; lane < 8; lane++) for (let n = 0; n < 3; n++) await emit(eventInLane(lane))
    const claimed = await claimFirstTries(sql, request({ runLength: 1 }))
    await Promise.all([
      sql`update webhook_endpoints set status = 'disabled'`.then(() => skipDeliveries(sql, 100)),
      settleDeliveries(
        sql,
        claimed.map((row) => result(row)),
      ),
      claimFirstTries(sql, request({ claim: "b", runLength: 2, leaseMs: 0 })),
    ])
    await skipDeliveries(sql, 100)
    expect(new Set(await statuses())).toEqual(new Set(["delivered", "skipped"]))
    await sql`update webhook_endpoints set status = 'active'`
  }
})

test("settling while the endpoint is being deleted never deadlocks", async () => {
  const { sql, addEndpoint, emit } = await openOutbox()
  for (let round = 0; round < 20; round++) {
    const endpoints = [await addEndpoint("https://a.example/"), await addEndpoint("https://b.example/")]
    for (let lane = 0; lane < 8; lane++) await emit(eventInLane(lane))
    const claimed = await claimFirstTries(sql, request())
    await Promise.all([
      settleDeliveries(
        sql,
        claimed.slice(0, 8).map((row) => result(row)),
      ),
      settleDeliveries(
        sql,
        claimed
          .slice(8)
          .reverse()
          .map((row) => result(row)),
      ),
      ...endpoints.map(({ id }) => deleteWebhookEndpoint(sql, id)),
    ])
  }
})

test("the sweep removes finished old messages, and keeps pending and recent ones", async () => {
  const { sql, addEndpoint, emit, statuses } = await openOutbox()
  await addEndpoint("https://example.com/")
  for (let lane = 0; lane < 4; lane++) await emit(eventInLane(lane))
  const claimed = await claimFirstTries(sql, request())
  await settleDeliveries(
    sql,
    claimed.slice(0, 3).map((row) => result(row)),
  )
  const cutoff = toTimestamp(Date.now() - 1_000)
  const [finished, finishedLate, , pending] = claimed.map(({ messageId }) => messageId)
  if (finished === undefined || finishedLate === undefined || pending === undefined) throw new Error("nothing claimed")
  await sql`update outbox_messages set occurred_at = occurred_at - interval '1 hour'
             where id in (${finished}, ${finishedLate}, ${pending})`
  await sql`update webhook_deliveries set finished_at = finished_at - interval '1 hour' where message_id = ${finished}`
  expect(await sweepMessages(sql, cutoff, 10)).toBe(1)
  expect(await statuses()).toEqual(["delivered", "delivered", "pending"])
  await sql`update webhook_deliveries set finished_at = now() - interval '1 hour' where status = 'delivered'`
  expect(await sweepMessages(sql, cutoff, 10)).toBe(1)
  expect(await sweepMessages(sql, toTimestamp(Date.now() + 1_000), 10)).toBe(1)
  expect(await statuses()).toEqual(["pending"])
})
