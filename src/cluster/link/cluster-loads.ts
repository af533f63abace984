/** The loads that the other nodes counted: each is asked over the link, and those that do not answer soon are named. */
import { Effect, Layer } from "effect"
import { Ownership } from "../../actors/ownership/ownership.ts"
import { currentTimers } from "../../clock/timers.ts"
import { newId } from "../../model/ids.ts"
import type { LoadReport } from "../../telemetry/busiest.ts"
import { OtherLoads, type OtherReports } from "../../telemetry/other-loads.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { NodeLink } from "./node-link.ts"

const ASKED = "loads.asked"
const ANSWERED = "loads.answered"
const ANSWER_WITHIN_MS = 1000
/** Entries of each kind in one answer, the busiest first; about 300 KB. */
const MOST_SENT = 1000

interface Answer {
  readonly ask: string
  readonly node: string
  readonly report: LoadReport
}

interface Open {
  readonly missing: Set<string>
  readonly reports: LoadReport[]
  readonly done: () => void
}

export const clusterLoadsLayer: Layer.Layer<OtherLoads, never, NodeLink | Ownership | Telemetry> = Layer.effect(
  OtherLoads,
  Effect.gen(function* () {
    const link = yield* NodeLink
    const { node, others } = yield* Ownership
    const { busiest } = yield* Telemetry
    const timers = yield* currentTimers
    const open = new Map<string, Open>()

    /** The answer, cut to what fits into one message. */
    const answerTo = (ask: string): string => {
      let text: string
      let most = MOST_SENT
      do {
        const report = busiest.report(timers.now(), process.uptime(), most)
        text = JSON.stringify({ ask, node, report } satisfies Answer)
        most = Math.floor(most / 2)
      } while (most > 0 && Buffer.byteLength(text) > link.mostBytes())
      return text
    }

    link.subscribe(ASKED, (ask) => link.publish(ANSWERED, answerTo(ask)))
    link.subscribe(ANSWERED, (text) => {
      const { ask, node: from, report } = JSON.parse(text) as Answer
      const asked = open.get(ask)
      if (asked?.missing.delete(from) !== true) return
      asked.reports.push(report)
      if (asked.missing.size === 0) asked.done()
    })
    return {
      read: () =>
        new Promise<OtherReports>((resolve) => {
          const missing = new Set(others())
          if (missing.size === 0) return resolve({ reports: [], missing: [] })
          const ask = newId()
          const reports: LoadReport[] = []
          const done = (): void => {
            cancel()
            open.delete(ask)
            resolve({ reports, missing: [...missing].toSorted() })
          }
          const cancel = timers.after(ANSWER_WITHIN_MS, done)
          open.set(ask, { missing, reports, done })
          return link.publish(ASKED, ask)
        }),
    }
  }),
)
