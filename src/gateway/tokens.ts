/** Reads a gateway token: who it speaks for, on which event, until when; or with which code the socket is to be closed. */
import { Effect } from "effect"
import type { GatewayGrant, Tokens } from "../identity/tokens.ts"
import { findAccountStandings } from "../store/accounts.ts"
import type { Database } from "../store/database.ts"
import { type Backing, backingOf, stillHolds } from "./backing.ts"
import type { Identity } from "./connection.ts"
import { CLOSE, type CloseCode } from "./protocol/close-codes.ts"

export interface Grant {
  readonly eventId: string
  readonly identity: Identity
  /** When the session behind the token ends, Unix milliseconds. */
  readonly sessionExpiresAt: number
  readonly backing: Backing | undefined
}

/** Does the token claim to have expired? Asked only of a token that was refused; both answers say "get a new one". */
const claimsToHaveExpired = (token: string): boolean => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined
    return typeof exp === "number" && exp * 1000 <= Date.now()
  } catch {
    return false
  }
}

/** What it rested on may have gone since the token was minted. Costs a look only for tokens of accounts. */
const refuseRevoked = (database: Database["Service"], grant: GatewayGrant): Effect.Effect<void, CloseCode> => {
  const backing = backingOf(grant)
  if (backing === undefined) return Effect.void
  return database
    .run((sql) => findAccountStandings(sql, [backing]))
    .pipe(
      Effect.mapError((): CloseCode => CLOSE.internal),
      Effect.flatMap(([now]) => (stillHolds(backing, now) ? Effect.void : Effect.fail(CLOSE.revoked))),
    )
}

export const readToken = (
  tokens: Tokens["Service"],
  database: Database["Service"],
  token: string,
): Effect.Effect<Grant, CloseCode> =>
  tokens.verify("gateway", token).pipe(
    Effect.mapError((): CloseCode => (claimsToHaveExpired(token) ? CLOSE.tokenExpired : CLOSE.invalidToken)),
    Effect.tap(({ claims }) => refuseRevoked(database, claims)),
    Effect.flatMap(({ claims }) => {
      const { participantId, name, kind, userId, role, eventId, sessionExpires } = claims
      const walkIn = kind !== "user" || claims.walkIn === true
      const sessionExpiresAt = sessionExpires * 1000
      if (sessionExpiresAt <= Date.now()) return Effect.fail<CloseCode>(CLOSE.tokenExpired)
      return Effect.succeed({
        eventId,
        identity: { participantId, name, kind, userId, role, walkIn },
        sessionExpiresAt,
        backing: backingOf(claims),
      })
    }),
  )
