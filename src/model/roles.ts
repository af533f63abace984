/**
 * Roles in a workspace and on an event (specification §2); `modality.ts` has the effect of a phase on them.
 */
import { Schema } from "effect"
import { named } from "./named.ts"

export const WorkspaceRole = Schema.Literals(["owner", "admin", "member"]).annotate(named("WorkspaceRole"))
export type WorkspaceRole = typeof WorkspaceRole.Type

export const EventRole = Schema.Literals(["workspace_admin", "host", "speaker", "participant", "viewer"]).annotate(
  named("EventRole"),
)
export type EventRole = typeof EventRole.Type

/** A stored role that hosts, or speaks in a broadcast: shown by name however large the audience is. */
export const isOnStage = (role: EventRole): boolean => role !== "viewer" && role !== "participant"

/** Staff steer the event: hosts, and administrators of the workspace. */
export const isStaff = (role: EventRole): boolean => role === "host" || role === "workspace_admin"

/** The role of a workspace member who has no membership on the event: owners and admins host, members take part. */
export const defaultEventRole = (role: WorkspaceRole): EventRole => (role === "member" ? "participant" : "host")
