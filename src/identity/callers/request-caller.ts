/** The caller of a REST request, for limits and for queues that are fair by caller. */
import { Context } from "effect"

export interface RequestCaller {
  /** As it counts for limits; empty where no limit uses it. */
  readonly address: string
  /** The request has been given up: its answer is not sent. */
  readonly isGone: () => boolean
}

/** Set for each request. */
export const RequestCaller = Context.Reference<RequestCaller>("gathercue/RequestCaller", {
  defaultValue: () => ({ address: "", isGone: () => false }),
})
