/** The caller of an HTTP request at a live event: somebody without a connection. */
import type { Basis } from "../../model/grants.ts"
import type { Ground } from "../../model/links.ts"
import type { Identity } from "../connection/lifecycle.ts"

export interface Visitor {
  readonly eventId: string
  readonly hasEnded: boolean
  readonly identity: Identity
  /** Basis of a user's session; `undefined` for other callers. */
  readonly basis: Basis | undefined
  /** Ground of addresses given to an API key, which is no participant. */
  readonly ground: Ground | undefined
  /** The address in the form that rate limits count. */
  readonly address: string
}
