/** The roles that may send a command, computed with the rule itself, so that the description equals the server. */

import { Modality, narrowRole } from "../../model/modality.ts"
import { Feature } from "../../model/phase.ts"
import { EventRole } from "../../model/roles.ts"
import type { CommandName } from "../../protocol/contract.ts"
import { can } from "../../protocol/permissions.ts"
import type { ActingRole, PhaseTraits } from "../../protocol/rule.ts"

/** The modalities of the active phase; `none`: no phase is active. */
const SITUATIONS = [...Modality.literals, "none"] as const
type Situation = (typeof SITUATIONS)[number]

interface Allowed {
  /** By modality, or `none`: roles as the active phase narrows them (`me.role`). */
  readonly roles: { readonly [situation: string]: ReadonlyArray<ActingRole> }
  /** The features that the active phase must have. */
  readonly features: ReadonlyArray<Feature>
}

/** Anonymous viewers last, for an event that allows them everything it can. */
const ROLES: ReadonlyArray<ActingRole> = [...EventRole.literals, "anonymous"]
const LENIENT: PhaseTraits["anonymous"] = { questions: true, voting: true }

const modalityOf = (situation: Situation): Modality | null => (situation === "none" ? null : situation)

/** Does the situation leave the role unchanged? */
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
