/**
 * The order of the test files: those that take longest first, so that the last worker is not left alone with one of them. With
 * `--sequence.shuffle` it is random, by the seed.
 */
import { createHash } from "node:crypto"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By the time that they take, measured; all others follow, in vitest's own order. */
const LONGEST = [
  "gateway/matrix",
  "http/openapi",
  "http/fuzz",
  "gateway/rotation",
  "e2e/process",
  "http/stage-recorder-faults",
  "http/stage-dead-recorders",
  "http/stage-faults",
  "faults/pool",
  "faults/idempotency",
  "http/recordings",
  "gateway/replay.property",
  "faults/start",
  "gateway/floods",
  "actors/tallies.property",
  "http/guest-tokens",
  "gateway/polls",
  "webhooks/dispatcher",
  "gateway/fuzz",
  "imports",
  "e2e/examples",
  "actors/residence",
  "gateway/signed-out-votes",
  "gateway/stage",
  "e2e/crash",
  "gateway/known",
  "media/captions.property",
  "gateway/departures",
  "gateway/return",
  "http/rate-limits",
  "http/access",
  "gateway/edges",
  "gateway/breakout-end",
  "e2e/client",
  "webhooks/dispatcher-lifecycle",
  "gateway/presence",
]

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return at === -1 ? LONGEST.length : at
}

/** Places files in an order that depends on the seed alone, not on the machine. */
const lot = ({ moduleId }: TestSpecification, seed: number): string =>
  createHash("sha256")
    .update(`${seed} ${moduleId.slice(moduleId.lastIndexOf("/test"))}`)
    .digest("hex")

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    if (shuffle === true) return files.toSorted((a, b) => (lot(a, seed) < lot(b, seed) ? -1 : 1))
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
