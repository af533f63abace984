/**
 * Grants name their basis and are valid as long as it is. The session token of a workspace's user is based on the login or the API key that
 * it was minted from. A gateway token and an open socket have the same basis, and their role depends on the user's current state at the
 * event, whatever the token contains. One statement reads all of it, for one request or for thousands of sockets, and the rules below judge
 * it.
 */
import { Schema } from "effect"
import type { EventStatus, Visibility } from "./event.ts"
import { type Modality, nearestRole } from "./modality.ts"
import { defaultEventRole, type EventRole, type WorkspaceRole } from "./roles.ts"

/** The basis of a session of a workspace's user, without which the session is invalid. */
export const Basis = Schema.Struct({
  userId: Schema.String,
  workspaceId: Schema.String,
  /** Incremented when the user's account leaves or is removed from the workspace. */
  sessionVersion: Schema.Int,
  /** Login of an account, and the version of its credentials at that time: a new password invalidates older tokens. */
  login: Schema.NullOr(
    Schema.Struct({ accountId: Schema.String, sessionId: Schema.String, credentialsVersion: Schema.Int }),
  ),
  /** The API key that vouched for the user, if no account did. */
  keyId: Schema.NullOr(Schema.String),
})
export type Basis = typeof Basis.Type

/** Current state of what a basis names, and of its user at an event, if the query named one. */
export interface GrantState {
  /** The user exists, and their sessions have not been ended. */
  readonly userHolds: boolean
  /** The login has not ended, and the password is unchanged; true if there was no login. */
  readonly loginHolds: boolean
  /** The key is active; true if there was none. */
  readonly keyHolds: boolean
  readonly name: string | null
  /** The account's role in the workspace. */
  readonly workspaceRole: WorkspaceRole | null
  /** The user's stored role at the event. */
  readonly eventRole: EventRole | null
  /** Null: no such event, or the query named none. */
  readonly event: {
    readonly status: EventStatus
    readonly visibility: Visibility
    readonly modalities: ReadonlyArray<Modality>
  } | null
}

export const holds = ({ userHolds, loginHolds, keyHolds }: GrantState): boolean => userHolds && loginHolds && keyHolds

/** Access of a user to an event that admits them. */
export interface EventAccess {
  /** The stored role, else the one from workspace membership, else participant; narrowed to the roles of the event. */
  readonly role: EventRole
  /** The user has neither a stored role nor a workspace role, and may have to wait in the lobby. */
  readonly walkIn: boolean
  /** The user is an owner or admin of the workspace, whatever their role at the event. */
  readonly manages: boolean
}

/** `undefined`: a private event at which the user has no role, or no such event. */
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
