/** A change of SECRET_KEY: nothing is lost by it, each step can be taken while servers run, and a key that went opens nothing. */
import { Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import type { SecretKeys } from "../src/crypto/secret-key.ts"
import { NodeSession } from "../src/store/cluster/node-session.ts"
import { countSealed, resealAll } from "../src/store/sealing/resealing.ts"
import { openKeptKeys } from "../src/store/sealing/sealing-keys.ts"
import { call, createEvent, createPerson, createWorkspace } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startReceiver } from "../test/support/http-receiver.ts"
import { refusedStart, runCommand, startServerProcess } from "../test/support/server-process.ts"
import { openStore } from "../test/support/store.ts"
import { eventually } from "../test/support/wait.ts"

const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string]

const OTHER_KEY = "another-key-of-the-tests-9876543210zyxwvu"

let url: string
beforeEach(async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  url = database.url
})

const serverWith = async (keys: { readonly [key: string]: string }) => {
  const server = await startServerProcess({ DATABASE_URL: url, PORT: "0", ...keys })
  onTestFinished(async () => void server.child.kill("SIGKILL"))
  return server
}

const ring = (...keys: readonly [string, ...string[]]): SecretKeys => {
  const [current, ...older] = keys.map((key) => Redacted.make(key))
  if (current === undefined) throw new Error("no key")
  return [current, ...older]
}

const kept = async (...keys: readonly [string, ...string[]]) => {
  const found = await openKeptKeys(url, ring(...keys))
  return [found.pseudonyms, found.emailRefusals].map((key) => Buffer.from(key).toString("hex"))
}

test("sessions, repeated requests and the signatures of webhooks survive it, and afterwards the older key is not needed", async () => {
  const receiver = await startReceiver()
  const verified = async (count: number, secret: string) => {
    await receiver.count(count)
    const { body, headers } = receiver.received[count - 1] ?? { body: "", headers: {} }
    return new Webhook(secret).verify(body, headers as Record<string, string>)
  }
  const before = await serverWith({ SECRET_KEY: A })
  const { key } = await createWorkspace(before.url)
  const hook = (await call(before.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url } })).body
  const event = await createEvent(before.url, key)
  const { userId, session } = await createPerson(before.url, key, event.id, "host")
  const repeated = { key, headers: { "idempotency-key": "once" }, body: { name: "Robot" } }
  const made = await call(before.url, "POST", "/v1/api-keys", repeated)
  expect(made.status).toBe(201)
  await call(before.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await verified(1, hook.secret)
  await before.end("SIGTERM")

  const during = await serverWith({ SECRET_KEY: B, SECRET_KEYS_OLD: A })
  const me = await call(during.url, "POST", "/v1/auth/gateway-token", { bearer: session, body: { eventId: event.id } })
  expect(me.status).toBe(200)
  const again = await call(during.url, "POST", "/v1/api-keys", repeated)
  expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([made.body, "true"])
  await call(during.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await verified(2, hook.secret)
  const second = (await call(during.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url } })).body
  const keys = { DATABASE_URL: url, SECRET_KEY: B, SECRET_KEYS_OLD: A }
  const shown = await runCommand(["keys"], keys)
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^SECRET_KEY opens 1 webhook secrets.*\nSECRET_KEYS_OLD, number 1 opens 1 webhook secrets.* 1 checks/,
    ),
  ])
  const resealed = await runCommand(["keys", "reseal"], keys)
  expect([resealed.code, resealed.stdout]).toEqual([
    0,
    expect.stringMatching(/SECRET_KEY opens 2 webhook secrets.*\nSECRET_KEYS_OLD, number 1 opens nothing\nNothing in/),
  ])
  // The server that runs meanwhile reads what was sealed anew.
  await call(during.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await verified(3, hook.secret)
  await during.end("SIGTERM")

  const after = await serverWith({ SECRET_KEY: B })
  const third = await call(after.url, "POST", "/v1/api-keys", repeated)
  expect([third.body, third.headers.get("idempotency-replayed")]).toEqual([made.body, "true"])
  for (const [count, { id, secret }] of [
    [4, hook],
    [5, second],
  ] as const) {
    await call(after.url, "POST", `/v1/webhooks/${id}/ping`, { key })
    await verified(count, secret)
  }
  // Signed by the key that went.
  const late = await call(after.url, "POST", "/v1/auth/gateway-token", { bearer: session, body: { eventId: event.id } })
  expect(late.status).toBe(401)
  const anew = await call(after.url, "POST", `/v1/users/${userId}/session`, { key })
  expect(anew.status).toBe(200)
  await after.end("SIGTERM")
  const { code, stderr } = await refusedStart({ DATABASE_URL: url, PORT: "0", SECRET_KEY: A })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The secrets .* another key; /)])
})

