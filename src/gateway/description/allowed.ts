/** Who may send a command, found out by asking the rule itself: so it says what the server does. */
import { type CommandName, can } from "../../model/permissions.ts"
import { Feature, Modality } from "../../model/phase.ts"
import { EventRole, narrowRole } from "../../model/roles.ts"

/** What the active phase may be; `none`: none is active. */
const SITUATIONS = [...Modality.literals, "none"] as const
type Situation = (typeof SITUATIONS)[number]

export interface Allowed {
  /** By modality, or `none`: roles as the active phase narrows them (`me.role`). */
  readonly roles: { readonly [situation: string]: ReadonlyArray<EventRole> }
  /** Those that the active phase must have. */
  readonly features: ReadonlyArray<Feature>
}

const allows = (command: CommandName, role: EventRole, situation: Situation, featureSet: ReadonlyArray<Feature>) =>
  can(role, situation === "none" ? null : { modality: situation, featureSet }, command) === "allowed"

const rolesIn = (command: CommandName, situation: Situation, featureSet: ReadonlyArray<Feature>) =>
  EventRole.literals.filter(
    (role) =>
      narrowRole(role, situation === "none" ? null : situation) === role &&
      allows(command, role, situation, featureSet),
  )

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
