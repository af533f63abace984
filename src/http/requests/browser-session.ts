/** Starts an account session and creates its cookie. */
import { Effect } from "effect"
import { AccountSessions } from "../../identity/accounts/account-sessions.ts"
import type { ProvedCredentials } from "../../store/accounts/accounts.ts"
import { sessionCookie } from "./credentials.ts"
import { HttpSettings } from "./settings.ts"

/** Resolves to a `set-cookie` value. */
export const issueSession = (proved: ProvedCredentials, device: string | null) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const token = yield* (yield* AccountSessions).start(proved, device)
    return sessionCookie(publicUrl, token)
  })
