/** Roles in a workspace and at an event (docs/concepts.md); `modality.ts` has the effect of a phase on them. */
import { Schema } from "effect"
import { named } from "./named.ts"

export const WorkspaceRole = Schema.Literals(["owner", "admin", "member"]).annotate(named("WorkspaceRole"))
export type WorkspaceRole = typeof WorkspaceRole.Type

export const EventRole = Schema.Literals(["workspace_admin", "host", "speaker", "participant", "viewer"]).annotate(
  named("EventRole"),
)
export type EventRole = typeof EventRole.Type

/** Whether the stored role hosts, or speaks in a broadcast: such people are listed by name however large the audience is. */
export const isOnStage = (role: EventRole): boolean => role !== "viewer" && role !== "participant"

/** Staff control the event: hosts, and administrators of the workspace. */
export const isStaff = (role: EventRole): boolean => role === "host" || role === "workspace_admin"

/** Role of a workspace member without a membership at the event: owners and admins host, members take part. */
export const defaultEventRole = (role: WorkspaceRole): EventRole => (role === "member" ? "participant" : "host")
