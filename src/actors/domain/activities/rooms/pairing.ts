/** The groups of the next round, as a pairing found them. */
import type { RotationState, RoundGroup } from "../../../../model/pairing/rotation-pairing.ts"

export interface Pairing {
  readonly state: RotationState
  readonly groups: ReadonlyArray<RoundGroup>
  readonly byes: ReadonlyArray<string>
}
