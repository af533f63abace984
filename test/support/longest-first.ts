/** The order of the test files: those that take longest first, so that the last worker is not left alone with one of them. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By the time that they take, measured; all others follow, in vitest's own order. */
const LONGEST = [
  "e2e/process",
  "faults/start",
  "faults/process-lock",
  "faults/pool",
  "gateway/rotation",
  "e2e/crash",
  "faults/idempotency",
  "gateway/matrix",
  "actors/tallies.property",
  "http/fuzz",
  "gateway/polls",
  "actors/votes.property",
  "actors/residence",
  "webhooks/dispatcher-lifecycle",
  "http/rate-limits",
  "http/access",
  "gateway/edges",
  "gateway/return",
  "store/embedded-postgres",
  "webhooks/dispatcher",
  "http/guest-tokens",
  "gateway/known",
  "gateway/breakout-end",
  "gateway/floods",
  "gateway/replay.property",
  "gateway/stage",
]

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return at === -1 ? LONGEST.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
