/**
 * Invites: a week-long token that makes its holder a member of a workspace, or gives its holder a role on one event. The
 * token is the authority: no address need match. Using it up and granting are one transaction.
 */
import { Clock, Effect } from "effect"
import { Conflict, NotFound, type Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import type { EventRole } from "../model/roles.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { lockWorkspace } from "../store/accounts/credentials.ts"
import type { Queryable } from "../store/database.ts"
import { onForeignKeyViolation, query } from "../store/query.ts"
import {
  findInvitation,
  type InvitationRow,
  type InviteRow,
  insertInvite,
  insertMember,
  letIn,
  renewInvite,
  settleInvite,
} from "../store/workspaces/invites.ts"
import { giveEventRole } from "./participants.ts"
import { hashSecret, newSecret } from "./secrets.ts"

const LIFETIME_MS = 7 * 86_400_000

const notPending = (status: string) => new Conflict({ detail: `The invite is ${status}.` })

export interface IssuedInvite {
  readonly invite: InviteRow
  readonly token: string
}

/** Fails with `NotFound` for an event that is gone. Run in a transaction. */
export const issueInvite = (
  sql: Queryable,
  to: Omit<Parameters<typeof insertInvite>[1], "id" | "tokenHash" | "expiresAt">,
): Effect.Effect<IssuedInvite, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const token = newSecret()
    const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + LIFETIME_MS)
    const invite = yield* onForeignKeyViolation(
      () => insertInvite(sql, { ...to, id: newId(), tokenHash: hashSecret(token), expiresAt }),
      () => NotFound.of("event"),
    )
    return { invite, token }
  })

/** Creates a new token for an open invite. Fails with `Conflict` for any other. */
export const reissueInvite = (
  sql: Queryable,
  { id, status }: InvitationRow,
  createdBy: Pick<Parameters<typeof insertInvite>[1], "createdByAccountId" | "createdByKeyId">,
): Effect.Effect<IssuedInvite, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const token = newSecret()
    const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + LIFETIME_MS)
    const invite = yield* query(() => renewInvite(sql, { id, tokenHash: hashSecret(token), expiresAt, ...createdBy }))
    return invite === undefined ? yield* notPending(status) : { invite, token }
  })

export const readInvitation = (sql: Queryable, token: string): Effect.Effect<InvitationRow, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const invitation = yield* query(() => findInvitation(sql, hashSecret(token)))
    return invitation ?? (yield* NotFound.of("invite"))
  })

/** Fails with `Conflict` when it is not open. */
const settle = (
  sql: Queryable,
  { id, status }: InvitationRow,
  as: Parameters<typeof settleInvite>[2],
  by: string | null = null,
): Effect.Effect<InviteRow, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const invite = yield* query(() => settleInvite(sql, id, as, by))
    return invite ?? (yield* notPending(status))
  })

/** Fails with `Conflict` when it is not open. */
export const declineInvite = (
  sql: Queryable,
  token: string,
): Effect.Effect<InvitationRow, NotFound | Conflict | Unavailable> =>
  Effect.gen(function* () {
    const invitation = yield* readInvitation(sql, token)
    yield* settle(sql, invitation, "declined")
    return { ...invitation, status: "declined" }
  })

/** Fails with `Conflict` when it is not open. */
export const revokeInvite = (sql: Queryable, invitation: InvitationRow): Effect.Effect<void, Conflict | Unavailable> =>
  Effect.asVoid(settle(sql, invitation, "revoked"))

const joinEvent = (
  sql: Queryable,
  { eventStatus, workspaceId, role }: InvitationRow,
  accountId: string,
  eventId: string,
): Effect.Effect<void, NotFound | Conflict | Unavailable> =>
  eventStatus === "ended"
    ? Effect.fail(new Conflict({ detail: "The event has ended." }))
    : giveEventRole(sql, { accountId, workspaceId, eventId, role: role as EventRole })

const joinWorkspace = (
  sql: Queryable,
  { workspaceId, role }: InvitationRow,
  accountId: string,
): Effect.Effect<void, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const isNew = yield* query(() => insertMember(sql, { id: newId(), workspaceId, accountId, role }))
    if (!isNew) return yield* new Conflict({ detail: "You are a member of this workspace already." })
    yield* query(() => letIn(sql, workspaceId, accountId))
  })

/**
 * Grants the account what the invite promises. Fails with `Conflict` when it is not open, the event has ended, or the account is already a
 * member. Run in a transaction.
 */
export const acceptInvite = (
  sql: Queryable,
  token: string,
  accountId: string,
): Effect.Effect<
  { readonly invitation: InvitationRow; readonly invite: InviteRow },
  NotFound | Conflict | Unavailable
> =>
  Effect.gen(function* () {
    const invitation = yield* readInvitation(sql, token)
    // The removal of a member takes the locks in the same order: the workspace's row, then those of invites and members.
    yield* query(() => lockWorkspace(sql, invitation.workspaceId))
    const invite = yield* settle(sql, invitation, "accepted", accountId)
    const { eventId } = invitation
    if (eventId === null) yield* joinWorkspace(sql, invitation, accountId)
    else yield* joinEvent(sql, invitation, accountId, eventId)
    return { invitation, invite }
  })
