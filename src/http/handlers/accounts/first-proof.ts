/**
 * Follow-up to the first proof of an address. Its owner learns by email and from the audit log what was taken back, in the same
 * transaction. Live events and open sockets that depend on the taken grants are notified afterwards.
 */
import { Effect } from "effect"
import { resetPassword } from "../../../identity/accounts/account-tokens.ts"
import { ApiKeys } from "../../../identity/api-keys.ts"
import { takenBackEmail } from "../../../mail/emails.ts"
import { strangersLine } from "../../../mail/lines.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { isEmail } from "../../../model/text/email.ts"
import { findPrimaryAddress } from "../../../store/accounts/accounts.ts"
import type { TakenBack } from "../../../store/accounts/first-proof.ts"
import { afterCommit, Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { insertAuditEntries } from "../../../store/workspaces/audit.ts"
import type { AuditAction } from "../../contract/workspaces/audit.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { announceRoles, recheckSockets } from "../workspaces/grant-changes.ts"
import { tellChange } from "./account-acts.ts"

/** Maximum number of lines of each kind in an email. */
const MAX_LINES = 20

const lines = <A>(what: string, things: ReadonlyArray<A>, write: (thing: A) => string): ReadonlyArray<string> => {
  const more = things.length - MAX_LINES
  const shown = things.slice(0, MAX_LINES).map((thing) => `${what}: ${write(thing)}`)
  return more > 0 ? [...shown, `${what}: ${more} more`] : shown
}

const named = (name: string | null): string => strangersLine(name ?? "", "without a name")
/** An address as written in an email; other text is written as a name, without links. */
const addressed = (email: string): string => (isEmail(email) ? email : named(email))

const linesOf = ({ keys, invites, members, roles, webhooks, integrations }: TakenBack): ReadonlyArray<string> => [
  ...lines("API key revoked", keys, ({ name, prefix, last4 }) => `${named(name)} (${prefix}…${last4})`),
  ...lines(
    "Invitation revoked",
    invites,
    ({ email, role }) => `${email === null ? "a link" : addressed(email)}, as ${role}`,
  ),
  ...lines("Member removed", members, ({ name, email }) => `${named(name)} (${addressed(email)})`),
  ...lines("Role on an event taken", roles, ({ name }) => named(name)),
  ...lines("Webhook disabled", webhooks, ({ url }) => named(new URL(url).host)),
  ...lines("Guest integration revoked", integrations, ({ issuer }) => named(issuer)),
]

/** Audit entries for each thing that ended, caused by the account. */
export const entriesOf = (ended: Omit<TakenBack, "accountId" | "workspaceIds">, actorId: string, requestId: string) => {
  const acts: ReadonlyArray<
    readonly [AuditAction, ReadonlyArray<{ readonly id: string; readonly workspaceId: string }>]
  > = [
    ["api_key.deleted", ended.keys],
    ["invite.revoked", ended.invites],
    ["member.removed", ended.members],
    ["membership.deleted", ended.roles],
    ["webhook.changed", ended.webhooks],
    ["guest_integration.revoked", ended.integrations],
  ]
  return acts.flatMap(([action, things]) =>
    things.map(({ id, workspaceId }) => ({
      workspaceId,
      action,
      actorKind: "account" as const,
      actorId,
      targetId: id,
      requestId,
    })),
  )
}

/** Resolves to a function that records what was taken back, in the caller's transaction. */
export const takenBackNotice = (requestId: string) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const mailer = yield* Mailer
    return async (sql: Queryable, takenBack: TakenBack | null): Promise<void> => {
      const lines = takenBack === null ? [] : linesOf(takenBack)
      if (takenBack === null || lines.length === 0) return
      await insertAuditEntries(sql, entriesOf(takenBack, takenBack.accountId, requestId))
      const address = await findPrimaryAddress(sql, takenBack.accountId)
      if (address !== undefined) {
        await mailer.post(sql, takenBackEmail(address.email, address.name, lines, `${appUrl}/`))
      }
    }
  })

/** Notifies everything that depends on the taken grants. Called after a reset or a provider's sign-in succeeded. */
export const announceTakenBack = (takenBack: TakenBack | null) =>
  Effect.gen(function* () {
    if (takenBack === null) return
    const { forgetAll } = yield* ApiKeys
    yield* afterCommit(forgetAll)
    yield* Effect.forEach(takenBack.workspaceIds, (workspaceId) => recheckSockets({ workspaceId }), { discard: true })
    yield* announceRoles(takenBack.roles.filter(({ isOver }) => !isOver))
    const { collect } = yield* Mailer
    collect()
  })

/** Sets a new password with the token of an email, and sends the notifications. Fails with `InvalidToken`. */
export const resetPasswordBy = (token: string, passwordHash: string, requestId: string) =>
  Effect.gen(function* () {
    const note = yield* takenBackNotice(requestId)
    const done = yield* (yield* Database).transaction((sql) =>
      resetPassword(sql, token, passwordHash).pipe(
        Effect.tap(({ takenBack }) => query(() => note(sql, takenBack))),
        Effect.tap(({ accountId }) => tellChange(sql, accountId, "passwordChanged")),
      ),
    )
    yield* recheckSockets({ accountId: done.accountId })
    yield* announceTakenBack(done.takenBack)
  })
