/**
 * Roles in a workspace and on an event, the roles that an event accepts, and the effect of a phase on a stored role.
 * Sources: specification §2 (membership), §3 (narrowing), §4 (assignable roles by modality).
 */
import { Schema } from "effect"
import { named } from "./named.ts"
import type { Modality } from "./phase.ts"

export const WorkspaceRole = Schema.Literals(["owner", "admin", "member"]).annotate(named("WorkspaceRole"))
export type WorkspaceRole = typeof WorkspaceRole.Type

export const EventRole = Schema.Literals(["workspace_admin", "host", "speaker", "participant", "viewer"]).annotate(
  named("EventRole"),
)
export type EventRole = typeof EventRole.Type

const ASSIGNABLE: Record<Modality, ReadonlyArray<EventRole>> = {
  broadcast: ["host", "speaker", "viewer"],
  meeting: ["host", "participant"],
  breakout: ["host", "participant"],
  rotation: ["host", "participant"],
}

/**
 * Roles that may be given on an event: the union over its phases, and always `workspace_admin`. An event without phases accepts
 * no other role yet: its agenda decides which roles there are.
 */
export const acceptedRoles = (modalities: ReadonlyArray<Modality>): ReadonlyArray<EventRole> => {
  const accepted = new Set<EventRole>(["workspace_admin"])
  for (const modality of modalities) for (const role of ASSIGNABLE[modality]) accepted.add(role)
  return EventRole.literals.filter((role) => accepted.has(role))
}

/**
 * A stored role as it reads in the active phase: a speaker in a call is a participant, a participant in a broadcast is
 * audience, a viewer stays seatless. Never widens (specification §3). Without an active phase the stored role stands.
 */
export const narrowRole = (stored: EventRole, modality: Modality | null): EventRole => {
  if (modality === null) return stored
  if (modality === "broadcast") return stored === "participant" ? "viewer" : stored
  return stored === "speaker" ? "participant" : stored
}

/**
 * A person's role, as the nearest one that the event has: a missing role becomes participant, else viewer. Never
 * widens. An event without phases has nothing to narrow by: the creator hosts it, a member is a participant, until it has phases.
 */
export const nearestRole = (role: EventRole, modalities: ReadonlyArray<Modality>): EventRole => {
  const accepted = acceptedRoles(modalities)
  if (modalities.length === 0 || accepted.includes(role)) return role
  if (role !== "speaker" && role !== "participant") return role
  return accepted.includes("participant") ? "participant" : "viewer"
}

/** A partner's guest takes part where the event has a call, and watches where it has none. */
export const guestRole = (modalities: ReadonlyArray<Modality>): EventRole => nearestRole("participant", modalities)

/** A stored role that hosts, or speaks in a broadcast: shown by name however large the audience is. */
export const isOnStage = (role: EventRole): boolean => role !== "viewer" && role !== "participant"

/** Staff steer the event: hosts, and administrators of the workspace. */
export const isStaff = (role: EventRole): boolean => role === "host" || role === "workspace_admin"

/** The role of a workspace member who has no membership on the event: owners and admins host, members take part. */
export const defaultEventRole = (role: WorkspaceRole): EventRole => (role === "member" ? "participant" : "host")
