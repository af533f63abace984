/** Request and result of a handler, typed from its endpoint in the contract. */
import { Context, type Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Caller } from "../../actors/commands.ts"
import type { Visitor } from "../../gateway/requests/visitor.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Failure } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import type { KeyRights } from "../../model/key-rights.ts"
import type { StoredClip, StoredRecording } from "../../model/media/recording.ts"
import type { Phase } from "../../model/phase.ts"
import type { WorkspaceRole } from "../../model/roles.ts"
import type { Credential } from "../../store/accounts/credentials.ts"
import type { AssetRow } from "../../store/events/public-surfaces.ts"
import type { QuestionOwner } from "../../store/events/questions.ts"
import type { StoredSeries } from "../../store/events/series.ts"
import type { UserRow } from "../../store/workspaces/users.ts"
import type { Access } from "../contract/access.ts"

/** The holder of a session token: a user of the workspace, or a guest on one event. */
export type SessionPrincipal = Extract<Principal, { readonly kind: "session" | "attendee" }>

/** Results of each access check, as passed to the handler. */
export interface Scopes {
  readonly public: Record<never, never>
  readonly publicEvent: { readonly event: Event & { readonly phases: ReadonlyArray<Phase> } }
  readonly publicAsset: { readonly asset: AssetRow; readonly event: Event }
  readonly sharedEvent: { readonly event: Event }
  readonly browser: {
    readonly cookie: (name: string) => string | undefined
    readonly queryString: string
    /** Whether a page of this server or of the application led the browser here. */
    readonly isFromOwnPage: boolean
  }
  readonly openEvent: { readonly event: Event }
  readonly optionalSession: { readonly session: SessionPrincipal | null }
  /** `participant` is null for a signed-out caller. */
  readonly audienceEvent: Scopes["publicEvent"] & { readonly participant: Caller | null }
  /** `voter` is null for a browser without a voter cookie. */
  readonly audienceQuestion: Scopes["publicEvent"] & {
    readonly question: QuestionOwner
    readonly voter: Caller | null
  }
  readonly liveEvent: {
    readonly workspaceId: string
    readonly event: Event & { readonly phases: ReadonlyArray<Phase> }
    readonly visitor: Visitor
  }
  readonly account: { readonly accountId: string; readonly sessionId: string }
  /** `accountId` is null for the operator. */
  readonly accountOrPlatform: { readonly accountId: string | null }
  readonly platform: Record<never, never>
  readonly key: { readonly workspaceId: string; readonly keyId: string; readonly rights: KeyRights }
  readonly workspaceGuest: { readonly workspaceId: string; readonly accountId: string; readonly sessionId: string }
  readonly workspaceMember: {
    readonly workspaceId: string
    readonly accountId: string
    readonly sessionId: string
    readonly role: WorkspaceRole
  }
  readonly workspaceOwner: Scopes["workspaceMember"]
  readonly workspaceAdmin: Scopes["workspaceMember"]
  readonly workspaceMemberOrKey: { readonly workspaceId: string }
  /** `accountId` is null for a key. */
  readonly workspaceAdminOrKey: { readonly workspaceId: string; readonly accountId: string | null } & Credential
  /** `accountId` is the caller's account, null for a key. */
  readonly workspace: {
    readonly workspaceId: string
    readonly accountId: string | null
    readonly credential: Credential
  }
  /** `eventIds` lists the events that the caller may see; null for all of the workspace. */
  readonly workspaceEvents: { readonly workspaceId: string; readonly eventIds: ReadonlyArray<string> | null }
  /** `accountId` is the caller's account, null for a key. */
  readonly event: Scopes["workspace"] & { readonly event: Event }
  readonly eventOfWorkspace: Scopes["event"]
  readonly series: { readonly series: StoredSeries }
  readonly agenda: { readonly workspaceId: string; readonly event: Event & { readonly phases: ReadonlyArray<Phase> } }
  readonly phase: { readonly workspaceId: string; readonly eventId: string; readonly phaseId: string }
  readonly question: { readonly workspaceId: string; readonly eventId: string; readonly questionId: string }
  readonly recording: { readonly workspaceId: string; readonly recording: StoredRecording }
  readonly clip: { readonly workspaceId: string; readonly clip: StoredClip }
  readonly keyUser: {
    readonly workspaceId: string
    readonly keyId: string
    readonly user: UserRow & { readonly sessionVersion: number }
  }
  /** `user` belongs to the workspace. */
  readonly user: {
    readonly workspaceId: string
    readonly credential: Credential
    readonly user: UserRow & { readonly accountId: string | null }
  }
  readonly webhook: { readonly workspaceId: string; readonly webhookId: string; readonly credential: Credential }
  readonly webhookDelivery: {
    readonly workspaceId: string
    readonly deliveryId: string
    readonly credential: Credential
  }
}

