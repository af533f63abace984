/** Revocation of an API key and of what it made. */
import { Effect } from "effect"
import { NotFound, type Unavailable } from "../../../model/errors.ts"
import { lockWorkspace } from "../../../store/accounts/credentials.ts"
import type { Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { removeRevokedApiKey, revokeApiKey, revokeKeysMadeBy } from "../../../store/workspaces/api-keys.ts"
import { insertAuditEntries } from "../../../store/workspaces/audit.ts"
import { type EndedWithKeys, endMadeByKeys } from "../../../store/workspaces/ended-with-keys.ts"
import { revokeInvitesOfKeys } from "../../../store/workspaces/invites.ts"
import { entriesOf } from "../accounts/first-proof.ts"
import { announceDeparture, announceRoles, recheckSockets } from "./grant-changes.ts"

const AT_ONCE = { concurrency: 8, discard: true } as const

interface Asked {
  readonly workspaceId: string
  readonly keyId: string
  /** Account of the caller. */
  readonly accountId: string
  readonly requestId: string
}

interface EndedKey {
  readonly revoked: ReadonlyArray<string>
  /** Null without `cascade`. */
  readonly ended: EndedWithKeys | null
}

/**
 * Revokes an active key; removes one that is already revoked. The lock comes first, so what the key makes meanwhile is either visible by
 * now or refused. Must run in a transaction.
 */
export const endKey = (
  sql: Queryable,
  { workspaceId, keyId, accountId, requestId }: Asked,
  isCascade: boolean,
): Effect.Effect<EndedKey, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const { isGone, ...done } = yield* query(async () => {
      await lockWorkspace(sql, workspaceId)
      const below = isCascade ? await revokeKeysMadeBy(sql, workspaceId, keyId) : null
      const revoked = [keyId, ...(below?.revoked ?? [])]
      // The objects made by the key are read before the key is removed. A child key revoked earlier has kept its objects.
      const keys = { revoked, all: [keyId, ...(below?.made ?? [])] }
      const ended = isCascade ? await endMadeByKeys(sql, workspaceId, keys, accountId) : null
      // The request itself is the audit entry of the keys.
      if (ended !== null) await insertAuditEntries(sql, entriesOf({ ...ended, keys: [] }, accountId, requestId))
      else await revokeInvitesOfKeys(sql, workspaceId, revoked)
      const isRevoked = await revokeApiKey(sql, workspaceId, keyId)
      return { revoked, ended, isGone: isRevoked || (await removeRevokedApiKey(sql, workspaceId, keyId)) }
    })
    return isGone ? done : yield* NotFound.of("API key")
  })

/** Notifies sockets and live events that keys ended, and with them memberships and roles. */
export const announceEnded = (workspaceId: string, { revoked, ended }: EndedKey) =>
  Effect.gen(function* () {
    yield* Effect.forEach(revoked, (keyId) => recheckSockets({ keyId }), AT_ONCE)
    if (ended === null) return
    yield* Effect.forEach(ended.departures, announceDeparture(workspaceId), AT_ONCE)
    yield* announceRoles(ended.roles.filter(({ isOver }) => !isOver))
  })

export const shownEnded = ({ keys, roles, departures: _, ...ended }: EndedWithKeys) => ({
  ...ended,
  apiKeys: keys,
  memberships: roles,
})
