/** By what a start finds out that its database is a copy, and what it takes for the original. */
import { expect, onTestFinished, test } from "vitest"
import { registerNode } from "../../src/store/cluster/nodes.ts"
import { openSession } from "../../src/store/pool/session.ts"
import { type InstanceSettings, readQuiet, recogniseInstance, signsOfCopy } from "../../src/store/quiet/instance.ts"
import { promote } from "../../src/store/quiet/promote.ts"
import { createTestDatabase } from "../support/database.ts"
import { openStore, runScript } from "../support/store.ts"

const AT_HOME: InstanceSettings = { publicUrl: "https://live.example", dataDir: "/nowhere", quiet: false }

const open = async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 2)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { url: database.url, sql }
}

/** As `pg_restore` makes it: the same rows in another database. */
const copyOf = async (sql: ReturnType<typeof openStore>) => {
  const copy = await open()
  const [row] = await sql`select * from instances`
  await copy.sql`delete from instances`
  await copy.sql`
    insert into instances select * from jsonb_populate_record(null::instances, ${copy.sql.json({
      system_identifier: row?.["systemIdentifier"],
      database_oid: row?.["databaseOid"],
      place: row?.["place"],
      public_url: row?.["publicUrl"],
      id: true,
      is_held: false,
    })})`
  return copy
}

test("the first start of a release that knows of copies takes the database for the original, and so do all that follow", async () => {
  const { url } = await open()
  for (let start = 0; start < 3; start++) {
    expect(await recogniseInstance(url, AT_HOME)).toMatchObject({ quiet: null, link: null })
  }
})

test("a database that has the rows of another is a copy, at every start until it is promoted", async () => {
  const original = await open()
  await recogniseInstance(original.url, AT_HOME)
  const copy = await copyOf(original.sql)
  expect(await signsOfCopy(copy.url, AT_HOME)).toHaveLength(1)
  const first = await recogniseInstance(copy.url, AT_HOME)
  expect(first.quiet?.signs).toEqual([expect.stringMatching(/^The database is at \S+, and was at \S+\.$/)])
  expect(first.link).toMatch(/^[0-9a-f]{12}$/)
  expect(await recogniseInstance(copy.url, AT_HOME)).toEqual(first)
  expect((await recogniseInstance(original.url, AT_HOME)).quiet).toBeNull()

  expect(await promote(copy.sql, false)).toMatchObject({ wasQuiet: true })
  expect(await readQuiet(copy.sql, first.fingerprint)).toBeNull()
  expect(await copy.sql`select place from instances`).toEqual([{ place: first.fingerprint.place }])
  // Its nodes keep their subjects, so that those that start later hear the others.
  expect(await recogniseInstance(copy.url, AT_HOME)).toMatchObject({ quiet: null, link: first.link })
  expect(await promote(copy.sql, false)).toMatchObject({ wasQuiet: false })
})

test("the same name on another server, and a database that was made anew under its name, are copies", async () => {
  const { url, sql } = await open()
  const { fingerprint } = await recogniseInstance(url, AT_HOME)
  await sql`update instances set system_identifier = '1'`
  expect(await signsOfCopy(url, AT_HOME)).toEqual([
    `Another PostgreSQL server has the database at ${fingerprint.place}.`,
  ])
  await sql`update instances set system_identifier = ${fingerprint.systemIdentifier}, database_oid = '1'`
  expect(await signsOfCopy(url, AT_HOME)).toEqual([`The database at ${fingerprint.place} was made anew.`])
})

test("another public address makes a start quiet, and the right one undoes it; an address of this machine is none", async () => {
  const { url } = await open()
  await recogniseInstance(url, { ...AT_HOME, publicUrl: "http://localhost:8080" })
  expect((await recogniseInstance(url, { ...AT_HOME, publicUrl: "http://127.0.0.1:9090" })).quiet).toBeNull()
  expect((await recogniseInstance(url, AT_HOME)).quiet).toBeNull()
  for (const publicUrl of ["https://rehearsal.example", "http://[::1]:8080", null]) {
    const { quiet } = await recogniseInstance(url, { ...AT_HOME, publicUrl })
    expect(quiet?.signs).toEqual([expect.stringMatching(/^PUBLIC_URL was https:\/\/live\.example, and is /)])
  }
  expect((await recogniseInstance(url, AT_HOME)).quiet).toBeNull()
})

test("QUIET lasts until the database is promoted", async () => {
  const { url, sql } = await open()
  await recogniseInstance(url, { ...AT_HOME, quiet: true })
  expect((await recogniseInstance(url, AT_HOME)).quiet?.signs).toEqual(["QUIET is set."])
  await promote(sql, false)
  expect((await recogniseInstance(url, AT_HOME)).quiet).toBeNull()
})

test("a promotion that discards tells nobody of changes that the original may have told", async () => {
  const { url, sql } = await open()
  await recogniseInstance(url, { ...AT_HOME, quiet: true })
  await sql`insert into workspaces (id, name, slug) values (new_id(), 'Acme', 'acme')`
  for (const [title, age] of [
    ["before", "1 hour"],
    ["since", "-1 minute"],
  ] as const) {
    await sql`
      insert into event_notices (workspace_id, event_id, audience, known_title, known_cancelled, known_sequence, since, changed_at)
      select id, new_id(), 'registered', ${title}, false, 0, now() - ${age}::interval, now() from workspaces`
  }
  await promote(sql, true)
  expect(await sql`select known_title from event_notices`).toEqual([{ knownTitle: "since" }])
})

test("a node that joins others does as they do, and its address becomes that of all", async () => {
  const { url } = await open()
  await recogniseInstance(url, AT_HOME)
  const node = await openSession(url, { application_name: "node" }, 5_000)
  expect(await registerNode(node.sql, { address: "10.0.0.1:9100", node: "n1", runner: "r" })).not.toBeNull()
  const moved = { ...AT_HOME, publicUrl: "https://renamed.example" }
  expect((await recogniseInstance(url, moved)).quiet).toBeNull()
  node.connection.close()
  expect((await recogniseInstance(url, moved)).quiet).toBeNull()
  const late = await openSession(url, { application_name: "node" }, 5_000)
  expect((await recogniseInstance(url, { ...moved, quiet: true })).quiet).not.toBeNull()
  await registerNode(late.sql, { address: "10.0.0.1:9100", node: "n1", runner: "r" })
  expect((await recogniseInstance(url, moved)).quiet?.signs).toEqual(["QUIET is set."])
  late.connection.close()
})

test("a user who may not ask for the identifier of the database server starts all the same", async () => {
  const { url, sql } = await open()
  const role = `plain_${new URL(url).pathname.slice(1)}`
  await runScript(
    url,
    `create role ${role} login password 'secret';
     grant usage on schema public to ${role};
     grant select, insert, update, delete on all tables in schema public to ${role};
     revoke execute on function pg_control_system() from public`,
  )
  const plain = new URL(url)
  plain.username = role
  plain.password = "secret"
  try {
    for (let start = 0; start < 2; start++) {
      const { quiet, fingerprint } = await recogniseInstance(plain.href, AT_HOME)
      expect([quiet, fingerprint.systemIdentifier]).toEqual([null, null])
    }
    await sql`update instances set place = 'elsewhere:5432/live'`
    expect(await signsOfCopy(plain.href, AT_HOME)).toHaveLength(1)
  } finally {
    await runScript(
      url,
      `drop owned by ${role}; drop role ${role}; grant execute on function pg_control_system() to public`,
    )
  }
})
