/**
 * Modalities of phases and their traits. Code asks for a trait, never for a modality by name, so that a new modality is one row of the
 * table. docs/concepts.md has the rules.
 */
import { Schema } from "effect"
import { named } from "./named.ts"
import { EventRole } from "./roles.ts"

export const Modality = Schema.Literals(["broadcast", "meeting", "breakout", "rotation"]).annotate(named("Modality"))
export type Modality = typeof Modality.Type

interface ModalityTraits {
  /** Roles that may be given at an event with such a phase. */
  readonly roles: ReadonlyArray<EventRole>
  /** True: a stage with an audience, which anybody may watch at a public event; false: a call with a door. */
  readonly isStage: boolean
  /** The speaking role. */
  readonly speaks: EventRole
  /** Effective role of a stored role in the phase; other roles are unchanged. */
  readonly narrowed: Readonly<Partial<Record<EventRole, EventRole>>>
  /** Rooms of the participants: none, breakout rooms from a plan, or the pairs of each round. */
  readonly rooms: "none" | "planned" | "paired"
  /** People outside a room are in one call together. */
  readonly hasMainCall: boolean
}

/** A call: a speaker is a participant like all others. */
const CALL = {
  roles: ["host", "participant"],
  isStage: false,
  speaks: "participant",
  narrowed: { speaker: "participant" },
} as const

export const MODALITIES: Readonly<Record<Modality, ModalityTraits>> = {
  broadcast: {
    roles: ["host", "speaker", "viewer"],
    isStage: true,
    speaks: "speaker",
    narrowed: { participant: "viewer" },
    rooms: "none",
    hasMainCall: false,
  },
  meeting: { ...CALL, rooms: "none", hasMainCall: true },
  breakout: { ...CALL, rooms: "planned", hasMainCall: true },
  // Between rounds, all pairs together are more people than browsers can connect.
  rotation: { ...CALL, rooms: "paired", hasMainCall: false },
}

/** `null`: no phase is active, which is no stage either. */
export const isStage = (modality: Modality | null | undefined): boolean =>
  modality != null && MODALITIES[modality].isStage

/** Whether participants are in rooms, and outside them only temporarily. */
export const hasRooms = (modality: Modality | null): boolean =>
  modality !== null && MODALITIES[modality].rooms !== "none"

/**
 * Roles that may be given at an event: the union over its phases, and always `workspace_admin`. An event without phases accepts no other
 * role yet: its agenda decides which roles there are.
 */
export const acceptedRoles = (modalities: ReadonlyArray<Modality>): ReadonlyArray<EventRole> => {
  const accepted = new Set<EventRole>(["workspace_admin"])
  for (const modality of modalities) for (const role of MODALITIES[modality].roles) accepted.add(role)
  return EventRole.literals.filter((role) => accepted.has(role))
}

/**
 * Effective role of a stored role in the active phase: a speaker in a call is a participant, a participant in a broadcast is audience, a
 * viewer stays seatless. Never widens. Without an active phase the stored role applies.
 */
export const narrowRole = (stored: EventRole, modality: Modality | null): EventRole =>
  (modality === null ? undefined : MODALITIES[modality].narrowed[stored]) ?? stored

/** Whether the role is seen and heard in the phase. */
export const hasSeat = (role: EventRole, modality: Modality): boolean => narrowRole(role, modality) !== "viewer"

/**
 * The nearest role to a person's role that the event has: a missing role becomes participant, else viewer. Never widens. Without phases
 * there is nothing to narrow by: the creator is host and a member is participant, until there are phases.
 */
export const nearestRole = (role: EventRole, modalities: ReadonlyArray<Modality>): EventRole => {
  const accepted = acceptedRoles(modalities)
  if (modalities.length === 0 || accepted.includes(role)) return role
  if (role !== "speaker" && role !== "participant") return role
  return accepted.includes("participant") ? "participant" : "viewer"
}

/** Role of a partner's guest: participant if the event has a call, else viewer. */
export const guestRole = (modalities: ReadonlyArray<Modality>): EventRole => nearestRole("participant", modalities)
