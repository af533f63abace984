/** A request and a response as handlers see them: copied out of the socket, without platform types. */
import type { Principal } from "../../identity/callers/principal.ts"

/** What the server learns about a request while it is handled. Its fields change; they are for the access log and for counts alone. */
interface RequestNotes {
  /** The kind of the caller; null before it is known, and for a caller whose credentials were refused. */
  caller: string | null
  /** The workspace of the caller's credential, or else of what the request is about; null where there is none. */
  workspaceId: string | null
  /** The id of the caller's API key. */
  keyId: string | null
  /** The event that the request is about, as far as its address names it or a part of it. */
  eventId: string | null
  /** The client's address; null where the log does not have it. */
  address: string | null
}

export const noteCaller = (notes: RequestNotes, principal: Principal): void => {
  notes.caller = principal.kind
  if (principal.kind === "key" || principal.kind === "session") notes.workspaceId = principal.workspaceId
  if (principal.kind === "key") notes.keyId = principal.keyId
}

/** The members that scopes of access have, where they have them. */
interface Found {
  readonly workspaceId?: string
  readonly event?: { readonly id: string; readonly workspaceId: string }
  readonly eventId?: string
  readonly recording?: { readonly eventId: string }
  readonly clip?: { readonly eventId: string }
}

/** Callers whose credential names no workspace count for the one whose object they were let at. */
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
  /** The client's address as it counts for limits; empty where no limit uses it. */
  readonly client: string
  /** The client has closed the connection and does not receive the answer. */
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

/** The caller's program, as it names itself: `user-agent` without what is not printable ASCII (RFC 9110 §10.1.5); null where there is nothing of it. */
export const deviceOf = ({ headers }: Pick<HttpRequest, "headers">): string | null =>
  headers["user-agent"]
    ?.replaceAll(/[^ -~]/g, "")
    .trim()
    .slice(0, LONGEST_DEVICE) || null

/** The one reading of a query, by those who check a request and by those who answer it: of a parameter that is named twice the last value counts. */
export const queryOf = ({ query }: Pick<HttpRequest, "query">): { readonly [name: string]: string } =>
  query === "" ? {} : Object.fromEntries(new URLSearchParams(query))
