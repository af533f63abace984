/**
 * Recognises whether this database is the one that its servers know, or a copy of it. A copy (a restored dump, a base backup, a snapshot of
 * a disk) has the webhooks and emails that wait in the original, and its servers would send them a second time. The database stores its own
 * location and the address of its servers. The first server that starts compares them, and a node that joins others follows its judgement.
 *
 * A failover to a standby makes no copy, so neither the timeline nor the machine of an external database counts, but its address in
 * DATABASE_URL, which a failover keeps.
 */
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isLoopbackName } from "../../model/integrations/egress-target.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { listNodes } from "../cluster/nodes.ts"
import { clusterFolder, findDatabase } from "../embedded/place.ts"
import { forgetRestored, isRestored } from "../embedded/restoring.ts"
import { withSession } from "../pool/session.ts"
import type { Queryable } from "../pool/statement.ts"

const SESSION = { application_name: "gathercue start" }
const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

export interface InstanceSettings {
  readonly publicUrl: string | null
  readonly dataDir: string
  /** Whether the operator wants nothing to be sent. */
  readonly quiet: boolean
}

interface Fingerprint {
  /** Identifier of the database server, made by initdb; null when the user may not read it. */
  readonly systemIdentifier: string | null
  readonly databaseOid: string | null
  readonly place: string | null
  /** Null when there is none, or one of this machine alone. */
  readonly publicUrl: string | null
}

/** State of a database from which nothing is sent. */
export interface QuietState {
  readonly since: Timestamp
  /** Reasons, as sentences. */
  readonly signs: ReadonlyArray<string>
}

export interface Instance {
  readonly fingerprint: Fingerprint
  readonly quiet: QuietState | null
  readonly link: string | null
}

interface Row extends Fingerprint {
  readonly quietSince: Timestamp | null
  readonly quietSigns: ReadonlyArray<string> | null
  readonly isHeld: boolean
  readonly link: string | null
}

const LOOPBACK_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/

const publicAddress = (url: string | null): string | null => {
  const host = url === null ? "localhost" : new URL(url).hostname
  return isLoopbackName(host) || LOOPBACK_ADDRESS.test(host) ? null : url
}

/** Stable id of a machine, which most container images lack. */
const machineId = async (): Promise<string> => {
  const id = (await readFile("/etc/machine-id", "utf8").catch(() => "")).trim()
  return /^[0-9a-f]{32}$/.test(id) ? ` of machine ${id}` : ""
}

/** The embedded database has a different port at each start, and its user may read the folder's path. */
const isEmbedded = async (dataDir: string, folder: string | null): Promise<boolean> => {
  const own = await findDatabase(dataDir)
  return own !== undefined && folder === clusterFolder(join(own, "postgres"))
}

