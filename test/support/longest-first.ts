/**
 * The order of the test files: those that take longest first, so that the last worker is not left alone with one of them. With
 * `--sequence.shuffle` it is random, by the seed.
 */
import { createHash } from "node:crypto"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By the time that they take, measured; all others follow, in vitest's own order. */
const LONGEST = [
  "faults/pool",
  "http/access",
  "http/stage-faults",
  "http/stage-broadcasts",
  "actors/residents",
  "faults/broadcasts",
  "faults/node-session",
  "gateway/revocation-links",
  "http/recording-parts",
  "http/fuzz",
  "faults/node-storage",
  "faults/readiness",
  "client/vectors",
  "gateway/matrix",
  "gateway/holdings",
  "client/connecting",
  "actors/residence",
  "faults/process-lock",
  "gateway/decisions",
  "http/captures",
  "http/captions",
  "http/late-captions",
  "gateway/venues",
  "faults/idempotency",
  "gateway/media-arrivals",
  "http/broadcast-ingest",
  "http/broadcast-viewers",
  "http/guest-tokens",
  "http/recordings-s3",
  "http/recording-transcripts",
  "http/emails-to-others",
  "webhooks/dispatcher",
  "http/connections",
  "imports",
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
