/** Workspaces and their members. */
import { Effect } from "effect"
import { SlugTaken, type Unavailable } from "../../model/errors.ts"
import type { WorkspaceBranding } from "../../model/presentation.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { onUniqueViolation, query } from "../query.ts"

interface WorkspaceRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  /** Whether members need a second factor. */
  readonly requireMfa: boolean
  /** Whether members other than owners must sign in through a connection of the workspace. */
  readonly sso: "optional" | "required"
  /** Whether `/w/{slug}` shows the public events. */
  readonly publicList: boolean
  readonly branding: WorkspaceBranding | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

interface MemberWorkspaceRow extends WorkspaceRow {
  readonly role: WorkspaceRole
}

/** The account becomes the owner. */
export const insertWorkspace = (
  sql: Queryable,
  workspace: { id: string; name: string; slug: string; memberId: string; ownerId: string },
): Effect.Effect<MemberWorkspaceRow, SlugTaken | Unavailable> =>
  Effect.gen(function* () {
    const [row] = yield* onUniqueViolation(
      () => sql<WorkspaceRow[]>`
        insert into workspaces (id, name, slug, founder_account_id)
        values (${workspace.id}, ${workspace.name}, ${workspace.slug}, ${workspace.ownerId})
        returning id, name, slug, require_mfa, sso, public_list, branding, created_at, updated_at`,
      "workspaces_slug_key",
      () => new SlugTaken({ slug: workspace.slug }),
    )
    if (row === undefined) return yield* Effect.die(new Error("insert returned no row"))
    yield* query(
      () => sql`
        insert into workspace_members (id, workspace_id, account_id, role)
        values (${workspace.memberId}, ${workspace.id}, ${workspace.ownerId}, 'owner')`,
    )
    return { ...row, role: "owner" }
  })

/** Number of existing workspaces founded by the account. */
export const countFounded = async (sql: Queryable, accountId: string): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from workspaces where founder_account_id = ${accountId} and deleted_at is null`
  return row?.n ?? 0
}

/** Changes the given fields. */
export const updateWorkspace = (
  sql: Queryable,
  id: string,
  change: {
    readonly name?: string
    readonly slug?: string
    readonly requireMfa?: boolean
    readonly sso?: "optional" | "required"
    readonly publicList?: boolean
    readonly branding?: WorkspaceBranding | null
  },
): Effect.Effect<WorkspaceRow, SlugTaken | Unavailable> =>
  Effect.gen(function* () {
    const [row] = yield* onUniqueViolation(
      () => sql<WorkspaceRow[]>`
        update workspaces set name = coalesce(${change.name ?? null}, name), slug = coalesce(${change.slug ?? null}, slug),
               require_mfa = coalesce(${change.requireMfa ?? null}, require_mfa),
               sso = coalesce(${change.sso ?? null}, sso),
               public_list = coalesce(${change.publicList ?? null}, public_list),
               branding = ${change.branding === undefined ? sql`branding` : sql`${change.branding === null ? null : sql.json(change.branding)}::jsonb`},
               updated_at = now()
         where id = ${id} returning id, name, slug, require_mfa, sso, public_list, branding, created_at, updated_at`,
      "workspaces_slug_key",
      () => new SlugTaken({ slug: change.slug ?? "" }),
    )
    return row ?? (yield* Effect.die(new Error("update returned no row")))
  })

export const findWorkspaceName = async (sql: Queryable, id: string): Promise<string | undefined> => {
  const [row] = await sql<{ name: string }[]>`select name from workspaces where id = ${id} and deleted_at is null`
  return row?.name
}

/** Name and branding of a workspace, which the pages of its events show. */
export interface WorkspaceFace {
  readonly name: string
  readonly branding: WorkspaceBranding | null
}

export const findWorkspaceFace = async (sql: Queryable, id: string): Promise<WorkspaceFace> => {
  const [row] = await sql<WorkspaceFace[]>`select name, branding from workspaces where id = ${id}`
  return row ?? { name: "", branding: null }
}

export const isSlugTaken = async (sql: Queryable, slug: string): Promise<boolean> => {
  const rows = await sql`select 1 from workspaces where slug = ${slug}`
  return rows.length > 0
}

/** Every workspace of an account, for the account view. */
export const listAccountWorkspaces = (sql: Queryable, accountId: string): Promise<MemberWorkspaceRow[]> =>
  sql<MemberWorkspaceRow[]>`
    select w.id, w.name, w.slug, w.require_mfa, w.sso, w.public_list, w.branding, w.created_at, w.updated_at, m.role
      from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and w.deleted_at is null order by w.created_at desc, w.id desc`.then((rows) => [
    ...rows,
  ])

export const pageAccountWorkspaces = async (
  sql: Queryable,
  accountId: string,
  page: PageRequest,
): Promise<Page<MemberWorkspaceRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<MemberWorkspaceRow[]>`
    select w.id, w.name, w.slug, w.require_mfa, w.sso, w.public_list, w.branding, w.created_at, w.updated_at, m.role
      from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and w.deleted_at is null and (w.created_at, w.id) < (${after.createdAt}, ${after.id})
     order by w.created_at desc, w.id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

export const pageWorkspaces = async (sql: Queryable, page: PageRequest): Promise<Page<WorkspaceRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<WorkspaceRow[]>`
    select id, name, slug, require_mfa, sso, public_list, branding, created_at, updated_at from workspaces
     where (created_at, id) < (${after.createdAt}, ${after.id}) and deleted_at is null
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

export interface MemberRow {
  readonly role: WorkspaceRole
  /** Whether the workspace requires a second factor that the account does not have. */
  readonly lacksFactor: boolean
  /** Whether the workspace requires another sign-in than the session's. Owners may use any. */
  readonly lacksSso: boolean
}

/** `undefined` when the account is no member, or there is no such workspace. */
export const findMember = async (
  sql: Queryable,
  workspaceId: string,
  { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string | null },
): Promise<MemberRow | undefined> => {
  const [row] = await sql<MemberRow[]>`
    select m.role, lacks_factor(w, m.account_id) as lacks_factor, lacks_sso(w, m.role, ${sessionId}) as lacks_sso
      from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and m.workspace_id = ${workspaceId} and w.deleted_at is null`
  return row
}

/** The workspace whose public events everybody may list. */
export const findListedWorkspace = async (
  sql: Queryable,
  slug: string,
): Promise<(WorkspaceFace & { readonly id: string }) | undefined> => {
  const [row] = await sql<(WorkspaceFace & { readonly id: string })[]>`
    select id, name, branding from workspaces where slug = ${slug} and public_list and deleted_at is null`
  return row
}
