/** Connections by TLS, which the pool sets up itself: against a proxy that ends it in front of a real PostgreSQL. */

import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { chown, mkdir, stat, writeFile } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startEmbeddedPostgres } from "../../../src/store/embedded/postgres.ts"
import { Pool } from "../../../src/store/pool/pool.ts"
import { createEmptyDatabase, type TestDatabase } from "../../support/database.ts"
import { administer } from "../../support/database-server.ts"
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { TEST_CERTIFICATE } from "../../support/test-certificate.ts"
import { eventually } from "../../support/wait.ts"

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

test("an authority that the address names vouches for the server, by its name where that is asked for", async () => {
  const folder = await temporaryFolder()
  const root = join(folder, "root.pem")
  await writeFile(root, TEST_CERTIFICATE.cert)
  // The same server at an address that is not in its certificate.
  const { port } = new URL(withTls.url)
  const relay = createServer((socket) => socket.pipe(connect(Number(port), "127.0.0.1")).pipe(socket))
  await once(relay.listen(0, "127.0.0.2"), "listening")
  onTestFinished(() => void relay.close())
  const other = withTls.url.replace(`127.0.0.1:${port}`, `127.0.0.2:${(relay.address() as AddressInfo).port}`)
  for (const [url, mode, expected] of [
    [withTls.url, "verify-full", 1],
    [withTls.url, "verify-ca", 1],
    [withTls.url, "require", 1],
    [other, "verify-ca", 1],
    [other, "verify-full", "CONNECT_CERT"],
  ] as const) {
    expect([mode, await answers(url, `${mode}&sslrootcert=${root}`, expected === 1 ? 30_000 : 2_000)]).toEqual([
      mode,
      expected,
    ])
  }
  // As in libpq, an authority that is named is asked also by `require`.
  await writeFile(root, "")
  expect(await answers(withTls.url, `require&sslrootcert=${root}`, 2_000)).toMatch(/CERT|FAILED/)
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

/** A PostgreSQL that takes one user, who is named as the certificate of the tests is, by that certificate alone. */
const startAskingForCertificates = async (folder: string): Promise<URL> => {
  const server = await startEmbeddedPostgres({ dataDir: folder, onLog: () => {}, settings: { fsync: "off" } })
  onTestFinished(() => server.stop())
  const data = join(folder, "postgres", "data")
  const { uid, gid } = await stat(data)
  const { cert, key } = TEST_CERTIFICATE
  const files = {
    "server.crt": cert,
    "server.key": key,
    "root.crt": cert,
    "pg_hba.conf": 'hostssl all "127.0.0.1" 127.0.0.1/32 cert\nhost all gathercue 127.0.0.1/32 scram-sha-256\n',
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(data, name), content, { mode: 0o600 })
    await chown(join(data, name), uid, gid)
  }
  await administer(server.url, async (sql) => {
    await sql`create role "127.0.0.1" login`
    await sql`alter system set ssl = on`
    await sql`alter system set ssl_ca_file = 'root.crt'`
    await sql`select pg_reload_conf()`
    const isOn = async () => (await sql<{ ssl: string }[]>`show ssl`)[0]?.ssl === "on"
    await eventually(isOn, "TLS to be on")
  })
  const url = new URL(server.url)
  url.username = "127.0.0.1"
  url.password = ""
  return url
}

test("a PostgreSQL that asks for a certificate is shown the one of the address, with its key", async () => {
  const folder = await temporaryFolder()
  const { href } = await startAskingForCertificates(folder)
  const own = join(folder, "client")
  await mkdir(own)
  const [cert, key, other] = ["cert.pem", "key.pem", "other.pem"].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(cert, TEST_CERTIFICATE.cert)
  await writeFile(key, TEST_CERTIFICATE.key)
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  await writeFile(other, privateKey.export({ type: "pkcs8", format: "pem" }))
  const mode = `verify-full&sslrootcert=${cert}`
  // The reload of its settings reaches the server's sessions one after the other.
  await eventually(
    async () => (await answers(href, `${mode}&sslcert=${cert}&sslkey=${key}`)) === 1,
    "the certificate to be taken",
  )
  expect(await answers(href, mode, 5_000)).toBe("28000")
  const why = async (parameters: string): Promise<string> => {
    const pool = new Pool({
      url: `${href}?sslmode=${mode}${parameters}`,
      connections: 1,
      waiting: 10,
      deadlineMs: 5_000,
    })
    onTestFinished(() => pool.close(100))
    try {
      return JSON.stringify(await pool.sql`select 1`)
    } catch (cause) {
      return `${(cause as Error).message} ${String((cause as Error).cause)}`
    }
  }
  expect(await why(`&sslcert=${cert}&sslkey=${other}`)).toMatch(/TLS with it failed: .*key values mismatch/)
  expect(await why(`&sslcert=${cert}&sslkey=${own}/nowhere.pem`)).toContain("sslkey of its address cannot be read")
})
