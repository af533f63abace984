/** Passkeys of accounts. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../model/errors.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { onUniqueViolation } from "../query.ts"

interface PasskeyRow {
  readonly id: string
  readonly name: string
  readonly createdAt: Timestamp
  readonly lastUsedAt: Timestamp | null
}

export interface StoredPasskey {
  readonly id: string
  readonly accountId: string
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
}

/** Passkeys in order of creation. */
export const listPasskeys = async (sql: Queryable, accountId: string): Promise<PasskeyRow[]> => [
  ...(await sql<PasskeyRow[]>`
    select id, name, created_at, last_used_at from passkeys where account_id = ${accountId} order by created_at, id`),
]

export const listCredentialIds = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ credentialId: string }[]>`select credential_id from passkeys where account_id = ${accountId}`
  return rows.map(({ credentialId }) => credentialId)
}

/** Fails with `Conflict` for an authenticator that is already registered. */
export const insertPasskey = (
  sql: Queryable,
  passkey: StoredPasskey & { readonly name: string },
): Effect.Effect<PasskeyRow, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const { id, accountId, credentialId, publicKey, counter, name } = passkey
    const [row] = yield* onUniqueViolation(
      () => sql<PasskeyRow[]>`
        insert into passkeys (id, account_id, credential_id, public_key, counter, name)
        values (${id}, ${accountId}, ${credentialId}, ${publicKey}, ${counter}, ${name})
        returning id, name, created_at, last_used_at`,
      "passkeys_credential_id_key",
      () => new Conflict({ detail: "This passkey is registered already." }),
    )
    return row ?? (yield* Effect.die(new Error("insert returned no row")))
  })

export const findPasskey = async (sql: Queryable, credentialId: string): Promise<StoredPasskey | undefined> => {
  const [row] = await sql<StoredPasskey[]>`
    select id, account_id, credential_id, public_key, counter from passkeys where credential_id = ${credentialId}`
  return row
}

/** Resolves to false when the passkey is gone. */
export const notePasskeyUse = async (sql: Queryable, id: string, counter: number): Promise<boolean> =>
  (await sql`update passkeys set counter = ${counter}, last_used_at = now() where id = ${id}`).count > 0

export const renamePasskey = async (
  sql: Queryable,
  accountId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> => {
  const [row] = await sql<PasskeyRow[]>`
    update passkeys set name = ${name} where id = ${id} and account_id = ${accountId}
    returning id, name, created_at, last_used_at`
  return row
}

/** Resolves to whether the account had such a passkey. */
export const deletePasskey = async (sql: Queryable, accountId: string, id: string): Promise<boolean> =>
  (await sql`delete from passkeys where id = ${id} and account_id = ${accountId}`).count > 0
