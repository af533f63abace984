/**
 * Credentials from headers, the session cookie, the cross-site rule for cookie-authenticated requests, and the rights on which addresses
 * given to a caller depend.
 */
import { Context, Effect } from "effect"
import { SESSION_COOKIE_SECONDS } from "../../identity/accounts/account-sessions.ts"
import type { Credentials, Principal } from "../../identity/callers/principal.ts"
import { Forbidden } from "../../model/errors.ts"
import type { Ground } from "../../model/links.ts"
import type { Access } from "../contract/access.ts"
import type { HttpRequest } from "../transport/message.ts"
import type { HttpSettings } from "./settings.ts"

/** On an https address, the `__Host-` prefix binds the cookie to this host and to TLS (RFC 6265bis §4.1.3.2). */
export const sessionCookieName = (publicUrl: string): string =>
  publicUrl.startsWith("https:") ? "__Host-gc_session" : "gc_session"

export const sessionCookie = (publicUrl: string, token: string): string =>
  `${sessionCookieName(publicUrl)}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_COOKIE_SECONDS}${
    publicUrl.startsWith("https:") ? "; Secure" : ""
  }`

export const clearedSessionCookie = (publicUrl: string): string =>
  `${sessionCookieName(publicUrl)}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${
    publicUrl.startsWith("https:") ? "; Secure" : ""
  }`

export const cookieValue = (header: string | undefined, name: string): string | undefined => {
  if (header === undefined) return undefined
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=")
    if (at > 0 && pair.slice(0, at).trim() === name && pair.slice(at + 1).trim() !== "")
      return pair.slice(at + 1).trim()
  }
  return undefined
}

export const credentialsOf = (request: HttpRequest, cookieName: string): Credentials => {
  const { headers } = request
  const authorization = headers["authorization"]
  return {
    apiKey: headers["x-api-key"],
    platformKey: headers["x-platform-key"],
    // Any other scheme counts as a credential, and an invalid one.
    bearer: authorization === undefined ? undefined : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? ""),
    sessionCookie: cookieValue(headers["cookie"], cookieName),
  }
}

const READS = new Set(["GET", "HEAD", "OPTIONS"])

/** The settings that identify this server's own pages. */
type OwnSite = Pick<HttpSettings["Service"], "publicUrl" | "trustsHost">

/**
 * Whether a browser reports that the request comes from another site's page. The `Host` header is the caller's choice and does not show
 * TLS: it counts only while the server is tried out under arbitrary names.
 */
export const isForeignSite = (
  { headers: { origin, host, ...headers } }: HttpRequest,
  { publicUrl, trustsHost }: OwnSite,
): boolean => {
  const isOwn = origin === undefined || origin === new URL(publicUrl).origin
  const isHost = trustsHost && (origin === `http://${host}` || origin === `https://${host}`)
  return !(isOwn || isHost) || headers["sec-fetch-site"] === "cross-site"
}

/** Whether a browser reports that a page of this server or of the application leads here. Links in emails and bookmarks report nothing. */
export const isFromOwnPage = (
  { headers: { referer = "", ...headers } }: HttpRequest,
  { publicUrl, appUrl }: Pick<HttpSettings["Service"], "publicUrl" | "appUrl">,
): boolean =>
  headers["sec-fetch-site"] === "same-origin" ||
  (URL.canParse(referer) && [publicUrl, appUrl].some((own) => new URL(own).origin === new URL(referer).origin))

/** A change authenticated by a browser's cookie must come from our own origin, or from no browser at all. */
export const refuseCrossSite = (
  request: HttpRequest,
  principal: Principal,
  site: OwnSite,
): Effect.Effect<void, Forbidden> => {
  if (principal.kind !== "account" || READS.has(request.method)) return Effect.void
  return isForeignSite(request, site)
    ? Effect.fail(new Forbidden({ detail: "A change with a session cookie must come from this site." }))
    : Effect.void
}

/** Returns `undefined` for a caller without a credential and for the operator. */
type GroundOf = (workspaceId: string) => Ground | undefined

/** Set for each request of a caller with a credential. */
export const CallerGround = Context.Reference<GroundOf>("gathercue/CallerGround", {
  defaultValue: () => () => undefined,
})

/** A session on a surface of participants counts as a viewer's, whatever else its holder may do. */
export const groundOf =
  (principal: Principal, access: Access): GroundOf =>
  (workspaceId) => {
    switch (principal.kind) {
      case "key":
        return { as: "manager", workspaceId, keyId: principal.keyId }
      case "account": {
        const { accountId, sessionId } = principal
        return { as: "manager", workspaceId, login: { accountId, sessionId } }
      }
      case "session": {
        const { userId, sessionVersion, login, keyId } = principal.basis
        const basis = { workspaceId, userId, sessionVersion, ...(login && { login }), ...(keyId !== null && { keyId }) }
        return access.startsWith("public") || access === "liveEvent"
          ? { as: "viewer", ...basis, participantId: userId }
          : { as: "manager", ...basis }
      }
      case "attendee":
        return { as: "viewer", participantId: principal.participantId, role: "viewer" }
      default:
        return undefined
    }
  }