interface Call<E extends HttpApiEndpoint.ConstraintRequest, A extends Access> {
  readonly params: E["~Params"]["Type"]
  readonly query: E["~Query"]["Type"]
  /** Absent on endpoints annotated `BytesBody`. */
  readonly payload: E["~Payload"]["Type"]
  /** Raw body. */
  readonly bytes: Uint8Array
  readonly scope: Scopes[A]
  /** Path of the request, for `Location` and `Link`. */
  readonly path: string
  /** Media type of the body, in lower case and without parameters. */
  readonly contentType: string
  /** The caller's program by its own description; null without one. */
  readonly device: string | null
  /** Id for the audit log. */
  readonly requestId: string
}

/** Whether a command to a live event is only decided, and not executed (`serve.ts`, `rehearse`). */
export const DryRun = Context.Reference<boolean>("gathercue/DryRun", { defaultValue: () => false })

/** An answer with a status, headers or audit targets beside its body. */
export class Reply<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** Alternative text answer, instead of the body as JSON. */
  readonly text: { readonly contentType: string; readonly content: string } | undefined
  /** Ids for the audit log of all objects acted on, when body and path do not name them. */
  readonly targets: ReadonlyArray<string> | undefined

  constructor(
    body: Body,
    options: {
      status?: number
      headers?: ReadonlyArray<readonly [string, string]>
      text?: { readonly contentType: string; readonly content: string }
      targets?: ReadonlyArray<string>
    },
  ) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? []
    this.text = options.text
    this.targets = options.targets
  }
}

type Body<E extends HttpApiEndpoint.ConstraintRequest> = E["~Success"]["Type"]

type Handle<E extends HttpApiEndpoint.ConstraintRequest, A extends Access> = (
  call: Call<E, A>,
) => Effect.Effect<Body<E> | Reply<Body<E>>, Failure, unknown>

/** Call of a compiled endpoint: its parts were decoded by the endpoint's schemas, whose types are lost here. */
export interface AnyCall {
  readonly params: unknown
  readonly query: unknown
  readonly payload: unknown
  readonly bytes: Uint8Array
  readonly scope: unknown
  readonly path: string
  readonly contentType: string
  readonly device: string | null
  readonly requestId: string
}

export type AnyHandle<Services> = (call: AnyCall) => Effect.Effect<unknown, Failure, Services>

/** A handler names the access it was written for; binding compares it with the contract. */
type Handler<E extends HttpApiEndpoint.ConstraintRequest> = {
  readonly [A in Access]: { readonly access: A; readonly handle: Handle<E, A> }
}[Access]

/** One handler for every endpoint of a group. */
export type Handlers<Group extends HttpApiGroup.Constraint> = {
  readonly [E in HttpApiGroup.Endpoints<Group> as E extends { readonly identifier: infer Name extends string }
    ? Name
    : never]: E extends HttpApiEndpoint.ConstraintRequest ? Handler<E> : never
}

/** Services required by a table of handler groups, inferred from each handler. */
export type ServicesOf<Table> = {
  readonly [Group in keyof Table]: {
    readonly [Name in keyof Table[Group]]: Table[Group][Name] extends {
      readonly handle: (call: never) => Effect.Effect<unknown, unknown, infer Services>
    }
      ? Services
      : never
  }[keyof Table[Group]]
}[keyof Table]
