/** One way to break the server or what it stands on. */
import type { Rollout } from "../beside/rollout.ts"
import type { Chance } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Crowd } from "../load/crowd.ts"
import type { Rest } from "../load/rest.ts"
import type { Site } from "../site/site.ts"

export interface Scenery {
  readonly site: Site
  readonly crowd: Crowd
  readonly rest: Rest
  readonly ledger: Ledger
  /** Of a run with two builds. */
  readonly rollout: Rollout | undefined
  /** For what the fault itself draws. */
  readonly chance: Chance
  /** The fault is over and recovery is measured from now; by default that is when `run` resolves. */
  readonly over: () => void
  /** The owners of these live events are struck now: for how long they are dark is measured. */
  readonly struck: (eventIds: ReadonlyArray<string>) => void
}

export interface Fault {
  readonly name: string
  readonly summary: string
  /** With which database it can be done. */
  readonly on: "external" | "embedded" | "both"
  /** With how many servers it can be done; with any number when it is absent. */
  readonly nodes?: "one" | "several"
  /** It needs a second build. */
  readonly beside?: true
  /** The server is stopped or gone while it lasts, so that nobody can expect an answer. */
  readonly stopsServer?: true
  /** How long it lasts, in seconds, at least and at most. */
  readonly seconds: readonly [number, number]
  /** Resolves when everything that the fault stopped runs again. */
  readonly run: (scenery: Scenery, ms: number) => Promise<void>
}
