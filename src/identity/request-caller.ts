/** The caller of a REST request, for limits and for queues that are fair by caller. */
import { Context } from "effect"

export interface RequestCaller {
  /** As it counts for limits; empty where no limit uses it. */
  readonly address: string
  /** The caller's program, as it named itself; null where it did not. */
  readonly client: string | null
  readonly requestId: string
  /** The request has been given up: its answer is not sent. */
  readonly isGone: () => boolean
}

/** Set for each request. */
export const RequestCaller = Context.Reference<RequestCaller>("gathercue/RequestCaller", {
  defaultValue: () => ({ address: "", client: null, requestId: "", isGone: () => false }),
})
