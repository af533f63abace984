/**
 * The callers of an endpoint, and the object its path names. The contract declares it once: the server resolves it before the
 * body is read, the description's `security` is derived from it, and the tests walk it.
 */
import { Context, Option, type Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { KeyScope } from "../../model/key-rights.ts"

export type Access =
  /** No credentials are read. */
  | "public"
  /** Visible event in the path: not a draft; a private event needs a session or key of its workspace. */
  | "publicEvent"
  /** Recording or clip in the path, if its event is visible to the caller. */
  | "publicAsset"
  /** The event in the path, unless it is a draft or private. Credentials are not read. */
  | "sharedEvent"
  /** Only this server's cookies and the raw query are read, which a browser sends by itself. */
  | "browser"
  /** The event in the path, unless it is a draft. Credentials are not read. */
  | "openEvent"
  /** Optional session token; an invalid one is refused. */
  | "optionalSession"
  /** Visible event in the path and its caller: a session's holder, or a signed-out viewer where that is allowed. */
  | "audienceEvent"
  /** Voter and question in the path, if the question is shown and its event is visible. */
  | "audienceQuestion"
  /** The event in the path and its caller there: an API key, or the holder of a session token of the event. */
  | "liveEvent"
  /** An account session. */
  | "account"
  /** An account session, or the operator's platform key. */
  | "accountOrPlatform"
  /** The operator's platform key. */
  | "platform"
  /** A workspace API key. */
  | "key"
  /** An account session of an account with any tie to the workspace in the path. */
  | "workspaceGuest"
  /** An account session of any member of the workspace in the path. */
  | "workspaceMember"
  /** An account session of an owner of the workspace in the path. */
  | "workspaceOwner"
  /** An account session of an owner or admin of the workspace in the path. */
  | "workspaceAdmin"
  /** An account session of any member of the workspace in the path, or one of its API keys. */
  | "workspaceMemberOrKey"
  /** An account session of an owner or admin of the workspace in the path, or one of its API keys. */
  | "workspaceAdminOrKey"
  /** Management of a workspace that the credential names. */
  | "workspace"
  /** Like `workspace`, for a request that concerns events only: a key limited to some events has access too. */
  | "workspaceEvents"
  /** Management of the event in the path. */
  | "event"
  /** Like `event`, for a request that concerns the whole workspace too: a key limited to some events is refused. */
  | "eventOfWorkspace"
  /** Management of the series in the path. */
  | "series"
  /** Like `event`, with the event's phases. */
  | "agenda"
  /** Management of the event that the phase in the path belongs to. */
  | "phase"
  /** Management of the event that the question in the path belongs to. */
  | "question"
  /** Management of the event that the recording in the path belongs to. */
  | "recording"
  /** Management of the event that the clip in the path belongs to. */
  | "clip"
  /** A workspace API key, and a user of its workspace in the path. */
  | "keyUser"
  /** A workspace API key or the session of an owner or admin, and a user of the workspace in the path. */
  | "user"
  /** Management of the webhook endpoint in the path. */
  | "webhook"
  /** Management of the webhook endpoint that the delivery in the path belongs to. */
  | "webhookDelivery"

export class EndpointAccess extends Context.Service<EndpointAccess, Access>()("gathercue/EndpointAccess") {}

const ACCOUNT_OR_KEY = [{ apiKey: [] }, { accountSession: [] }]
/** No credential, or the session of a viewer. */
const VIEWER = [{}, { workspaceSession: [] }]
/** No credential, or a credential that shows private events. */
const PUBLIC_OR_MORE = [{}, { apiKey: [] }, { accountSession: [] }, { workspaceSession: [] }]
const MANAGEMENT = [{ apiKey: [] }, { accountSession: [] }, { workspaceSession: [] }]

/** OpenAPI security requirements by access. */
export const SECURITY: Readonly<Record<Access, ReadonlyArray<{ readonly [scheme: string]: ReadonlyArray<never> }>>> = {
  public: [],
  publicEvent: PUBLIC_OR_MORE,
  publicAsset: PUBLIC_OR_MORE,
  sharedEvent: [],
  browser: [],
  openEvent: [],
  optionalSession: VIEWER,
  audienceEvent: VIEWER,
  audienceQuestion: VIEWER,
  liveEvent: [{ apiKey: [] }, { workspaceSession: [] }],
  account: [{ accountSession: [] }],
  accountOrPlatform: [{ accountSession: [] }, { platformKey: [] }],
  platform: [{ platformKey: [] }],
  key: [{ apiKey: [] }],
  workspaceGuest: [{ accountSession: [] }],
  workspaceMember: [{ accountSession: [] }],
  workspaceOwner: [{ accountSession: [] }],
  workspaceAdmin: [{ accountSession: [] }],
  workspaceMemberOrKey: ACCOUNT_OR_KEY,
  workspaceAdminOrKey: ACCOUNT_OR_KEY,
  workspace: MANAGEMENT,
  workspaceEvents: MANAGEMENT,
  event: MANAGEMENT,
  eventOfWorkspace: MANAGEMENT,
  series: MANAGEMENT,
  agenda: MANAGEMENT,
  phase: MANAGEMENT,
  question: MANAGEMENT,
  recording: MANAGEMENT,
  clip: MANAGEMENT,
  keyUser: [{ apiKey: [] }],
  user: MANAGEMENT,
  webhook: MANAGEMENT,
  webhookDelivery: MANAGEMENT,
}

/** Endpoint annotation: the scope that an API key needs. */
export class NeededScope extends Context.Service<NeededScope, KeyScope>()("gathercue/NeededScope") {}

/** Group annotation: the scope for the group's endpoints that are not GET and declare no scope of their own. */
export class WriteScope extends Context.Service<WriteScope, KeyScope>()("gathercue/WriteScope") {}

/** Scope that a key needs; null when the endpoint takes no key or answers everybody who may see the event. */
export const scopeOf = ({ annotations, method, identifier }: HttpApiEndpoint.Top): KeyScope | null => {
  const access = Context.getUnsafe(annotations, EndpointAccess)
  if (isPublicRead(access) || SECURITY[access].every((scheme) => !("apiKey" in scheme))) return null
  const needed = Context.getOption(annotations, NeededScope)
  if (Option.isSome(needed)) return needed.value
  if (method === "GET") return "read"
  const write = Context.getOption(annotations, WriteScope)
  if (Option.isSome(write)) return write.value
  throw new Error(`${identifier} takes API keys and names no scope.`)
}

const OPEN: ReadonlySet<Access> = new Set(["public", "openEvent", "sharedEvent", "browser"])

/** Whether the access reads no credentials. Other public routes take an optional session. */
export const takesNoCredentials = (access: Access): boolean => OPEN.has(access)

/** Whether the access is a viewer surface: the caller has a session token or is signed out; no other credential names a viewer. */
export const isViewerSurface = (access: Access): boolean =>
  access === "optionalSession" || access === "audienceEvent" || access === "audienceQuestion"

/** Whether a browser's cookie counts for nothing: the caller has a token or a key, or is signed out. */
export const ignoresCookies = (access: Access): boolean => isViewerSurface(access) || access === "liveEvent"

/** Whether every permitted caller gets the same answer, which may then be cached and revalidated by its ETag. */
export const isPublicRead = (access: Access): boolean =>
  access === "public" || access === "publicEvent" || access === "publicAsset"

/** Endpoint annotation for a POST that changes nothing: its answer may hold personal data and is not kept for an `Idempotency-Key`. */
export class ReadsOnly extends Context.Service<ReadsOnly, true>()("gathercue/ReadsOnly") {}

/** Authenticated POSTs may be repeated under the caller's own `Idempotency-Key`. */
export const isRepeatable = ({ method, annotations }: HttpApiEndpoint.Top): boolean =>
  method === "POST" &&
  !takesNoCredentials(Context.getUnsafe(annotations, EndpointAccess)) &&
  Option.isNone(Context.getOption(annotations, ReadsOnly))

/**
 * Endpoint annotation: the body is read by this schema, which is wider than the described one. The handler checks the rest, so that its
 * refusals are those of the gateway.
 */
export class ReadBy extends Context.Service<ReadBy, Schema.Top>()("gathercue/ReadBy") {}

/**
 * Endpoint annotation for work that is a command to a live event: the live event commits it and recognises a repeat by the command's id. It
 * also marks work that calls a storage outside a transaction: a repeat finds what the first call committed.
 */
export class Commanded extends Context.Service<Commanded, true>()("gathercue/Commanded") {}
