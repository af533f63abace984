/**
 * Grants name the basis they rest on and are valid for as long as it is. A session token of a workspace's user rests on the login
 * or the API key that it was minted from. A gateway token and an open socket rest on the same, and their role on the user's
 * present state at the event, whatever the token contains. One statement reads all of it, for one request or for thousands of
 * sockets, and the rules below judge it.
 */
import { Schema } from "effect"
import type { EventStatus, Visibility } from "./event.ts"
import { type Modality, nearestRole } from "./modality.ts"
import { defaultEventRole, type EventRole, type WorkspaceRole } from "./roles.ts"

/** The basis without which a session of a workspace's user is invalid. */
export const Basis = Schema.Struct({
  userId: Schema.String,
  workspaceId: Schema.String,
  /** Raised when the user's account leaves or is removed from the workspace. */
  sessionVersion: Schema.Int,
  /** The login of an account, and the version of its credentials then: a new password invalidates older tokens. */
  login: Schema.NullOr(
    Schema.Struct({ accountId: Schema.String, sessionId: Schema.String, credentialsVersion: Schema.Int }),
  ),
  /** The API key that vouched for the user, where no account did. */
  keyId: Schema.NullOr(Schema.String),
})
export type Basis = typeof Basis.Type

/** The present state of the things that a basis names, and of its user at an event, if the query named one. */
export interface GrantState {
  /** The user exists and its sessions have not been ended. */
  readonly userHolds: boolean
  /** The login has not ended, and the password is unchanged; true where there was no login. */
  readonly loginHolds: boolean
  /** The key is active; true where there was none. */
  readonly keyHolds: boolean
  readonly name: string | null
  /** The account's role in the workspace. */
  readonly workspaceRole: WorkspaceRole | null
  /** The stored role at the event. */
  readonly eventRole: EventRole | null
  /** Null: no such event, or the query named none. */
  readonly event: {
    readonly status: EventStatus
    readonly visibility: Visibility
    readonly modalities: ReadonlyArray<Modality>
  } | null
}

export const holds = ({ userHolds, loginHolds, keyHolds }: GrantState): boolean => userHolds && loginHolds && keyHolds

/** The access of a user to an event that admits the user. */
export interface EventAccess {
  /** The stored role, else the one that workspace membership gives, else participant; narrowed to the roles of the event. */
  readonly role: EventRole
  /** Neither a stored role nor a workspace role: the user may have to wait in the lobby. */
  readonly walkIn: boolean
  /** An owner or admin of the workspace, whatever their role at the event. */
  readonly manages: boolean
}

/** `undefined`: a private event on which the user has no role, or no event. */
export const accessOf = ({ workspaceRole, eventRole, event }: GrantState): EventAccess | undefined => {
  if (event === null) return undefined
  const given = eventRole ?? (workspaceRole === null ? null : defaultEventRole(workspaceRole))
  if (given === null && event.visibility === "private") return undefined
  return {
    role: nearestRole(given ?? "participant", event.modalities),
    walkIn: given === null,
    manages: workspaceRole === "owner" || workspaceRole === "admin",
  }
}
