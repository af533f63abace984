/**
 * Sign-in through a workspace's own identity provider. The operator of a provider can claim any address, so a connection signs in only
 * people of the domains that it has proved by DNS: a person who controls a domain can read its emails too. All requests to the issuer pass
 * the egress guard of webhooks.
 */
import dns from "node:dns/promises"
import { Context, Data, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { allowInsecureRequests, type Configuration, customFetch, discovery } from "openid-client"
import { currentTimers } from "../../clock/timers.ts"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { Egress, type EgressFailed } from "../../egress/egress.ts"
import { BadRequest } from "../../model/errors.ts"
import type { EgressRefused } from "../../model/integrations/egress-target.ts"
import type { ProvedCredentials } from "../../store/accounts/accounts.ts"
import { openText, sealText } from "../../store/sealing/sealed-text.ts"
import type { ConnectionRow } from "../../store/workspaces/connections.ts"
import {
  AnswerRefused,
  beginRoundTrip,
  endRoundTrip,
  openTrip,
  type ProvidedIdentity,
  ROUND_TRIP_SECONDS,
  type RoundTrip,
  sealTrip,
  TIMEOUT_SECONDS,
} from "../accounts/oidc.ts"

/** Reason why a sign-in failed: a sentence for the people who manage the connection. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{ readonly reason: string }> {}

interface Trip extends RoundTrip {
  readonly connectionId: string
  /** Whether the sign-in was begun on a page of this server or of the application. */
  readonly isOwn: boolean
}

/** A sign-in begun by another site's page: its person is asked before the session starts. */
interface Unasked {
  readonly proved: ProvedCredentials
  readonly expires: number
}

const OWNER = "connection"
const UNASKED = "unasked sign-in"
const DISCOVERY_MS = 3_600_000
const MOST_REMEMBERED = 500
/** Size limit; metadata and key sets of issuers are shorter. */
const MAX_BYTES = 256 * 1024
const DNS_WITHIN = "5 seconds"
/** Codes that are answers rather than failures of the resolver. */
const NO_RECORD: ReadonlySet<string | undefined> = new Set(["ENODATA", "ENOTFOUND"])

const sentenceOf = (failure: EgressRefused | EgressFailed): string =>
  failure._tag === "EgressRefused" ? failure.detail : `The issuer is not reachable (${failure.reason}).`

/** The issuer's text is not repeated, except for the name of its error. */
const reasonOf = (cause: unknown): string => {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if (at instanceof AnswerRefused) return at.message
    const { error } = at as { readonly error?: unknown }
    if (typeof error === "string" && /^[a-z_]{1,40}$/.test(error)) return `The issuer refused the request (${error}).`
  }
  return "The issuer's answer was not accepted."
}

const placeOf = (domain: string): string => `_gathercue.${domain}`

/** DNS record that proves a domain. */
export const proofRecordOf = ({ domain, token }: { readonly domain: string; readonly token: string }) => ({
  name: placeOf(domain),
  value: `gathercue-connection=${token}`,
})

type Issuer = Pick<ConnectionRow, "id" | "issuer" | "clientId" | "clientSecretSealed" | "updatedAt">

export class Connections extends Context.Service<
  Connections,
  {
    /**
     * Redirect address for the issuer. Each connection has its own: a code that another issuer made for its client is useless at this one,
     * so no issuer gets it by sending browsers on to the other (RFC 9700 §4.4).
     */
    readonly redirectUriOf: (connectionId: string) => string
    /** Whether domains must be proved; otherwise each counts at once. */
    readonly provesDomains: boolean
    readonly sealSecret: (connectionId: string, secret: string) => Uint8Array
    /** Fails with `BadRequest` for an address that may not be called. */
    readonly checkIssuer: (issuer: string) => Effect.Effect<void, BadRequest>
    /** Fetches the issuer's metadata again. */
    readonly test: (connection: Issuer) => Effect.Effect<void, ConnectionFailed>
    /** TXT records for the proof of a domain; undefined when nobody answered for it. */
    readonly recordsOf: (domain: string) => Effect.Effect<ReadonlyArray<string> | undefined>
    /** `fresh` asks the person to sign in again; `isOwn` marks a sign-in begun on a page of ours. */
    readonly start: (
      connection: Issuer,
      how: { readonly fresh: boolean; readonly isOwn: boolean },
    ) => Effect.Effect<{ readonly url: string; readonly cookie: string }, ConnectionFailed>
    /** The sign-in of a browser's cookie; undefined when it was not begun in that browser, or too long ago. */
    readonly tripIn: (cookie: string | undefined) => Pick<Trip, "connectionId" | "isOwn"> | undefined
    readonly sealUnasked: (proved: ProvedCredentials) => string
    readonly unaskedIn: (cookie: string | undefined) => ProvedCredentials | undefined
    readonly finish: (
      connection: Issuer,
      url: string,
      cookie: string | undefined,
    ) => Effect.Effect<ProvidedIdentity, ConnectionFailed>
  }
