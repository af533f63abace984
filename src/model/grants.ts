/**
 * Grants name what they rest on and hold no longer than that. A session token of a workspace's user rests on the login or the
 * API key that it was minted from; a gateway token and an open socket rest on the same, and their role on how the user stands at
 * the event now, whatever the token says. One statement reads all of it, for one request or for thousands of sockets, and the
 * rules below judge it.
 */
import { Schema } from "effect"
import type { EventStatus, Visibility } from "./event.ts"
import type { Modality } from "./phase.ts"
import { defaultEventRole, type EventRole, nearestRole, type WorkspaceRole } from "./roles.ts"

/** The things without which a session of a workspace's user is worthless. */
export const Basis = Schema.Struct({
  userId: Schema.String,
  workspaceId: Schema.String,
  /** Raised when the user's account leaves or is removed from the workspace. */
  sessionVersion: Schema.Int,
  /** The login of an account, and the version of its credentials then: a new password makes older tokens worthless. */
  login: Schema.NullOr(
    Schema.Struct({ accountId: Schema.String, sessionId: Schema.String, credentialsVersion: Schema.Int }),
  ),
  /** The API key that vouched for the user, where no account did. */
  keyId: Schema.NullOr(Schema.String),
})
export type Basis = typeof Basis.Type

/** How the things that a basis names stand now, and how its user stands at an event, if one was asked about. */
export interface GrantState {
  /** The user exists and its sessions have not been ended. */
  readonly userHolds: boolean
  /** The login has not ended, and the password is the same; true where there was no login. */
  readonly loginHolds: boolean
  /** The key is active; true where there was none. */
  readonly keyHolds: boolean
  readonly name: string | null
  /** Of the account, in the workspace. */
  readonly workspaceRole: WorkspaceRole | null
  /** The stored role at the event. */
  readonly eventRole: EventRole | null
  /** Null: there is no such event, or none was asked about. */
  readonly event: {
    readonly status: EventStatus
    readonly visibility: Visibility
    readonly modalities: ReadonlyArray<Modality>
  } | null
}

export const holds = ({ userHolds, loginHolds, keyHolds }: GrantState): boolean => userHolds && loginHolds && keyHolds

/** How a user stands at an event that lets them in. */
export interface EventAccess {
  /** The stored role, else the one that belonging to the workspace gives, else taking part; narrowed to what the event has. */
  readonly role: EventRole
  /** Neither stored nor of the workspace: may have to wait in the lobby. */
  readonly walkIn: boolean
  /** An owner or admin of the workspace, whatever role they have here. */
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
