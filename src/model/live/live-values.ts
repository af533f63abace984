/** Values shared by the records of a live event and the protocol. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { ShownText } from "../text/shown-text.ts"
import { LANGUAGE_TAG, LONGEST_LANGUAGE, SpokenName, SpokenText } from "../text/tidy-text.ts"

const DAY_MS = 86_400_000

/** A distinct schema type, so that the contract of a command can tell which members of its data name participants. */
interface ParticipantIdSchema extends Schema.String {
  readonly names: "participant"
}

const participantId = Schema.String.check(Schema.isBetweenLength(1, 128))
export const ParticipantId: ParticipantIdSchema = Object.assign(participantId, { names: "participant" } as const)

export const ChatTarget = Schema.Literals(["event", "room", "staff"])
export type ChatTarget = typeof ChatTarget.Type

export const ReactionKind = Schema.Literals(["like", "love", "clap", "laugh", "wow", "sad", "fire", "party"])
export type ReactionKind = typeof ReactionKind.Type

export const CaptureKind = Schema.Literals(["recording", "transcript"])
export type CaptureKind = typeof CaptureKind.Type

/** State of a broadcast's encoder. `waiting`: nothing received yet; `lost`: nothing received for ten seconds. */
export const EncoderState = Schema.Literals(["waiting", "receiving", "lost"])
export type EncoderState = typeof EncoderState.Type

/** Reason why the bytes of an encoder were refused, or are not recorded. */
export const IngestFailure = Schema.Struct({ code: Schema.String, detail: Schema.String }).annotate(
  named("IngestFailure"),
)

export const LobbyPolicy = Schema.Literals(["open", "ask", "closed"])
export type LobbyPolicy = typeof LobbyPolicy.Type

/**
 * `ranking` orders the options, `quiz` has right ones and gives points, and in `text` and `wordcloud` the voters write the options
 * (`actors/domain/activities/questions/poll-kinds.ts` has the rules).
 */
export const PollKind = Schema.Literals(["single", "multi", "rating", "ranking", "text", "wordcloud", "quiz"])
export type PollKind = typeof PollKind.Type
export const PollResults = Schema.Literals(["live", "afterVote", "onPublish"])

const Language = Schema.String.check(Schema.isBetweenCodePoints(2, LONGEST_LANGUAGE), Schema.isPattern(LANGUAGE_TAG))

const isForward = Schema.makeFilter(
  ({ t0, t1 }: { readonly t0: number; readonly t1: number }) => t1 >= t0 || "t1: must not be before t0",
)

/** One stretch of speech. An interim segment (`final: false`) is replaced by the next one of the same `segment`. */
export const TranscriptSegment = Schema.Struct({
  segment: ShownText(1, 64),
  final: Schema.Boolean,
  /** A single line; breaks become spaces. */
  speaker: SpokenName(200),
  lang: Language,
  /** Milliseconds since the event's start. */
  t0: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 * DAY_MS })),
  t1: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 * DAY_MS })),
  /** Lines without empty lines between them. */
  text: SpokenText(2000),
  /**
   * Room of a breakout or rotation in which this was said: sent to the people there, and in no transcript of the event. Absent: the main
   * room.
   */
  roomId: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 64))),
})
  .check(isForward)
  .annotate(named("CaptionSegment"))
export type TranscriptSegment = typeof TranscriptSegment.Type

/** Key of a segment. Each room may have its own recogniser, whose ids may repeat in other rooms. No id contains the separator. */
export const segmentKey = ({ segment, roomId }: Pick<TranscriptSegment, "segment" | "roomId">): string =>
  roomId === undefined ? segment : `${roomId}\u001f${segment}`
