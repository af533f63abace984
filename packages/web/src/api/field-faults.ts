/** Faults of single values for which a request or a command was refused. */
import { CommandRefused, RestProblem } from "@gathercue/client"
import { faultsIn } from "./faults-in.ts"

const NONE: ReadonlyMap<string, string> = new Map()

/** Reasons by the paths of the values. */
export const fieldFaultsOf = (error: unknown): ReadonlyMap<string, string> => {
  if (error instanceof RestProblem && error.code === "bad_request") return faultsIn(error.message)
  if (error instanceof CommandRefused && error.refusal.code === "bad_request") return faultsIn(error.refusal.message)
  return NONE
}

/** Faults of a failure that belong to no field, in the page's words. */
export class OtherFaults extends Error {
  override readonly name = "OtherFaults"
}
