/**
 * Checks whether the configured user may do what a start and a running server do. A start would otherwise fail half-way, and requests one
 * by one.
 */
import { readSchema, type SchemaState } from "./migrate.ts"
import { withSession } from "./pool/session.ts"
import type { Queryable } from "./pool/statement.ts"

const SESSION = { application_name: "gathercue access" }
const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

/** The problem and its remedy, as sentences. */
interface Problem {
  readonly problem: string
  readonly remedy: string
}

interface Rights {
  readonly role: string
  readonly schema: string | null
  readonly isReadOnly: boolean
  readonly mayCreate: boolean | null
  /** Owner of the tables; null when there are none yet. */
  readonly owner: string | null
  readonly isOwner: boolean | null
}

const readRights = async (sql: Queryable): Promise<Rights | undefined> => {
  const [row] = await sql<Rights[]>`
    select current_user as role, current_schema() as schema,
           pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
           has_schema_privilege(current_schema(), 'CREATE') as may_create,
           pg_get_userbyid(c.relowner) as owner, pg_has_role(c.relowner, 'USAGE') as is_owner
      from (select to_regclass('schema_migrations') as oid) t left join pg_class c on c.oid = t.oid`
  return row
}

/** Tables of our owner, because others may share the schema. The tables of the schema's version are only read. */
const findLacking = async (
  sql: Queryable,
): Promise<ReadonlyArray<{ readonly lacks: string; readonly tables: string }>> => sql<
  { lacks: string; tables: string }[]
>`
  select p as lacks, string_agg(c.relname, ', ' order by c.relname) as tables
    from pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) p
   where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
     and c.relowner = (select relowner from pg_class where oid = 'schema_migrations'::regclass)
     and (c.relname not in ('schema_migrations', 'schema_functions') or p = 'SELECT')
     and (p <> 'TRUNCATE' or c.relname = 'disk_probes')
     and not has_table_privilege(c.oid, p)
   group by p order by p`

const changeProblems = ({ role, schema, mayCreate, owner, isOwner }: Rights): ReadonlyArray<Problem> => {
  if (owner !== null && isOwner !== true) {
    return [
      {
        problem: `The schema has to be changed for this build, and the user "${role}" of DATABASE_URL does not own the tables.`,
        remedy: `Run gathercue migrate as "${owner}".`,
      },
    ]
  }
  if (mayCreate === true) return []
  return [
    {
      problem: `The user "${role}" of DATABASE_URL may not make tables in the schema "${schema}".`,
      remedy: `As the schema's owner: GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${role}"; since PostgreSQL 15 a right on the database does not suffice. Or run gathercue migrate as the owner of the database.`,
    },
  ]
}

const SHOWN = 80
const cut = (list: string): string =>
  list.length > SHOWN ? `${list.slice(0, list.lastIndexOf(",", SHOWN))} and others` : list

const lackingProblems = async (sql: Queryable, { role, schema }: Rights): Promise<ReadonlyArray<Problem>> =>
  (await findLacking(sql)).map(({ lacks, tables }) => ({
    problem: `The user "${role}" of DATABASE_URL lacks ${lacks} on ${cut(tables)}.`,
    remedy: `As their owner: GRANT ${lacks} ON ${lacks === "TRUNCATE" ? tables : `ALL TABLES IN SCHEMA "${schema}"`} TO "${role}".`,
  }))

interface Access {
  readonly problems: ReadonlyArray<Problem>
  /** Null when it may not be read. */
  readonly schema: SchemaState | null
}

/** Reads only. */
export const readAccess = (url: string): Promise<Access> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    const rights = await readRights(sql)
    if (rights === undefined) throw new Error("no answer about rights")
    const { role, schema: name, isReadOnly, owner } = rights
    if (isReadOnly) {
      const problem = `The database at DATABASE_URL is read-only for the user "${role}".`
      return { schema: null, problems: [{ problem, remedy: "Connect to the primary, as a user who may write." }] }
    }
    if (name === null) {
      const problem = `The user "${role}" of DATABASE_URL may use no schema on its search path.`
      return {
        schema: null,
        problems: [{ problem, remedy: `As the schema's owner: GRANT USAGE ON SCHEMA public TO "${role}".` }],
      }
    }
    const lacking = owner === null ? [] : await lackingProblems(sql, rights)
    if (lacking.length > 0) return { schema: null, problems: lacking }
    const schema = await readSchema(url)
    const isCurrent = schema.refusal !== null || (schema.applied === schema.known && schema.hasFunctions)
    return { schema, problems: isCurrent ? [] : changeProblems(rights) }
  })
