/**
 * Sign-in through a workspace's identity provider. The provider must state that the address is verified, and the connection must have
 * proved its domain. People who are not members yet become members with the connection's role.
 */
import { Effect } from "effect"
import { ROUND_TRIP_SECONDS } from "../../../identity/accounts/oidc.ts"
import { ConnectionFailed, Connections } from "../../../identity/connections/connections.ts"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { domainOfEmail } from "../../../model/text/email.ts"
import { findPassword, type ProvedCredentials, verifiedAddresses } from "../../../store/accounts/accounts.ts"
import { lockWorkspace } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { insertAuditEntries } from "../../../store/workspaces/audit.ts"
import {
  type ConnectionRow,
  findConnection,
  findConnectionFor,
  noteConnectionUse,
} from "../../../store/workspaces/connections.ts"
import { insertMember } from "../../../store/workspaces/invites.ts"
import { isShutOut } from "../../../store/workspaces/members.ts"
import type { Sso } from "../../contract/accounts/sso.ts"
import { writeEntries } from "../../requests/audit.ts"
import { issueSession } from "../../requests/browser-session.ts"
import type { Handlers } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { RETRY_SLUG } from "../workspaces/slug.ts"
import { announceTakenBack, takenBackNotice } from "./first-proof.ts"
import { challengeFor, countAtAddress } from "./second-step.ts"
import { accountOfIdentity, redirect, tripCookie } from "./sign-in.ts"

const COOKIE = "gc_sso"
/** Confirmation page for a sign-in that another site began. */
export const UNASKED_PATH = "/sign-in"
export const UNASKED_COOKIE = "gc_unasked"
export const unaskedCookie = (publicUrl: string, value: string): string =>
  tripCookie(publicUrl, UNASKED_PATH, UNASKED_COOKIE, value, value === "" ? 0 : ROUND_TRIP_SECONDS)

const PATH = "/v1/auth/sso"

/** Redirects to the application, which shows a sentence for the reason. */
const backWith = (reason: "refused" | "closed" | "unreachable" | "unverified") =>
  Effect.map(HttpSettings, ({ publicUrl, appUrl }) =>
    redirect(`${appUrl}/?signIn=${reason}`, [tripCookie(publicUrl, PATH, COOKIE, "", 0)]),
  )

/** Owners read the reason at the connection and in the log, which names the account that created the connection as actor. */
const noteFailure = ({ id, workspaceId, createdByAccountId }: ConnectionRow, reason: string) =>
  Effect.gen(function* () {
    const { requestId } = yield* RequestCaller
    yield* (yield* Database).run((sql) => noteConnectionUse(sql, id, reason))
    const act = { action: "connection.failed", actorKind: "account", actorId: createdByAccountId } as const
    yield* writeEntries([{ workspaceId, targetId: id, requestId, ...act }])
  })

const isProved = ({ domains }: ConnectionRow, email: string): boolean =>
  domains.some(({ domain, provedAt }) => provedAt !== null && domain === domainOfEmail(email))

const join = (sql: Queryable, { id, workspaceId, defaultRole }: ConnectionRow, accountId: string, requestId: string) =>
  Effect.gen(function* () {
    yield* query(() => lockWorkspace(sql, workspaceId))
    // The connection may have been removed meanwhile.
    if ((yield* query(() => findConnection(sql, id))) === undefined) {
      return yield* new ConnectionFailed({ reason: "The connection was removed." })
    }
    if (yield* query(() => isShutOut(sql, workspaceId, accountId))) {
      return yield* new ConnectionFailed({
        reason: "The person was removed from the workspace; an invite lets them in again.",
      })
    }
    const memberId = newId()
    const isNew = yield* query(() => insertMember(sql, { id: memberId, workspaceId, accountId, role: defaultRole }))
    if (!isNew) return
    const act = { action: "member.joined", actorKind: "account", actorId: accountId, targetId: memberId } as const
    yield* query(() => insertAuditEntries(sql, [{ workspaceId, requestId, ...act }]))
  })

/** Starts a session. When another site began the sign-in, the account may be that site's own, so the person is asked first. */
const enter = (isOwn: boolean, proved: ProvedCredentials, device: string | null) =>
  Effect.gen(function* () {
    const { publicUrl, appUrl } = yield* HttpSettings
    const forget = tripCookie(publicUrl, PATH, COOKIE, "", 0)
    if (isOwn) return redirect(`${appUrl}/`, [forget, yield* issueSession(proved, device)])
    const { sealUnasked } = yield* Connections
    return redirect(UNASKED_PATH, [forget, unaskedCookie(publicUrl, sealUnasked(proved))])
  })

