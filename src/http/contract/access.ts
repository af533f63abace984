/**
 * The callers of an endpoint, and the object its path names. The contract declares it once: the server resolves it before the
 * body is read, the description's `security` is derived from it, and the tests walk it.
 */
import { Context, Option } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { KeyScope } from "../../model/key-rights.ts"

export type Access =
  /** No credentials are read. */
  | "public"
  /** The event in the path if it may be seen: not a draft; a private one with a session or key of its workspace. */
  | "publicEvent"
  /** The recording or clip in the path, if its event may be seen. */
  | "publicAsset"
  /** No credentials are read; the event in the path unless it is a draft or private. */
  | "sharedEvent"
  /** No credentials, but the cookies of this server and the raw query, which a browser sends by itself. */
  | "browser"
  /** No credentials are read; the event in the path, unless it is a draft. */
  | "openEvent"
  /** A session token if there is one; a wrong one is refused. */
  | "optionalSession"
  /**
   * The event in the path if it may be seen, and the caller there: a session's holder, or a signed-out one where that is allowed.
   */
  | "audienceEvent"
  /** The question in the path if it is shown and its event may be seen, and the voter. */
  | "audienceQuestion"
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
  /** The same, for a request that is about events only: a key for some events has it too. */
  | "workspaceEvents"
  /** Management of the event in the path. */
  | "event"
  /** The same, with the event's phases. */
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
/** Nothing at all, or the session of a viewer. */
const VIEWER = [{}, { workspaceSession: [] }]
/** Nothing at all, or a credential that shows private events. */
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

/** On an endpoint: the scope that an API key needs for it. */
export class NeededScope extends Context.Service<NeededScope, KeyScope>()("gathercue/NeededScope") {}

/** On the endpoints of a group: the scope for those that are no GET and need no other. */
export class WriteScope extends Context.Service<WriteScope, KeyScope>()("gathercue/WriteScope") {}

/** The scope that a key needs; null: the endpoint takes no key, or everybody who may see the event gets its answer. */
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

/** No credentials are read, wherever the call comes from. Other public routes take a session if there is one. */
export const takesNoCredentials = (access: Access): boolean => OPEN.has(access)

/** A viewer surface: its caller has a session token, or is signed out; no other credential names a viewer. */
export const isViewerSurface = (access: Access): boolean =>
  access === "optionalSession" || access === "audienceEvent" || access === "audienceQuestion"

/** Every permitted caller gets the same answer: it may be kept and revalidated by its ETag. */
export const isPublicRead = (access: Access): boolean =>
  access === "public" || access === "publicEvent" || access === "publicAsset"

/** On a POST that changes nothing: its answer, which may be personal data, is not kept for an `Idempotency-Key`. */
export class ReadsOnly extends Context.Service<ReadsOnly, true>()("gathercue/ReadsOnly") {}

/** Authenticated POSTs may be repeated under the caller's own `Idempotency-Key`. */
export const isRepeatable = ({ method, annotations }: HttpApiEndpoint.Top): boolean =>
  method === "POST" &&
  !takesNoCredentials(Context.getUnsafe(annotations, EndpointAccess)) &&
  Option.isNone(Context.getOption(annotations, ReadsOnly))

/**
 * On an endpoint whose work is a command to a live event, which commits it: a repeat is known there by the command's id. Also on one whose
 * work calls a storage, for which no transaction waits: a repeat finds what the first call committed.
 */
export class Commanded extends Context.Service<Commanded, true>()("gathercue/Commanded") {}
