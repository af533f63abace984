/** Members of a workspace, and the rules about its owners: there is always one, and only owners make owners. */
import { Effect } from "effect"
import { Conflict, Forbidden, NotFound, type Unavailable } from "../../model/errors.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { endEverything } from "../links/bearer-links.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { query } from "../query.ts"
import { revokeInvitesOf } from "./invites.ts"

interface MemberRow {
  /** Id of the membership. */
  readonly id: string
  readonly accountId: string
  readonly role: WorkspaceRole
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly joinedAt: Timestamp
}

const MEMBER = `select m.id, m.account_id, m.role, a.name, e.email, e.verified_at is not null as email_verified, m.joined_at
  from workspace_members m join accounts a on a.id = m.account_id
  join account_emails e on e.account_id = a.id and e.is_primary`

export const pageMembers = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<MemberRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<(MemberRow & { createdAt: Timestamp })[]>`
    select members.*, joined_at as created_at from (${sql.unsafe(MEMBER)} where m.workspace_id = ${workspaceId}) members
     where (joined_at, id) < (${after.createdAt}, ${after.id}) order by joined_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

const findMember = (
  sql: Queryable,
  workspaceId: string,
  memberId: string,
): Effect.Effect<MemberRow, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const [row] = yield* query(
      () => sql<MemberRow[]>`
        ${sql.unsafe(MEMBER)} where m.workspace_id = ${workspaceId} and m.id = ${memberId}`,
    )
    return row ?? (yield* NotFound.of("member"))
  })

const isOwner = new Forbidden({ detail: "Owners are not changed here: an owner may leave while another remains." })

/** Fails with `Forbidden` for an owner. Run it under `lockWorkspace`. */
export const setMemberRole = (
  sql: Queryable,
  workspaceId: string,
  memberId: string,
  role: "member" | "admin",
): Effect.Effect<MemberRow, NotFound | Forbidden | Unavailable> =>
  Effect.gen(function* () {
    const member = yield* findMember(sql, workspaceId, memberId)
    if (member.role === "owner") return yield* isOwner
    yield* query(async () => {
      await sql`update workspace_members set role = ${role} where id = ${memberId}`
      // A plain member may not invite, so earlier invites are revoked.
      if (role === "member") await revokeInvitesOf(sql, workspaceId, member.accountId)
    })
    return { ...member, role }
  })

/** A former member of a workspace: its user there, and the scheduled or live events on which that user had a role. */
export interface Departure {
  readonly accountId: string
  readonly userId: string | null
  readonly eventIds: ReadonlyArray<string>
}

/**
 * Ends the sessions and addresses of the account's user in the workspace, deletes its roles on all events there, and revokes its open
 * invites, one of which would let it in again. API keys belong to the workspace and stay.
 */
export const depart = async (sql: Queryable, workspaceId: string, accountId: string): Promise<Departure> => {
  await revokeInvitesOf(sql, workspaceId, accountId)
  // The addresses stay ended even if the person returns with the same login.
  await endEverything(sql, workspaceId, `account:${accountId}`)
  const [user] = await sql<{ id: string }[]>`
    update users set session_version = session_version + 1
     where workspace_id = ${workspaceId} and account_id = ${accountId} returning id`
  if (user === undefined) return { accountId, userId: null, eventIds: [] }
  const roles = await sql<{ eventId: string; hasEnded: boolean }[]>`
    delete from memberships m using events e where m.user_id = ${user.id} and e.id = m.event_id
    returning m.event_id, e.status = 'ended' as has_ended`
  const eventIds = roles.filter(({ hasEnded }) => !hasEnded).map(({ eventId }) => eventId)
  return { accountId, userId: user.id, eventIds }
}

/** Bars the account from earlier invites and from the workspace's connections. */
const shutOut = async (sql: Queryable, workspaceId: string, accountId: string): Promise<void> => {
  await sql`
    insert into removed_members (workspace_id, account_id) values (${workspaceId}, ${accountId}) on conflict do nothing`
  await sql`
    update invites set status = 'revoked', revoked_at = now()
     where workspace_id = ${workspaceId} and status = 'pending' and email in (
             select email from account_emails where account_id = ${accountId} and (verified_at is not null or is_primary))`
}

/** Whether the account was removed from the workspace and not invited since. */
export const isShutOut = async (sql: Queryable, workspaceId: string, accountId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from removed_members where workspace_id = ${workspaceId} and account_id = ${accountId}`
  return rows.length > 0
}

/** Fails with `Forbidden` for an owner. Run it under `lockWorkspace`. */
export const removeMember = (
  sql: Queryable,
  workspaceId: string,
  memberId: string,
): Effect.Effect<Departure, NotFound | Forbidden | Unavailable> =>
  Effect.gen(function* () {
    const member = yield* findMember(sql, workspaceId, memberId)
    if (member.role === "owner") return yield* isOwner
    return yield* query(async () => {
      await sql`delete from workspace_members where id = ${memberId}`
      await shutOut(sql, workspaceId, member.accountId)
      return depart(sql, workspaceId, member.accountId)
    })
  })

/** Fails with `Conflict` for the only owner: of two owners who leave concurrently exactly one succeeds. Run it under `lockWorkspace`. */
export const leaveWorkspace = (
  sql: Queryable,
  workspaceId: string,
  accountId: string,
): Effect.Effect<Departure, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const left = yield* query(
      () => sql`
        delete from workspace_members m where workspace_id = ${workspaceId} and account_id = ${accountId}
           and (role <> 'owner' or exists (select 1 from workspace_members o where o.workspace_id = ${workspaceId}
                                              and o.role = 'owner' and o.account_id <> ${accountId}))
        returning 1`,
    )
    if (left.length === 0) {
      return yield* new Conflict({ detail: "The only owner cannot leave; make somebody else an owner first." })
    }
    return yield* query(() => depart(sql, workspaceId, accountId))
  })

/** Promotes a member to owner. Run it under `lockWorkspace`. */
export const makeOwner = (
  sql: Queryable,
  workspaceId: string,
  memberId: string,
): Effect.Effect<MemberRow, NotFound | Unavailable> =>
  Effect.gen(function* () {
    const member = yield* findMember(sql, workspaceId, memberId)
    yield* query(() => sql`update workspace_members set role = 'owner' where id = ${memberId}`)
    return { ...member, role: "owner" }
  })
