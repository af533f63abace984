/** Proofs of domains, which are checked daily and may end. */
import type { Queryable } from "../database.ts"

export interface ProvedDomain {
  readonly connectionId: string
  readonly domain: string
  readonly token: string
}

/** Number of consecutive look-ups without a record that end a proof. */
const ABSENCES = 3

/** Takes up to `limit` due proofs and postpones their next look-up, so that no other node takes them too. */
export const takeDueProofs = async (sql: Queryable, limit: number): Promise<ReadonlyArray<ProvedDomain>> =>
  sql<ProvedDomain[]>`
    with due as materialized (
      select connection_id, domain from connection_domains
       where proved_at is not null and look_at <= now() order by look_at limit ${limit} for update skip locked
    )
    update connection_domains d set look_at = now() + interval '1 day' + random() * interval '1 hour' from due
     where d.connection_id = due.connection_id and d.domain = due.domain
    returning d.connection_id, d.domain, d.token`

/** Resolves to whether this look-up ended the proof. */
export const noteLookUp = async (
  sql: Queryable,
  { connectionId, domain }: ProvedDomain,
  isThere: boolean,
): Promise<boolean> => {
  const [row] = await sql<{ isOver: boolean }[]>`
    update connection_domains
       set absences = case when ${isThere} then 0 else absences + 1 end,
           proved_at = case when ${isThere} or absences + 1 < ${ABSENCES} then proved_at end
     where connection_id = ${connectionId} and domain = ${domain} and proved_at is not null
    returning proved_at is null as is_over`
  return row?.isOver ?? false
}

/** Proof of the domain, if a connection has one. Waits for another transaction that ends it. */
export const findProof = async (sql: Queryable, domain: string): Promise<ProvedDomain | undefined> => {
  const [row] = await sql<ProvedDomain[]>`
    select connection_id, domain, token from connection_domains
     where domain = ${domain} and proved_at is not null for update`
  return row
}

export const endProof = async (sql: Queryable, { connectionId, domain }: ProvedDomain): Promise<void> => {
  await sql`
    update connection_domains set proved_at = null where connection_id = ${connectionId} and domain = ${domain}`
}
