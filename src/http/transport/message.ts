/** Request and response as handlers see them: copied out of the socket, without platform types. */
import type { Principal } from "../../identity/callers/principal.ts"

/** Facts learned about a request while it is handled, for the access log and for counts only. The fields are mutable. */
interface RequestNotes {
  /** Kind of the caller; null before it is known and for refused credentials. */
  caller: string | null
  /** Workspace of the caller's credential, or else of the request's object; null without one. */
  workspaceId: string | null
  keyId: string | null
  /** Event that the request concerns, as far as its path names it or a part of it. */
  eventId: string | null
  /** Client address; null when the log omits it. */
  address: string | null
}

export const noteCaller = (notes: RequestNotes, principal: Principal): void => {
  notes.caller = principal.kind
  if (principal.kind === "key" || principal.kind === "session") notes.workspaceId = principal.workspaceId
  if (principal.kind === "key") notes.keyId = principal.keyId
}

/** Optional members of access scopes. */
interface Found {
  readonly workspaceId?: string
  readonly event?: { readonly id: string; readonly workspaceId: string }
  readonly eventId?: string
  readonly recording?: { readonly eventId: string }
  readonly clip?: { readonly eventId: string }
}

/** A caller whose credential names no workspace counts for the workspace of the accessed object. */
export const noteScope = (notes: RequestNotes, found: Found): void => {
  const { workspaceId, event, eventId, recording, clip } = found
  notes.workspaceId ??= workspaceId ?? event?.workspaceId ?? null
  notes.eventId = event?.id ?? eventId ?? (recording ?? clip)?.eventId ?? null
}

export interface HttpRequest {
  readonly method: string
  /** Path without the query, as sent. */
  readonly path: string
  /** Path parameters by name, percent-decoded. */
  readonly params: { readonly [name: string]: string }
  /** Raw query string, without the question mark. */
  readonly query: string
  /** Header values by lower-case name. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
  /** Client address used for limits; empty where no limit uses it. */
  readonly client: string
  /** Whether the client has closed the connection and will not receive the answer. */
  readonly isGone: () => boolean
  readonly requestId: string
  readonly notes: RequestNotes
}

export interface HttpResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | Uint8Array
}

const LONGEST_DEVICE = 300

/** The caller's program by its own description: `user-agent` reduced to printable ASCII (RFC 9110 §10.1.5); null when nothing remains. */
export const deviceOf = ({ headers }: Pick<HttpRequest, "headers">): string | null =>
  headers["user-agent"]
    ?.replaceAll(/[^ -~]/g, "")
    .trim()
    .slice(0, LONGEST_DEVICE) || null

/** The query as read by both checks and handlers: the last value of a repeated parameter counts. */
export const queryOf = ({ query }: Pick<HttpRequest, "query">): { readonly [name: string]: string } =>
  query === "" ? {} : Object.fromEntries(new URLSearchParams(query))
