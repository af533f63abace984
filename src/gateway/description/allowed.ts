/** The roles that may send a command, computed with the permission rule itself, so that the description matches the server. */

import { Modality, narrowRole } from "../../model/modality.ts"
import { Feature } from "../../model/phase.ts"
import { EventRole } from "../../model/roles.ts"
import type { CommandName } from "../../protocol/contract.ts"
import { can } from "../../protocol/permissions.ts"
import type { ActingRole, PhaseTraits } from "../../protocol/rule.ts"

/** Modalities of the active phase; `none`: no phase is active. */
const SITUATIONS = [...Modality.literals, "none"] as const
type Situation = (typeof SITUATIONS)[number]

interface Allowed {
  /** Roles as narrowed by the active phase (`me.role`), keyed by modality or `none`. */
  readonly roles: { readonly [situation: string]: ReadonlyArray<ActingRole> }
  /** Features that the active phase must have. */
  readonly features: ReadonlyArray<Feature>
}

/** All roles, with anonymous viewers last, for an event that allows them everything that can be allowed. */
const ROLES: ReadonlyArray<ActingRole> = [...EventRole.literals, "anonymous"]
const LENIENT: PhaseTraits["anonymous"] = { questions: true, voting: true }

const modalityOf = (situation: Situation): Modality | null => (situation === "none" ? null : situation)

/** Whether the situation leaves the role unchanged. */
const isRead = (role: ActingRole, situation: Situation): boolean =>
  role === "anonymous" || narrowRole(role, modalityOf(situation)) === role

const rolesIn = (
  command: CommandName,
  situation: Situation,
  featureSet: ReadonlyArray<Feature>,
): ReadonlyArray<ActingRole> => {
  const traits = { modality: modalityOf(situation), featureSet, anonymous: LENIENT }
  return ROLES.filter((role) => isRead(role, situation) && can(role, traits, command) === "allowed")
}

export const allowedFor = (command: CommandName): Allowed => {
  const everywhere = SITUATIONS.map((situation) => [situation, rolesIn(command, situation, Feature.literals)] as const)
  return {
    roles: Object.fromEntries(everywhere),
    features: Feature.literals.filter((feature) => {
      const others = Feature.literals.filter((other) => other !== feature)
      return everywhere.some(([situation, roles]) => rolesIn(command, situation, others).length < roles.length)
    }),
  }
}
