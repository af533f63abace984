/**
 * Databases of tests that ended, emptied for the next ones. A database has about eight hundred files: to create and remove them for each
 * test is a fifth of the processor time of a whole run, and most of it inside the kernel.
 */
import { randomBytes } from "node:crypto"
import postgres from "postgres"
import { administer, createDatabase, databaseUrl, dropDatabase } from "./database-server.ts"

/** A database whose tables grew more than this is dropped, bytes: rows that were deleted still cost who reads past them. */
const MOST_GROWN = 4 << 20

/** The names of all databases of a template begin so. */
export const namesOf = (template: string): string => `${template}_test_`
export const newName = (template: string): string => `${namesOf(template)}${randomBytes(8).toString("hex")}`

/** By server and template: names of databases that stand as the template does. */
const spares = new Map<string, string[]>()
const sparesOf = (server: string, template: string): string[] => {
  const key = `${server} ${template}`
  const known = spares.get(key) ?? []
  spares.set(key, known)
  return known
}

/** Resolves to the name of an emptied database, if there is one. It has a new name, which nothing of an earlier test knows. */
export const takeSpare = async (server: string, template: string): Promise<string | undefined> => {
  const spare = sparesOf(server, template).pop()
  if (spare === undefined) return undefined
  const name = newName(template)
  await administer(server, (sql) => sql`alter database ${sql(spare)} rename to ${sql(name)}`)
  return name
}

export const newDatabase = async (server: string, template: string): Promise<string> => {
  const name = newName(template)
  await createDatabase(server, name, template)
  await noteShape(server, template, name)
  return name
}

/** Ends the sessions on the database, and keeps it for another test if it can be emptied. */
export const giveBack = async (server: string, template: string, name: string): Promise<void> => {
  const spare = newName(template)
  // What a test has left behind may still connect, by the name that it knows.
  const isAway = await administer(server, async (sql) => {
    await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`
    await sql`alter database ${sql(name)} rename to ${sql(spare)}`
    return true
  }).catch(() => false)
  if (!isAway) return dropDatabase(server, name)
  const shape = await shapes.get(`${server} ${template}`)
  const isClean = shape !== undefined && (await emptied(databaseUrl(server, spare), shape).catch(() => false))
  if (!isClean) return dropDatabase(server, spare)
  sparesOf(server, template).push(spare)
}

/** How a database of the template stands before a test. */
interface Shape {
  /** A hash of everything that a test may have defined or analysed. */
  readonly defined: string
  /** Tables with rows that the migrations wrote, and a hash of these rows. */
  readonly written: ReadonlyArray<string>
  readonly rows: string
  readonly bytes: number
}

const shapes = new Map<string, Promise<Shape>>()

/** Notes how the first database made of a template stands. The template itself must have no sessions, or it cannot be copied. */
const noteShape = async (server: string, template: string, name: string): Promise<void> => {
  const key = `${server} ${template}`
  const shape = shapes.get(key) ?? withDatabase(databaseUrl(server, name), shapeOf)
  shapes.set(key, shape)
  await shape
}

const withDatabase = async <A>(url: string, work: (sql: postgres.Sql) => Promise<A>): Promise<A> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, fetch_types: false })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

const shapeOf = async (sql: postgres.Sql): Promise<Shape> => {
  const used = await usedTables(sql)
  const written = used.map(({ name }) => name)
  return { written, rows: await rowsOf(sql, written), bytes: bytesOf(used), defined: await definedIn(sql) }
}

interface Used {
  readonly name: string
  readonly bytes: number
}

/** Tables that have, or had, rows. */
const usedTables = (sql: postgres.Sql) =>
  sql<Used[]>`
    select oid::regclass::text as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
     order by name`

const bytesOf = (used: ReadonlyArray<Used>): number => used.reduce((sum, { bytes }) => sum + bytes, 0)

const rowsOf = async (sql: postgres.Sql, tables: ReadonlyArray<string>): Promise<string> => {
  const hashes = tables.map((name) => `select md5(string_agg(t::text, '|' order by t::text)) as hash from ${name} t`)
  const rows = hashes.length === 0 ? [] : await sql.unsafe(hashes.join(" union all "))
  return rows.map(({ hash }) => hash).join(" ")
}

const definedIn = async (sql: postgres.Sql): Promise<string> => {
  const [row] = await sql<{ hash: string }[]>`
    select md5(string_agg(what, ',' order by what)) as hash from (
      select concat('relation', oid, relname, relkind, relnatts, relchecks, relpersistence, reltuples > 0)
        from pg_class where relnamespace = 'public'::regnamespace
      union all
      select concat('column', attrelid, attname, atttypid, attnotnull, attstattarget, pg_get_expr(adbin, adrelid))
        from pg_attribute left join pg_attrdef on (adrelid, adnum) = (attrelid, attnum)
        join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and attnum > 0
      union all
      select concat('constraint', oid, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace = 'public'::regnamespace
      union all
      select concat('function', oid, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select concat('trigger', tgrelid, tgname, tgenabled) from pg_trigger where not tgisinternal
      union all
      select concat('setting', setrole, setconfig) from pg_db_role_setting
       where setdatabase = (select oid from pg_database where datname = current_database())
      union all
      select concat('schema', nspname) from pg_namespace
       where nspname not like 'pg_temp%' and nspname not like 'pg_toast_temp%'
    ) as defined (what)`
  return row?.hash ?? ""
}

/** Removes all rows but those of the migrations. Resolves to whether the database stands as at first. */
const emptied = (url: string, { written, rows, bytes, defined }: Shape): Promise<boolean> =>
  withDatabase(url, async (sql) => {
    const used = await usedTables(sql)
    if (bytesOf(used) > bytes + MOST_GROWN || (await definedIn(sql)) !== defined) return false
    const names = used.map(({ name }) => name).filter((name) => !written.includes(name))
    const sequences = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, sequencename) as name from pg_sequences where last_value is not null`
    await sql.unsafe(`
      begin;
      -- Neither triggers nor foreign keys look at the rows that go.
      set local session_replication_role = replica;
      ${names.map((name) => `delete from ${name};`).join("\n")}
      ${sequences.map(({ name }) => `alter sequence ${name} restart;`).join("\n")}
      commit`)
    return (await rowsOf(sql, written)) === rows
  })
