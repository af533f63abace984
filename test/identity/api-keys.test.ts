/** The service's memory of API keys, while the database answers late. */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest"
import { ApiKeys, createApiKey } from "../../src/identity/api-keys.ts"
import { ALL_KEY_RIGHTS } from "../../src/model/key-rights.ts"
import { Database } from "../../src/store/database.ts"
import { revokeApiKey } from "../../src/store/workspaces/api-keys.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"

let database: TestDatabase
let proxy: PostgresProxy
let store: TestSql
/** Sees the same database without the proxy. */
let direct: TestSql
beforeEach(async () => {
  database = await createTestDatabase()
  proxy = await startPostgresProxy(database.url)
  store = openStore(proxy.url)
  direct = openStore(database.url)
})
afterEach(async () => {
  await store.end()
  await direct.end()
  await proxy.close()
  await database.drop()
})

/** A workspace with a key, and a service that has not seen it yet. */
const open = async (remembers = true) => {
  const workspaceId = randomUUID()
  await direct`insert into workspaces (id, name, slug) values (${workspaceId}, 'Acme', 'acme')`
  const key = await direct.begin((sql) =>
    Effect.runPromise(
      createApiKey(sql, { workspaceId, name: null, expiresAt: null, createdByKeyId: null, rights: ALL_KEY_RIGHTS }),
    ),
  )
  const runtime = ManagedRuntime.make(
    ApiKeys.layer(remembers).pipe(Layer.provide(Layer.succeed(Database, store.database))),
  )
  onTestFinished(() => runtime.dispose())
  return { workspaceId, key, ...(await runtime.runPromise(ApiKeys)) }
}

test("a key that is revoked while it is looked up is not remembered", async () => {
  const { workspaceId, key, recognise, forgetAll } = await open()

  // The database has found the key, and its answer is on its way.
  proxy.onStatement({ match: /from api_keys/, action: { kind: "delay", ms: 500 }, times: 1 })
  const answered = proxy.answered(/from api_keys/)
  const late = Effect.runPromise(recognise(key.secret))
  await answered
  await revokeApiKey(direct, workspaceId, key.id)
  await Effect.runPromise(forgetAll)

  // It was good when it was asked for.
  expect(await late).toEqual({ keyId: key.id, workspaceId, name: null, rights: ALL_KEY_RIGHTS })
  expect(await Effect.runPromise(recognise(key.secret))).toBeUndefined()
})

test("no key is remembered right after a revocation, which may be committed later than its answer", async () => {
  const { workspaceId, key, recognise, forgetAll } = await open()
  await Effect.runPromise(forgetAll)
  expect(await Effect.runPromise(recognise(key.secret))).toEqual({
    keyId: key.id,
    workspaceId,
    name: null,
    rights: ALL_KEY_RIGHTS,
  })
  await revokeApiKey(direct, workspaceId, key.id)
  expect(await Effect.runPromise(recognise(key.secret))).toBeUndefined()
})

test("where another process may revoke a key, it fails at once although it was used a moment ago", async () => {
  const { workspaceId, key, recognise } = await open(false)
  expect(await Effect.runPromise(recognise(key.secret))).toEqual({
    keyId: key.id,
    workspaceId,
    name: null,
    rights: ALL_KEY_RIGHTS,
  })
  await revokeApiKey(direct, workspaceId, key.id)
  expect(await Effect.runPromise(recognise(key.secret))).toBeUndefined()
})