export const sso = {
  findSso: {
    access: "public",
    handle: ({ query: { email } }) =>
      Effect.gen(function* () {
        const connection = yield* (yield* Database).run((sql) => findConnectionFor(sql, domainOfEmail(email)))
        return { connection: connection ?? null }
      }),
  },
  startSso: {
    access: "browser",
    handle: ({ params: { connectionId }, query: { fresh }, scope: { isFromOwnPage: isOwn } }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const { start } = yield* Connections
        const connection = yield* (yield* Database).run((sql) => findConnection(sql, connectionId))
        if (connection === undefined || connection.domains.every(({ provedAt }) => provedAt === null)) {
          return yield* NotFound.of("connection")
        }
        return yield* start(connection, { fresh: fresh === "true", isOwn }).pipe(
          Effect.map(({ url, cookie }) =>
            redirect(url, [tripCookie(publicUrl, PATH, COOKIE, cookie, ROUND_TRIP_SECONDS)]),
          ),
          Effect.catchTag("ConnectionFailed", ({ reason }) =>
            Effect.andThen(noteFailure(connection, reason), backWith("unreachable")),
          ),
        )
      }),
  },
  finishSso: {
    access: "browser",
    handle: ({ params: { connectionId }, query: returned, path, requestId, device, scope }) =>
      Effect.gen(function* () {
        const { publicUrl, appUrl } = yield* HttpSettings
        const database = yield* Database
        const { tripIn, finish } = yield* Connections
        const cookie = scope.cookie(COOKIE)
        const trip = tripIn(cookie)
        // An answer sent to another connection's address is from another issuer, whatever it claims.
        const isTrip = trip?.connectionId === connectionId
        const connection = isTrip ? yield* database.run((sql) => findConnection(sql, connectionId)) : undefined
        if (connection === undefined || returned.error !== undefined) return yield* backWith("refused")
        // Without the limit, one started sign-in could send any number of codes to the issuer in the workspace's name.
        const takeBack = yield* countAtAddress
        const signingIn = Effect.gen(function* () {
          const identity = yield* finish(connection, `${publicUrl}${path}?${scope.queryString}`, cookie)
          if (identity.email === null || !identity.emailVerified || !isProved(connection, identity.email)) {
            yield* noteFailure(connection, "The issuer named somebody without a verified address of a proved domain.")
            return yield* backWith("unverified")
          }
          const note = yield* takenBackNotice(requestId)
          const signedIn = yield* database
            .transaction((sql) =>
              Effect.gen(function* () {
                const { accountId, takenBack: taken } = yield* accountOfIdentity(sql, identity, {
                  connectionId: connection.id,
                })
                // A linked account keeps its own addresses, whatever address the issuer names now.
                const addresses = yield* query(() => verifiedAddresses(sql, accountId))
                if (!addresses.some((address) => isProved(connection, address))) return undefined
                yield* query(() => note(sql, taken))
                yield* join(sql, connection, accountId, requestId)
                const { credentialsVersion } = yield* query(() => findPassword(sql, accountId))
                const { provedAt } = identity
                return { accountId, credentialsVersion, connectionId: connection.id, provedAt, takenBack: taken }
              }),
            )
            .pipe(Effect.retry(RETRY_SLUG))
          if (signedIn === undefined) {
            yield* noteFailure(connection, "The account of that person has no address of a proved domain.")
            return yield* backWith("unverified")
          }
          const { takenBack, ...proved } = signedIn
          if (takenBack !== null) yield* recheckSockets({ accountId: proved.accountId })
          yield* announceTakenBack(takenBack)
          yield* database.run((sql) => noteConnectionUse(sql, connection.id, null))
          yield* takeBack
          const forget = tripCookie(publicUrl, PATH, COOKIE, "", 0)
          const challenge = yield* challengeFor(proved)
          if (challenge !== null) return redirect(`${appUrl}/?signIn=code#mfaToken=${challenge.mfaToken}`, [forget])
          return yield* enter(trip?.isOwn === true, proved, device)
        })
        return yield* signingIn.pipe(
          Effect.catchTag("ConnectionFailed", ({ reason }) =>
            Effect.andThen(noteFailure(connection, reason), backWith("unreachable")),
          ),
          Effect.catchTag("SignupClosed", () => backWith("closed")),
        )
      }),
  },
} satisfies Handlers<typeof Sso>
