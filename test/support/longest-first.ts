/**
 * The order of the test files: those that take longest first, so that the last worker is not left alone with one of them. With
 * `--sequence.shuffle` it is random, by the seed.
 */
import { createHash } from "node:crypto"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By the time that they take, measured; all others follow, in vitest's own order. */
const LONGEST = [
  "gateway/decisions",
  "gateway/matrix",
  "faults/pool",
  "http/fuzz",
  "gateway/revocation-links",
  "e2e/client-activities",
  "http/stage-dead-recorders",
  "http/access",
  "http/recording-parts",
  "http/stage-recorder-faults",
  "client/connecting",
  "gateway/holdings",
  "faults/node-session",
  "faults/broadcasts",
  "http/captions",
  "http/late-captions",
  "webhooks/dispatcher-lifecycle",
  "actors/residents",
  "actors/residence",
  "http/stage-faults",
  "faults/idempotency",
  "gateway/polls",
  "http/rate-limits",
  "webhooks/dispatcher",
  "faults/readiness",
  "faults/node-storage",
  "gateway/departures",
  "http/recording-bytes",
  "gateway/fuzz",
  "gateway/rotation",
  "http/gone-webhooks",
  "http/guest-tokens",
  "actors/tallies.property",
  "gateway/edges",
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
