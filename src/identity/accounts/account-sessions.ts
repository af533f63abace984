/** Account sessions: an opaque token in a cookie, its hash in a row; seven idle days, thirty at most. */
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { Unauthorized, type Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import {
  deleteSession,
  findSession,
  insertSession,
  type ProvedCredentials,
  touchSession,
} from "../../store/accounts/accounts.ts"
import { Database } from "../../store/database.ts"
import { hashSecret, newSecret } from "../secrets.ts"

const DAY_MS = 86_400_000
const IDLE_MS = 7 * DAY_MS
const LIFETIME_MS = 30 * DAY_MS
/** A session's idle clock is written at most this often, so that a busy browser costs no write per request. */
const TOUCH_EVERY_MS = 300_000

export const SESSION_COOKIE_SECONDS = LIFETIME_MS / 1000

const CHANGED = new Unauthorized({ detail: "The password was changed meanwhile." })

export class AccountSessions extends Context.Service<
  AccountSessions,
  {
    /**
     * Starts a session; resolves to the cookie's value. Fails with `Unauthorized` when the credentials were changed meanwhile. `device` is
     * the browser's name.
     */
    readonly start: (
      proved: ProvedCredentials,
      device: string | null,
    ) => Effect.Effect<string, Unauthorized | Unavailable>
    readonly find: (
      token: string,
    ) => Effect.Effect<{ readonly accountId: string; readonly sessionId: string } | undefined, Unavailable>
    readonly end: (sessionId: string) => Effect.Effect<void, Unavailable>
  }
>()("gathercue/AccountSessions") {
  static readonly layer: Layer.Layer<AccountSessions, never, Database> = Layer.effect(
    AccountSessions,
    Effect.gen(function* () {
      const database = yield* Database
      const timers = yield* currentTimers
      return {
        start: (proved, device) => {
          const token = newSecret()
          const now = timers.now()
          const session = {
            id: newId(),
            tokenHash: hashSecret(token),
            ...proved,
            device,
            idleExpiresAt: toTimestamp(now + IDLE_MS),
            expiresAt: toTimestamp(now + LIFETIME_MS),
          }
          return Effect.flatMap(
            database.run((sql) => insertSession(sql, session)),
            (isStarted) => (isStarted ? Effect.succeed(token) : Effect.fail(CHANGED)),
          )
        },
        find: (token) =>
          database.run(async (sql) => {
            const now = timers.now()
            const session = await findSession(sql, hashSecret(token), toTimestamp(now))
            if (session === undefined) return undefined
            if (now - toMillis(session.lastSeenAt) > TOUCH_EVERY_MS) {
              const holds = await touchSession(sql, session.id, toTimestamp(now), toTimestamp(now + IDLE_MS))
              if (!holds) return undefined
            }
            return { accountId: session.accountId, sessionId: session.id }
          }),
        end: (sessionId) => database.run((sql) => deleteSession(sql, sessionId)),
      }
    }),
  )
}
