/**
 * The nodes that share this database, and the shards that each holds: rows of `cluster_nodes`, and advisory locks with keys of
 * two parts. The locks belong to the node's session (node-session.ts), so they are gone with it, and no clock decides about them.
 */
import type { Queryable } from "../pool/statement.ts"

/** The first parts of the keys; any constants would do. The second parts are the row's id and the shard's number. */
const NODE_KEY = 716_092_845
const SHARD_KEY = 716_092_844

interface NodeRow {
  /** Address `host:port` at which other nodes reach it. */
  readonly address: string
  /** Its name in presence and owner rows. */
  readonly node: string
  /** The cluster engine's own description of the node. */
  readonly runner: string
  /** Whether a session holds the lock of the row. */
  readonly isLiving: boolean
}

/** Condition on `pg_locks l` for held locks with the key in this database. */
const areHeld = (sql: Queryable, key: number) => sql`
  l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${key}::oid
  and l.database = (select oid from pg_database where datname = current_database())`

export const listNodes = async (sql: Queryable): Promise<ReadonlyArray<NodeRow>> => sql<NodeRow[]>`
  select n.address, n.node, n.runner, l.pid is not null as is_living
    from cluster_nodes n left join pg_locks l on ${areHeld(sql, NODE_KEY)} and l.objid = n.id::oid`

/**
 * Assigns the address to this node, and takes the row's lock for this session in the same statement, so no other node sees the row without
 * its holder. `former` lists sessions of this node that may still hold the previous row's lock. Resolves to the row's new id, or to null,
 * with nothing changed, while another living node has the address. Nodes of the previous build read `takes_grounds`: while it lacks this
 * node's name, they issue addresses that are bound to nobody. A later migration removes it.
 */
export const registerNode = async (
  sql: Queryable,
  { address, node, runner }: Pick<NodeRow, "address" | "node" | "runner">,
  former: ReadonlyArray<number> = [],
): Promise<number | null> => {
  const [row] = await sql<{ id: number }[]>`
    insert into cluster_nodes (address, node, runner, takes_grounds)
    select ${address}, ${node}, ${runner}, ${node}
     where not exists (
       select 1 from cluster_nodes n join pg_locks l on ${areHeld(sql, NODE_KEY)} and l.objid = n.id::oid
        where n.address = ${address} and l.pid <> pg_backend_pid()
          and l.pid <> all(${former.map(String)}::text[]::int[]))
        on conflict (address) do update
       set id = default, node = excluded.node, runner = excluded.runner, takes_grounds = excluded.takes_grounds,
           registered_at = now()
    returning id, pg_try_advisory_lock(${NODE_KEY}, id)`
  return row?.id ?? null
}

/** Removes the node's row, and rows of nodes that started over an hour ago and ended without removing theirs. */
export const unregisterNode = async (sql: Queryable, address: string): Promise<void> => {
  await sql`
    delete from cluster_nodes n
     where n.address = ${address}
        or n.registered_at < now() - interval '1 hour'
           and not exists (select 1 from pg_locks l where ${areHeld(sql, NODE_KEY)} and l.objid = n.id::oid)`
}

/** Shards held by this session. */
export const listHeldShards = async (sql: Queryable): Promise<ReadonlySet<number>> => {
  const rows = await sql<{ shard: number }[]>`
    select l.objid::int as shard from pg_locks l where ${areHeld(sql, SHARD_KEY)} and l.pid = pg_backend_pid()`
  return new Set(rows.map(({ shard }) => shard))
}

/** Takes the free ones of the shards. Resolves to those that this session then holds. */
export const lockShards = async (sql: Queryable, shards: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
  // A session counts its locks, and would have to release a lock twice that it took twice.
  const rows = await sql<{ shard: number }[]>`
    with held as materialized (
      select l.objid::int as shard from pg_locks l where ${areHeld(sql, SHARD_KEY)} and l.pid = pg_backend_pid())
    select shard from unnest(${shards.map(String)}::text[]::int[]) as shard
     where case when shard in (select shard from held) then true else pg_try_advisory_lock(${SHARD_KEY}, shard) end`
  return rows.map(({ shard }) => shard)
}

export const unlockShard = async (sql: Queryable, shard: number): Promise<void> => {
  await sql`select pg_advisory_unlock(${SHARD_KEY}, ${shard})`
}

/** Releases every shard held by this session, and no other lock. */
export const unlockShards = async (sql: Queryable): Promise<void> => {
  await sql`
    select pg_advisory_unlock(${SHARD_KEY}, l.objid::int) from pg_locks l
     where ${areHeld(sql, SHARD_KEY)} and l.pid = pg_backend_pid()`
}
