/**
 * Reads a gateway token: its identity, event and expiry, or the code with which to close the socket. `Unavailable`: the token may be valid,
 * but cannot be checked now.
 */
import { Effect } from "effect"
import type { Timers } from "../../clock/timers.ts"
import type { GatewayGrant, Tokens } from "../../identity/tokens.ts"
import { Unavailable } from "../../model/errors.ts"
import { accessOf, type Basis, type GrantState, holds } from "../../model/grants.ts"
import { because, CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { GrantQuestion } from "../../store/accounts/grant-states.ts"
import type { GuestSession } from "../../store/personal/erased-guests.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { GrantGround, RecentChanges } from "./recent-changes.ts"
import type { SharedLookups } from "./shared-lookups.ts"

export interface Grant {
  readonly eventId: string
  readonly identity: Identity
  /** End of the session behind the token, in Unix milliseconds. */
  readonly sessionExpiresAt: number
  /** `undefined` for participants who are not users of the workspace. */
  readonly basis: Basis | undefined
  /** The token is for replays of the event, and for nothing else. */
  readonly isReplay: boolean
}

/** Whether the token itself claims to have expired. Checked only for a refused token; either close code asks for a new one. */
const claimsToHaveExpired = (token: string, now: number): boolean => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined
    return typeof exp === "number" && exp * 1000 <= now
  } catch {
    return false
  }
}

interface Needs {
  readonly timers: Timers
  readonly tokens: Tokens["Service"]
  readonly users: SharedLookups<GrantQuestion, GrantState>
  /** Looks up whether the guest's erasure ended the session. */
  readonly guests: SharedLookups<GuestSession, boolean>
  readonly changes: RecentChanges
}

/** Most reads for one participant. If their grants change faster than that, the participant has to try again. */
const READS = 10

/**
 * Reads a state until it is current. A state read during a change may predate it, and the check of open sockets for that change may be
 * over. The state is read again if the change concerns this participant, at most `READS` times. Changes that concern others cost no read.
 */
const readSettled = <State>(
  { changes }: Pick<Needs, "changes">,
  ground: GrantGround,
  read: Effect.Effect<State, Unavailable>,
  reads = READS,
): Effect.Effect<State, Unavailable> =>
  Effect.suspend(() => {
    const before = changes.count
    return Effect.flatMap(read, (state) => {
      if (!changes.concernedSince(before, ground)) return Effect.succeed(state)
      const detail = "The grants of the participant change too fast."
      return reads > 1
        ? readSettled({ changes }, ground, read, reads - 1)
        : Effect.fail(new Unavailable({ detail, retryAfterSeconds: 1 }))
    })
  })

export type NotGranted = CloseCode | Unavailable

type Access = Pick<Identity, "role" | "walkIn" | "manages">

/** The user's current access, which takes precedence over the token's. */
const accessNow = (needs: Needs, basis: Basis, eventId: string): Effect.Effect<Access, NotGranted> =>
  Effect.flatMap(
    readSettled(needs, { basis, eventId }, needs.users.find({ basis, eventId })),
    (state): Effect.Effect<Access, CloseCode> => {
      if (!holds(state)) return Effect.fail(CLOSE.revoked)
      if (state.event === null) return Effect.fail(CLOSE.notFound)
      const access = accessOf(state)
      return access === undefined ? Effect.fail(CLOSE.revoked) : Effect.succeed(access)
    },
  )

/** Fails with `revoked` for a guest who was erased since the session was created. */
const admitGuest = (needs: Needs, { participantId, eventId, sessionExpires }: GatewayGrant) =>
  Effect.flatMap(
    readSettled(
      needs,
      { guestId: participantId, eventId },
      needs.guests.find({ participantId, eventId, expiresAt: sessionExpires * 1000 }),
    ),
    (isErased): Effect.Effect<void, NotGranted> => (isErased ? Effect.fail(CLOSE.revoked) : Effect.void),
  )

const accessOfGrant = (needs: Needs, grant: GatewayGrant): Effect.Effect<Access, NotGranted> => {
  const { basis, eventId, kind, role, walkIn = false } = grant
  if (basis !== undefined) return accessNow(needs, basis, eventId)
  const access: Access = { role, walkIn: kind !== "user" || walkIn, manages: false }
  return kind === "guest" ? Effect.as(admitGuest(needs, grant), access) : Effect.succeed(access)
}

/** Usually the client sent a session token or an API key. */
const NO_GATEWAY_TOKEN = because(CLOSE.invalidToken, "invalid token: send the one of POST /v1/auth/gateway-token")

export const readToken = (needs: Needs, token: string): Effect.Effect<Grant, NotGranted> =>
  Effect.gen(function* () {
    const { claims } = yield* Effect.mapError(
      needs.tokens.verify("gateway", token),
      (): CloseCode => (claimsToHaveExpired(token, needs.timers.now()) ? CLOSE.tokenExpired : NO_GATEWAY_TOKEN),
    )
    const { participantId, name, kind, userId, eventId, sessionExpires, basis } = claims
    const sessionExpiresAt = sessionExpires * 1000
    if (sessionExpiresAt <= needs.timers.now()) return yield* Effect.fail(CLOSE.tokenExpired)
    const { role, walkIn, manages } = yield* accessOfGrant(needs, claims)
    if (claims.barred === true && !manages) return yield* Effect.fail(CLOSE.removed)
    const identity = { participantId, name, kind, userId, role, walkIn, manages }
    return { eventId, identity, sessionExpiresAt, basis, isReplay: claims.replay === true }
  })
