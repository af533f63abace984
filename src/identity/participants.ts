/** Participant identity of an account in a workspace. */
import { Effect } from "effect"
import { NotFound, type Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import { ACCOUNT_SUB_PREFIX } from "../model/participants.ts"
import type { EventRole } from "../model/roles.ts"
import { findPrimaryAddress } from "../store/accounts/accounts.ts"
import type { Queryable } from "../store/database.ts"
import { onForeignKeyViolation, query } from "../store/query.ts"
import { upsertMembership, upsertUser } from "../store/workspaces/users.ts"

/** Creates the identity if there is none and gives it the role. Fails with `NotFound` for an account or event that is gone. */
export const giveEventRole = (
  sql: Queryable,
  to: {
    readonly accountId: string
    readonly workspaceId: string
    readonly eventId: string
    readonly role: EventRole
  },
): Effect.Effect<void, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const { accountId, workspaceId, eventId, role } = to
    const account = yield* query(() => findPrimaryAddress(sql, accountId))
    if (account === undefined) return yield* NotFound.of("account")
    const { email, name } = account
    const externalSub = ACCOUNT_SUB_PREFIX + accountId
    const user = yield* query(() => upsertUser(sql, { id: newId(), workspaceId, accountId, externalSub, email, name }))
    const membership = { id: newId(), eventId, userId: user.id, role }
    yield* onForeignKeyViolation(
      () => upsertMembership(sql, membership),
      () => NotFound.of("event"),
    )
  })