>()("gathercue/Connections") {
  /** Keys for round trips and for client secrets, each for that purpose alone. */
  static readonly layer = (options: {
    readonly publicUrl: string
    readonly provesDomains: boolean
    readonly tripKeys: KeyRing
    readonly secretKeys: KeyRing
  }): Layer.Layer<Connections, never, Egress> =>
    Layer.effect(
      Connections,
      Effect.gen(function* () {
        const egress = yield* Egress
        const timers = yield* currentTimers
        const { tripKeys, secretKeys, provesDomains } = options
        const redirectUriOf = (connectionId: string) => `${options.publicUrl}/v1/auth/sso/${connectionId}/callback`
        const remembered = new LRUCache<string, Promise<Configuration>>({ max: MOST_REMEMBERED, ttl: DISCOVERY_MS })

        const send = async (
          url: string,
          { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
        ): Promise<Response> => {
          const request = {
            url,
            method: method === "POST" ? ("POST" as const) : ("GET" as const),
            headers,
            timeoutMs: TIMEOUT_SECONDS * 1000,
            maxBytes: MAX_BYTES,
            ...(body === undefined || body === null ? {} : { body: String(body) }),
          }
          const answer = await Effect.runPromise(
            Effect.mapError(egress.send(request), (failure) => new AnswerRefused(sentenceOf(failure))),
          )
          const given = new Headers()
          for (const [name, value] of Object.entries(answer.headers)) given.set(name, String(value))
          return new Response(new Uint8Array(answer.body), { status: answer.status, headers: given })
        }

        const discover = async ({ id, issuer, clientId, clientSecretSealed }: Issuer): Promise<Configuration> => {
          const url = new URL(issuer)
          const configuration = await discovery(
            url,
            clientId,
            openText(secretKeys, id, clientSecretSealed),
            undefined,
            {
              timeout: TIMEOUT_SECONDS,
              [customFetch]: send,
              // The guard allows plain http on loopback only, and not in production.
              execute: url.protocol === "http:" ? [allowInsecureRequests] : [],
            },
          )
          // An issuer whose metadata names another issuer could sign in that one's people.
          const named = configuration.serverMetadata().issuer
          if (!URL.canParse(named) || new URL(named).href !== url.href) {
            throw new AnswerRefused("The provider's metadata names another issuer.")
          }
          return configuration
        }

        const configured = (connection: Issuer): Promise<Configuration> => {
          const key = `${connection.id} ${connection.updatedAt}`
          const known = remembered.get(key)
          if (known !== undefined) return known
          const configuration = discover(connection)
          remembered.set(key, configuration)
          configuration.catch(() => remembered.peek(key) === configuration && remembered.delete(key))
          return configuration
        }

        const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ConnectionFailed> =>
          Effect.tryPromise({ try: work, catch: (cause) => new ConnectionFailed({ reason: reasonOf(cause) }) })

        const tripIn = (cookie: string | undefined) => openTrip<Trip>(tripKeys, OWNER, cookie, timers.now())

        return {
          redirectUriOf,
          provesDomains,
          sealSecret: (connectionId, secret) => sealText(secretKeys, connectionId, secret),
          checkIssuer: (issuer) =>
            Effect.mapError(egress.check(issuer), ({ detail }) => BadRequest.ofField("issuer", detail)),
          test: (connection) => Effect.asVoid(attempt(() => discover(connection))),
          recordsOf: (domain) =>
            Effect.tryPromise({
              try: () => dns.resolveTxt(placeOf(domain)),
              catch: (cause) => cause as NodeJS.ErrnoException,
            }).pipe(
              Effect.map((records) => records.map((parts) => parts.join(""))),
              Effect.timeout(DNS_WITHIN),
              Effect.catch((failure) =>
                Effect.succeed(NO_RECORD.has("code" in failure ? failure.code : "") ? [] : undefined),
              ),
            ),
          start: (connection, { fresh, isOwn }) =>
            attempt(async () => {
              const back = redirectUriOf(connection.id)
              const { url, trip } = await beginRoundTrip(await configured(connection), back, timers.now(), fresh)
              const given: Trip = { ...trip, connectionId: connection.id, isOwn }
              return { url, cookie: sealTrip(tripKeys, OWNER, given) }
            }),
          tripIn,
          sealUnasked: (proved) => {
            const unasked: Unasked = { proved, expires: timers.now() + ROUND_TRIP_SECONDS * 1000 }
            return sealTrip(tripKeys, UNASKED, unasked)
          },
          unaskedIn: (cookie) => openTrip<Unasked>(tripKeys, UNASKED, cookie, timers.now())?.proved,
          finish: (connection, url, cookie) =>
            Effect.gen(function* () {
              const trip = tripIn(cookie)
              if (trip === undefined) return yield* new ConnectionFailed({ reason: "The sign-in took too long." })
              const identity = yield* attempt(async () =>
                endRoundTrip(await configured(connection), url, trip, timers.now()),
              )
              return identity ?? (yield* new ConnectionFailed({ reason: "The issuer named nobody." }))
            }),
        }
      }),
    )
}