const addressIn = (url: string): string => {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || "5432"}${pathname}`
}

const readFingerprint = async (
  sql: Queryable,
  url: string,
  { publicUrl, dataDir }: InstanceSettings,
): Promise<Fingerprint & { readonly isRestored: boolean }> => {
  const [row] = await sql<{ databaseOid: string; folder: string | null; mayAsk: boolean }[]>`
    select (select oid::text from pg_database where datname = current_database()) as database_oid,
           (select setting from pg_settings where name = 'data_directory') as folder,
           has_function_privilege('pg_catalog.pg_control_system()', 'execute') as may_ask`
  const [control] = row?.mayAsk
    ? await sql<{ id: string }[]>`select system_identifier::text as id from pg_catalog.pg_control_system()`
    : []
  const folder = row?.folder ?? null
  const isOurs = await isEmbedded(dataDir, folder)
  return {
    isRestored: isOurs && isRestored(dataDir),
    systemIdentifier: control?.id ?? null,
    databaseOid: row?.databaseOid ?? null,
    place: isOurs ? `${folder}${await machineId()}` : addressIn(url),
    publicUrl: publicAddress(publicUrl),
  }
}

/** A value that is unknown on either side is no sign, except a PUBLIC_URL that only the original has. */
const signsOf = (known: Fingerprint, found: Fingerprint): ReadonlyArray<string> => {
  const differs = (name: "systemIdentifier" | "databaseOid" | "place"): boolean =>
    known[name] !== null && found[name] !== null && known[name] !== found[name]
  const signs: string[] = []
  if (differs("place")) signs.push(`The database is at ${found.place}, and was at ${known.place}.`)
  else if (differs("systemIdentifier")) signs.push(`Another PostgreSQL server has the database at ${found.place}.`)
  else if (differs("databaseOid")) signs.push(`The database at ${found.place} was made anew.`)
  if (known.publicUrl !== null && known.publicUrl !== found.publicUrl) {
    signs.push(`PUBLIC_URL was ${known.publicUrl}, and is ${found.publicUrl ?? "none, or one of this machine alone"}.`)
  }
  return signs
}

const QUIET_IS_SET = "QUIET is set."
const WAS_RESTORED = "gathercue restore put the database there."

interface Judgement {
  readonly found: Fingerprint
  readonly known: Row | undefined
  /** Whether other nodes are running. */
  readonly joins: boolean
  readonly wasRestored: boolean
  readonly isHeld: boolean
  /** Signs of a copy; empty for the original. */
  readonly signs: ReadonlyArray<string>
}

const judge = async (sql: Queryable, url: string, around: InstanceSettings): Promise<Judgement> => {
  const { isRestored: wasRestored, ...found } = await readFingerprint(sql, url, around)
  // Nodes are listed once they have judged, so all nodes that start at once judge.
  const joins = (await listNodes(sql)).some(({ isLiving }) => isLiving)
  const [known] = await sql<Row[]>`
    select system_identifier, database_oid, place, public_url, quiet_since, quiet_signs, is_held, link from instances`
  const asked = [...(around.quiet ? [QUIET_IS_SET] : []), ...(wasRestored ? [WAS_RESTORED] : [])]
  const isHeld = asked.length > 0 || known?.isHeld === true
  const compared = joins ? [] : signsOf(known ?? found, found)
  // Signs seen by an earlier start may be outdated: the original may be back at its address.
  const kept = known?.isHeld === true || joins ? (known?.quietSigns ?? []) : []
  return { found, known, joins, wasRestored, isHeld, signs: [...new Set([...kept, ...asked, ...compared])] }
}

/** Reasons why a start would send nothing; empty when it would send. Reads only. */
export const signsOfCopy = (url: string, around: InstanceSettings): Promise<ReadonlyArray<string>> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => (await judge(sql, url, around)).signs)

/** Resolves to the time since when the database has been quiet. */
const write = async (sql: Queryable, { found, known, isHeld, signs }: Judgement, link: string | null) => {
  const isQuiet = signs.length > 0
  // The original's fingerprint stays: back in its place, the database is recognised again.
  const { databaseOid, place, publicUrl, systemIdentifier } = isQuiet ? (known ?? found) : found
  const identifier = systemIdentifier ?? known?.systemIdentifier ?? null
  const [row] = await sql<{ quietSince: Timestamp | null }[]>`
    insert into instances (system_identifier, database_oid, place, public_url, quiet_since, quiet_signs, is_held, link)
    values (${identifier}, ${databaseOid}, ${place}, ${publicUrl},
            case when ${isQuiet} then coalesce(${known?.quietSince ?? null}::timestamptz, now()) end,
            ${isQuiet ? [...signs] : null}::text[], ${isHeld}, ${link})
        on conflict (id) do update
       set system_identifier = excluded.system_identifier, database_oid = excluded.database_oid, place = excluded.place,
           public_url = excluded.public_url, quiet_since = excluded.quiet_since, quiet_signs = excluded.quiet_signs,
           is_held = excluded.is_held, link = excluded.link
    returning quiet_since`
  return row?.quietSince ?? null
}

/** Called at a start by a server that holds the lock. Records what it found. */
export const recogniseInstance = (url: string, around: InstanceSettings): Promise<Instance> =>
  withSession(url, SESSION, LIMITS, async ({ connection, sql }) => {
    // Serialises starts.
    await connection.control("begin; lock table instances in share row exclusive mode")
    const judgement = await judge(sql, url, around)
    const { found, known, joins, wasRestored, signs } = judgement
    const isNews = signs.length > 0 && known?.quietSince == null && !joins
    const link = isNews ? randomBytes(6).toString("hex") : (known?.link ?? null)
    const since = await write(sql, judgement, link)
    await connection.control("commit")
    if (wasRestored) await forgetRestored(around.dataDir)
    return { fingerprint: found, link, quiet: since === null ? null : { since, signs } }
  })

/** Current state. The servers running on a promoted database become its own. */
export const readQuiet = async (sql: Queryable, own: Fingerprint): Promise<QuietState | null> => {
  const [row] = await sql<{ since: Timestamp | null; signs: ReadonlyArray<string> | null; isBlank: boolean }[]>`
    select quiet_since as since, quiet_signs as signs, database_oid is null as is_blank from instances`
  if (row === undefined) return null
  if (row.since !== null) return { since: row.since, signs: row.signs ?? [] }
  if (row.isBlank) {
    const { systemIdentifier, databaseOid, place, publicUrl } = own
    await sql`
      update instances set system_identifier = ${systemIdentifier}, database_oid = ${databaseOid}, place = ${place},
             public_url = ${publicUrl}
       where quiet_since is null and database_oid is null`
  }
  return null
}
