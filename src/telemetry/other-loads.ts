/** Requests and commands counted by the other processes of the deployment. */
import { Context, Layer } from "effect"
import type { LoadReport } from "./busiest.ts"

export interface OtherReports {
  readonly reports: ReadonlyArray<LoadReport>
  /** The names of the processes that did not answer in time. */
  readonly missing: ReadonlyArray<string>
}

export class OtherLoads extends Context.Service<OtherLoads, { readonly read: () => Promise<OtherReports> }>()(
  "gathercue/OtherLoads",
) {
  /** A process that runs alone has no others to ask. */
  static readonly none = Layer.succeed(OtherLoads, { read: async () => ({ reports: [], missing: [] }) })
}
