/**
 * Who may send which gateway command: the one table. It drives the server's checks, `me.can`, and the generated docs.
 * A command asks for three things at once: a role, a modality that has such a thing, and (for some) a feature of the phase.
 */
import type { Feature, Modality } from "./phase.ts"
import { type EventRole, narrowRole } from "./roles.ts"

export type CommandName =
  | "phase.next"
  | "phase.update"
  | "event.end"
  | "timer.extend"
  | "announce"
  | "participant.remove"
  | "roster.list"
  | "leave"
  | "sync"

interface Rule {
  /** Roles after narrowing by the active phase. */
  readonly roles: ReadonlyArray<EventRole>
  readonly modalities: ReadonlyArray<Modality> | "any"
  /** The active phase must have this feature. */
  readonly feature?: Feature
}

const STAFF: ReadonlyArray<EventRole> = ["workspace_admin", "host"]
const EVERYONE: ReadonlyArray<EventRole> = ["workspace_admin", "host", "speaker", "participant", "viewer"]

export const PERMISSIONS: Readonly<Record<CommandName, Rule>> = {
  "phase.next": { roles: STAFF, modalities: "any" },
  "phase.update": { roles: STAFF, modalities: "any" },
  "event.end": { roles: STAFF, modalities: "any" },
  "timer.extend": { roles: STAFF, modalities: "any" },
  announce: { roles: STAFF, modalities: "any" },
  "participant.remove": { roles: STAFF, modalities: "any" },
  "roster.list": { roles: EVERYONE, modalities: "any" },
  leave: { roles: EVERYONE, modalities: "any" },
  sync: { roles: EVERYONE, modalities: "any" },
}

/** What of the active phase decides; `null` when none is active (before the start, or an event without phases). */
export interface PhaseTraits {
  readonly modality: Modality
  readonly featureSet: ReadonlyArray<Feature>
}

export type Permission = "allowed" | "forbidden" | "wrong_phase" | "feature_disabled"

/** May a participant with this stored role send the command now? The refusal says which of the three was missing. */
export const can = (stored: EventRole, phase: PhaseTraits | null, command: CommandName): Permission => {
  const rule = PERMISSIONS[command]
  if (!rule.roles.includes(narrowRole(stored, phase?.modality ?? null))) return "forbidden"
  if (rule.modalities !== "any" && (phase === null || !rule.modalities.includes(phase.modality))) return "wrong_phase"
  if (rule.feature !== undefined && !phase?.featureSet.includes(rule.feature)) return "feature_disabled"
  return "allowed"
}

/** Every command the participant may send now, for `me.can`. */
export const allowedCommands = (stored: EventRole, phase: PhaseTraits | null): ReadonlyArray<CommandName> =>
  (Object.keys(PERMISSIONS) as ReadonlyArray<CommandName>).filter(
    (command) => can(stored, phase, command) === "allowed",
  )
