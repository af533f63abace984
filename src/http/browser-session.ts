/** Starts an account session and makes the cookie that carries it. */
import { Effect } from "effect"
import { AccountSessions } from "../identity/account-sessions.ts"
import { sessionCookie } from "./credentials.ts"
import { HttpSettings } from "./settings.ts"

/** Resolves to the value of a `set-cookie` header. */
export const issueSession = (accountId: string) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const token = yield* (yield* AccountSessions).start(accountId)
    return sessionCookie(publicUrl, token)
  })
