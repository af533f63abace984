/** The caller of a REST request, for what counts callers or works for them in turn. */
import { Context } from "effect"

export interface RequestCaller {
  /** As it counts for limits; empty where no limit wants it. */
  readonly address: string
  /** The request has been given up: nobody waits for its answer. */
  readonly isGone: () => boolean
}

/** Set for each request. */
export const RequestCaller = Context.Reference<RequestCaller>("gathercue/RequestCaller", {
  defaultValue: () => ({ address: "", isGone: () => false }),
})