test("another key is refused in every mode where nothing is sealed yet, and replaces nothing", async () => {
  const first = await serverWith({ SECRET_KEY: A })
  await createWorkspace(first.url)
  await first.end("SIGTERM")
  const before = await kept(A)
  const node = { CLUSTER_ADDRESS: "127.0.0.1:9", NATS_URL: "nats://127.0.0.1:9", PUBLIC_URL: "http://127.0.0.1:9" }
  for (const mode of [{}, { WORKERS: "2" }, node, { NODE_ENV: "production", PUBLIC_URL: "https://live.example" }]) {
    const other = { DATABASE_URL: url, PORT: "0", SECRET_KEY: OTHER_KEY, ...mode }
    const { code, stderr } = await refusedStart(other)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The secrets .* another key; /)])
    const check = await runCommand(["check"], other)
    expect([check.code, check.stderr]).toEqual([1, expect.stringMatching(/^The secrets .* another key; /m)])
  }
  expect(await kept(A)).toEqual(before)
  await (await serverWith({ SECRET_KEY: A })).end("SIGTERM")
})

test("a database without accounts takes another key, and its check agrees, unless a node runs on it", async () => {
  await (await serverWith({ SECRET_KEY: A })).end("SIGTERM")
  const check = await runCommand(["check"], { PORT: "0", DATABASE_URL: url, SECRET_KEY: B })
  expect([check.code, check.stderr]).toEqual([0, ""])
  const [here, there] = [await NodeSession.open(url, 6000), await NodeSession.open(url, 6000)]
  await expect(kept(B)).rejects.toThrow(/another key/)
  await here?.release()
  await eventually(async () => (await kept(B).catch(() => undefined)) !== undefined, "the key to be replaced")
  await there?.release()
  await (await serverWith({ SECRET_KEY: B })).end("SIGTERM")
})

describe("keys of hashes", () => {
  test("stay the same through two changes, and open with no key but those", async () => {
    const first = await kept(A)
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(first[0]).not.toBe(first[1])
    expect(await kept(B, A)).toEqual(first)
    // A node that has not heard of the newer key goes on until everything is sealed anew.
    expect(await kept(A)).toEqual(first)
    await resealAll(url, ring(B, A))
    expect(await kept(B)).toEqual(first)
    expect(await kept(A, B)).toEqual(first)
    await resealAll(url, ring(C, B))
    expect(await kept(C)).toEqual(first)
  })

  test("are those of a database that was made before it kept them", async () => {
    const sql = openStore(url)
    onTestFinished(() => sql.end())
    const first = await kept(A)
    await sql`delete from kept_keys`
    expect(await kept(B, A)).toEqual(first)
  })

  test("are the same for servers that start together", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? kept(A) : kept(A, B))))
    expect(new Set(all.map((one) => one.join(" "))).size).toBe(1)
  })

  test("are made anew with a key that was lost before it sealed anything that counts", async () => {
    const first = await kept(A)
    const second = await kept(B)
    expect(second).toHaveLength(2)
    expect(second).not.toEqual(first)
    expect(await kept(B)).toEqual(second)
  })
})

test("rows of many pages are all sealed anew, also those that change meanwhile, and what opens with no key is counted", async () => {
  const sql = openStore(url)
  onTestFinished(() => sql.end())
  const server = await serverWith({ SECRET_KEY: A })
  const { key } = await createWorkspace(server.url)
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url: "http://127.0.0.1:9/" } })).body
  const repeats = Array.from({ length: 40 }, (_, n) => n)
  for (const n of repeats) {
    await call(server.url, "POST", "/v1/users", {
      key,
      headers: { "idempotency-key": `k${n}` },
      body: { externalSub: `s${n}`, name: "N" },
    })
  }
  // Emails of another key, as a restored backup might have them.
  await sql`insert into mails (id, recipient, subject, content_sealed)
            select gen_random_uuid(), 'a@example.com', 's', decode('01' || repeat('00', 40), 'hex') from generate_series(1, 1200)`
  let isOver = false
  const changing = (async () => {
    while (!isOver) await sql`update webhook_endpoints set url = url || 'x' where id = ${hook.id}`
  })()
  const counts = await resealAll(url, ring(B, A)).finally(() => {
    isOver = true
  })
  await changing
  const of = (name: string) => counts.find((one) => one.name === name)
  expect(of("webhook secrets")).toEqual({ name: "webhook secrets", byKey: [1, 0], unreadable: 0 })
  expect(of("answers to repeated requests")?.byKey).toEqual([repeats.length, 0])
  expect(of("emails")?.unreadable).toBe(1200)
  expect(counts).toEqual(await countSealed(url, ring(B, A)))
  const shown = await runCommand(["keys"], { DATABASE_URL: url, SECRET_KEY: B })
  expect([shown.code, shown.stderr]).toEqual([1, "None of the keys opens 1200 emails.\n"])
})

test("each sealed column of the database is one of those that are counted and sealed anew", async () => {
  const sql = openStore(url)
  onTestFinished(() => sql.end())
  const columns = await sql<{ place: string }[]>`
    select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = 'public' and column_name ~ 'sealed' order by 1`
  // A new one needs a row in `store/sealing/resealing.ts`.
  expect(columns.map(({ place }) => place)).toEqual([
    "account_totp.secret_sealed",
    "connections.client_secret_sealed",
    "idempotency_keys.answer_sealed",
    "kept_keys.sealed",
    "mails.content_sealed",
    "sealing_checks.sealed",
    "webhook_endpoints.headers_sealed",
    "webhook_endpoints.previous_secret_sealed",
    "webhook_endpoints.secret_sealed",
  ])
  expect(await countSealed(url, ring(A))).toHaveLength(columns.length)
})
