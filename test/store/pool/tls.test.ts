/** Connections by TLS, which the pool sets up itself: against a proxy that ends it in front of a real PostgreSQL. */

import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { Pool } from "../../../src/store/pool/pool.ts"
import { createEmptyDatabase, type TestDatabase } from "../../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts"
import { TEST_CERTIFICATE } from "../../support/test-certificate.ts"

let database: TestDatabase
let withTls: PostgresProxy
let without: PostgresProxy
beforeAll(async () => {
  database = await createEmptyDatabase()
  withTls = await startPostgresProxy(database.url, { tls: TEST_CERTIFICATE })
  without = await startPostgresProxy(database.url)
})
afterAll(async () => {
  await withTls.close()
  await without.close()
  await database.drop()
})

/** `deadlineMs`: a busy machine takes its time for a session that is refused by nobody. */
const answers = async (url: string, mode: string, deadlineMs = 30_000): Promise<unknown> => {
  const pool = new Pool({ url: `${url}?sslmode=${mode}`, connections: 1, waiting: 10, deadlineMs })
  onTestFinished(() => pool.close(100))
  try {
    const [row] = await pool.sql<{ one: number }[]>`select 1 as one`
    return row?.one
  } catch (cause) {
    const { code, cause: deeper } = cause as { readonly code?: string; readonly cause?: { readonly code?: string } }
    return deeper?.code ?? code
  }
}

test.each(["require", "prefer", "allow"])("sslmode %s encrypts and asks for no name", async (mode) => {
  expect(await answers(withTls.url, mode)).toBe(1)
})

test("sslmode verify-full refuses a certificate that nobody vouches for", async () => {
  expect(await answers(withTls.url, "verify-full", 2_000)).toMatch(/SELF_SIGNED|CERT/)
})

test("a server without TLS is taken by prefer and allow, and refused by require", async () => {
  expect(await answers(without.url, "prefer")).toBe(1)
  expect(await answers(without.url, "allow")).toBe(1)
  expect(await answers(without.url, "disable")).toBe(1)
  expect(await answers(without.url, "require", 2_000)).toBe("CONNECT_FAILED")
})

test("plain text in front of the encrypted session is refused", async () => {
  const liar = createServer((socket) => void socket.once("data", () => socket.write("SE")))
  liar.listen(0, "127.0.0.1")
  await once(liar, "listening")
  onTestFinished(() => void liar.close())
  const { port } = liar.address() as AddressInfo
  expect(await answers(`postgres://u:p@127.0.0.1:${port}/d`, "require", 2_000)).toBe("CONNECT_FAILED")
})
