/** The deployment's rule for new accounts (`SIGNUP`): open to everybody, to people with an open invite, or closed. */
import { Effect } from "effect"
import { readInvitation } from "../../../identity/invites.ts"
import { SignupClosed, type Unavailable } from "../../../model/errors.ts"
import type { Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { hasOpenInvite } from "../../../store/workspaces/invites.ts"
import { HttpSettings } from "../../requests/settings.ts"

/**
 * Proof of an invitation: the token of an invite, or an address that a provider verified. A claimed address proves nothing, because others
 * know it too.
 */
export type Invited =
  | { readonly token: string | undefined }
  | { readonly provedEmail: string }
  /** The connection of a workspace through which the person signs in. */
  | { readonly connectionId: string }

const isInvited = (sql: Queryable, by: Invited): Effect.Effect<boolean, Unavailable> => {
  if ("provedEmail" in by) return query(() => hasOpenInvite(sql, by.provedEmail))
  if ("connectionId" in by) return Effect.succeed(true)
  const { token } = by
  if (token === undefined) return Effect.succeed(false)
  return readInvitation(sql, token).pipe(
    Effect.map(({ status }) => status === "pending"),
    Effect.catchTag("NotFound", () => Effect.succeed(false)),
  )
}

export const requireSignup = (
  sql: Queryable,
  by: Invited,
): Effect.Effect<void, SignupClosed | Unavailable, HttpSettings> =>
  Effect.gen(function* () {
    const { signup } = yield* HttpSettings
    const isAllowed = signup === "open" || (signup === "invited" && (yield* isInvited(sql, by)))
    if (!isAllowed) return yield* new SignupClosed({ isByInvite: signup === "invited" })
  })
