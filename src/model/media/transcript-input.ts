/** A transcript as JSON, in the form that its author sends. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { ShownText } from "../text/shown-text.ts"
import { LANGUAGE_TAG, LONGEST_LANGUAGE } from "../text/tidy-text.ts"

const TEN_DAYS_MS = 10 * 86_400_000
const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: TEN_DAYS_MS }))

const LANGUAGE_OR_NONE = new RegExp(`^$|${LANGUAGE_TAG.source}`)

const SegmentInput = Schema.Struct({
  t0: Milliseconds,
  t1: Milliseconds,
  speaker: Schema.optionalKey(ShownText(0, 200)),
  lang: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(LANGUAGE_OR_NONE), Schema.isMaxLength(LONGEST_LANGUAGE)),
  ),
  text: ShownText(1, 2000),
}).annotate(named("TranscriptSegmentInput"))

export const TranscriptInput = Schema.Struct({
  segments: Schema.Array(SegmentInput).check(Schema.isMaxLength(50_000)),
}).annotate(named("TranscriptInput"))
