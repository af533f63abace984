/** Caller of a REST request, for limits and for queues that are fair by caller. */
import { Context } from "effect"

export interface RequestCaller {
  /** Address used for limits; empty where no limit uses it. */
  readonly address: string
  /** Client program by its own description; null without one. */
  readonly client: string | null
  readonly requestId: string
  /** Whether the request has been given up, so that its answer is not sent. */
  readonly isGone: () => boolean
}

/** Set for each request. */
export const RequestCaller = Context.Reference<RequestCaller>("gathercue/RequestCaller", {
  defaultValue: () => ({ address: "", client: null, requestId: "", isGone: () => false }),
})
