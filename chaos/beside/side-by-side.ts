/** The evidence of a run about two builds side by side, and whether it is enough. */
import type { Ledger } from "../ledger/ledger.ts"
import type { TrafficRow } from "./traffic.ts"

export interface SideBySide {
  /** Names of the builds. */
  readonly before: string
  readonly after: string
  /** Of the build after alone. */
  readonly migrations: ReadonlyArray<number>
  /** Starts of nodes, by the name of the build. */
  readonly starts: ReadonlyMap<string, number>
  /** For so long both builds served. */
  readonly togetherMs: number
  readonly traffic: ReadonlyArray<TrafficRow>
  readonly unattributed: number
}

/** A node that does not understand a feed message reads the store within a second; one that is not told at all, every five. */
const LATE_MS = 1500
/** A machine that others keep busy delays the announcements within one build too. */
const TIMES_WITHIN_ONE_BUILD = 3

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** A run in which the builds did not deal with each other in both directions has tested nothing. */
export const judgeSideBySide = ({ traffic }: Pick<SideBySide, "traffic">, ledger: Ledger): void => {
  const within = median(traffic.flatMap(({ owner, gateway, lateMs }) => (owner === gateway ? lateMs : [])))
  const most = Math.max(LATE_MS, TIMES_WITHIN_ONE_BUILD * within)
  for (const { owner, gateway, acknowledged, lateMs } of traffic) {
    if (owner === gateway) continue
    const pair = `an owner of ${owner} and a gateway of ${gateway}`
    if (acknowledged === 0) ledger.violate("beside", `not tested: no command passed between ${pair}`)
    if (lateMs.length === 0) ledger.violate("beside", `not tested: no announcement passed between ${pair}`)
    const late = median(lateMs)
    if (late > most) ledger.violate("beside", `announcements between ${pair} come ${late} ms late (p50)`)
  }
}
