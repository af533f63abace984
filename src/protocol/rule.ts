/**
 * Permission rules: which roles may do something in which modality, with which feature of the phase, and with which setting of the event
 * for anonymous viewers. A rule is part of a command's contract; `permit` is the only reader of rules.
 */

import { type Modality, narrowRole } from "../model/modality.ts"
import type { ParticipantKind } from "../model/participants.ts"
import type { Feature } from "../model/phase.ts"
import type { EventRole } from "../model/roles.ts"

/** The role that a rule checks. Anonymous viewers have a separate one: the event may let them ask and vote. */
export type ActingRole = EventRole | "anonymous"

/** An anonymous viewer acts as `anonymous` until a host gives them another role than viewer. */
export const actingAs = ({ kind, role }: { readonly kind: ParticipantKind; readonly role: EventRole }): ActingRole =>
  kind === "anonymous" && role === "viewer" ? "anonymous" : role

type Roles = ReadonlyArray<ActingRole>
/** `none`: no phase is active. */
type Setting = Modality | "none"
/** The permitted roles by modality, after narrowing by the active phase. In an absent modality the rule permits no role. */
export type RolesByModality = { readonly [S in Setting]?: Roles }

export interface Rule {
  readonly allowed: RolesByModality
  /** The active phase must have this feature. */
  readonly feature?: Feature
  /** The event setting that permits the command to anonymous viewers. */
  readonly anonymous?: "questions" | "voting"
}

export const STAFF: Roles = ["workspace_admin", "host"]
export const STAGE: Roles = [...STAFF, "speaker"]
/** Participants of a call. */
export const CALL: Roles = [...STAFF, "participant"]
/** Everyone with a name. */
export const AUDIENCE: Roles = [...STAGE, "participant", "viewer"]
export const EVERYONE: Roles = [...AUDIENCE, "anonymous"]

export const everywhere = (roles: Roles): RolesByModality => ({
  broadcast: roles,
  meeting: roles,
  breakout: roles,
  rotation: roles,
  none: roles,
})
export const inCalls = (roles: Roles): RolesByModality => ({ meeting: roles, breakout: roles, rotation: roles })

/** The facts about an event on which its rules depend. */
export interface PhaseTraits {
  /** Modality of the active phase; null when none is active. */
  readonly modality: Modality | null
  readonly featureSet: ReadonlyArray<Feature>
  /** The permissions of anonymous viewers at the event. */
  readonly anonymous: { readonly questions: boolean; readonly voting: boolean }
}

/** Traits before an event has been read. */
export const NO_TRAITS: PhaseTraits = {
  modality: null,
  featureSet: [],
  anonymous: { questions: false, voting: false },
}

export type Permission = "allowed" | "forbidden" | "wrong_phase" | "feature_disabled"

/** Effective role of a stored role in the phase; anonymous viewers stay anonymous. */
const narrowed = (stored: ActingRole, modality: Modality | null): ActingRole =>
  stored === "anonymous" ? stored : narrowRole(stored, modality)

/**
 * May a participant with this stored role do it now? The first condition that holds decides:
 *
 * | condition                                            | answer             |
 * | ---------------------------------------------------- | ------------------ |
 * | the role may do it in no modality                    | `forbidden`        |
 * | nobody may do it in the active modality              | `wrong_phase`      |
 * | the active phase lacks the feature                   | `feature_disabled` |
 * | the role, or an anonymous viewer here, may not now   | `forbidden`        |
 */
export const permit = (rule: Rule, stored: ActingRole, traits: PhaseTraits): Permission => {
  if (isPermitted(rule, stored, narrowed(stored, traits.modality), traits)) return "allowed"
  const settings = Object.entries(rule.allowed) as ReadonlyArray<[Setting, Roles]>
  const isAllowedIn = ([setting, roles]: readonly [Setting, Roles]): boolean =>
    roles.includes(narrowed(stored, setting === "none" ? null : setting))
  if (!settings.some(isAllowedIn)) return "forbidden"
  if (rule.allowed[traits.modality ?? "none"] === undefined) return "wrong_phase"
  return hasFeature(rule, traits) ? "forbidden" : "feature_disabled"
}

/** The names of the rules that permit it now. */
export const permittedBy = <Name extends string>(
  rules: { readonly [name in Name]: Rule },
  names: ReadonlyArray<Name>,
  stored: ActingRole,
  traits: PhaseTraits,
): ReadonlyArray<Name> => {
  const role = narrowed(stored, traits.modality)
  return names.filter((name) => isPermitted(rules[name], stored, role, traits))
}

const hasFeature = ({ feature }: Rule, { featureSet }: PhaseTraits): boolean =>
  feature === undefined || featureSet.includes(feature)

/** `role`: the stored role, narrowed to the active phase. */
const isPermitted = (rule: Rule, stored: ActingRole, role: ActingRole, traits: PhaseTraits): boolean => {
  const { modality, anonymous } = traits
  const isLet = stored !== "anonymous" || rule.anonymous === undefined || anonymous[rule.anonymous]
  return isLet && rule.allowed[modality ?? "none"]?.includes(role) === true && hasFeature(rule, traits)
}
