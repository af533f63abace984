/**
 * Who may call an endpoint, and which object its path names. The contract says it once: the server resolves it before the
 * body is read, the description's `security` is derived from it, and the tests walk it.
 */
import { Context } from "effect"

export type Access =
  /** No credentials are looked at. */
  | "public"
  /** A session token if there is one; a wrong one is refused. */
  | "optionalSession"
  /** An account session. */
  | "account"
  /** An account session, or the operator's platform key. */
  | "accountOrPlatform"
  /** A workspace API key. */
  | "key"
  /** An account session of somebody with any tie to the workspace in the path. */
  | "workspaceGuest"
  /** An account session of any member of the workspace in the path. */
  | "workspaceMember"
  /** An account session of an owner of the workspace in the path. */
  | "workspaceOwner"
  /** An account session of an owner or admin of the workspace in the path. */
  | "workspaceAdmin"
  /** Management of a workspace that the credential names. */
  | "workspace"
  /** Management of the event in the path. */
  | "event"
  /** The same, with the event's phases. */
  | "agenda"
  /** Management of the event that the phase in the path belongs to. */
  | "phase"
  /** A workspace API key, and a user of its workspace in the path. */
  | "keyUser"
  /** Management of the webhook endpoint in the path. */
  | "webhook"
  /** Management of the webhook endpoint that the delivery in the path belongs to. */
  | "webhookDelivery"

export class EndpointAccess extends Context.Service<EndpointAccess, Access>()("gathercue/EndpointAccess") {}

const MANAGEMENT = [{ apiKey: [] }, { accountSession: [] }, { workspaceSession: [] }]

/** OpenAPI security requirements by access. */
export const SECURITY: Readonly<Record<Access, ReadonlyArray<{ readonly [scheme: string]: ReadonlyArray<never> }>>> = {
  public: [],
  optionalSession: [{}, { workspaceSession: [] }],
  account: [{ accountSession: [] }],
  accountOrPlatform: [{ accountSession: [] }, { platformKey: [] }],
  key: [{ apiKey: [] }],
  workspaceGuest: [{ accountSession: [] }],
  workspaceMember: [{ accountSession: [] }],
  workspaceOwner: [{ accountSession: [] }],
  workspaceAdmin: [{ accountSession: [] }],
  workspace: MANAGEMENT,
  event: MANAGEMENT,
  agenda: MANAGEMENT,
  phase: MANAGEMENT,
  keyUser: [{ apiKey: [] }],
  webhook: MANAGEMENT,
  webhookDelivery: MANAGEMENT,
}
