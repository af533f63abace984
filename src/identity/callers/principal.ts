/** Caller of a request, after its credentials were checked. */
import type { Basis } from "../../model/grants.ts"
import type { KeyRights } from "../../model/key-rights.ts"

export type Principal =
  | { readonly kind: "anonymous" }
  /** A server with a workspace API key: management of that workspace, within the rights of the key. */
  | {
      readonly kind: "key"
      readonly keyId: string
      readonly workspaceId: string
      readonly name: string | null
      readonly rights: KeyRights
    }
  /** A browser with an account session cookie. */
  | { readonly kind: "account"; readonly accountId: string; readonly sessionId: string }
  /** The bearer of a workspace session token. */
  | {
      readonly kind: "session"
      readonly workspaceId: string
      readonly userId: string
      /** Null for a user that a key vouched for. */
      readonly accountId: string | null
      /** Basis held when the token was checked. */
      readonly basis: Basis
      /** Expiry in Unix seconds. */
      readonly expires: number
    }
  /** The bearer of an event session: a partner's guest, or a registered person. Valid for that one event. */
  | {
      readonly kind: "attendee"
      readonly as: "guest" | "registrant"
      readonly participantId: string
      readonly eventId: string
      readonly name: string
      /** Expiry in Unix seconds. */
      readonly expires: number
    }
  /** The operator of the whole installation. */
  | { readonly kind: "platform" }

/** Credentials of a request, as in its headers. */
export interface Credentials {
  readonly apiKey: string | undefined
  readonly bearer: string | undefined
  readonly sessionCookie: string | undefined
  readonly platformKey: string | undefined
}
