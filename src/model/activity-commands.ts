/**
 * What people at a live event may ask of it besides steering it: the data of each command, by its gateway name. One schema
 * serves the gateway's decoding, the actor's mailbox and the REST calls that do the same.
 */
import { Schema } from "effect"
import { Id } from "./ids.ts"
import { QuestionPatch } from "./question.ts"
import { EventRole } from "./roles.ts"
import { LegibleText, ShownText } from "./shown-text.ts"
import { InstantInput } from "./timestamp.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const optional = Schema.optionalKey
const MAX_PEOPLE = 1000
const DAY_MS = 86_400_000
/** An object all the same, for what may come. */
export const NOTHING = Schema.Record(Schema.String, Schema.Unknown)

export const ParticipantId = Schema.String.check(Schema.isBetweenLength(1, 128))
const People = Schema.Array(ParticipantId).check(Schema.isBetweenLength(1, MAX_PEOPLE))

export const ReactionKind = Schema.Literals(["like", "love", "clap", "laugh", "wow", "sad", "fire", "party"])
export type ReactionKind = typeof ReactionKind.Type

export const CaptureKind = Schema.Literals(["recording", "transcript"])
export type CaptureKind = typeof CaptureKind.Type

export const LobbyPolicy = Schema.Literals(["open", "ask", "closed"])
export type LobbyPolicy = typeof LobbyPolicy.Type

export const PollKind = Schema.Literals(["single", "multi", "rating"])
export const PollResults = Schema.Literals(["live", "afterVote", "onPublish"])

/** One stretch of speech. Interim ones (`final: false`) are replaced by the next of the same `segment`. */
export const TranscriptSegment = Schema.Struct({
  segment: Schema.String.check(Schema.isBetweenLength(1, 64)),
  final: Schema.Boolean,
  speaker: ShownText(0, 200),
  lang: Schema.String.check(Schema.isBetweenLength(2, 35)),
  /** Milliseconds since the event's start. */
  t0: between(0, 10 * DAY_MS),
  t1: between(0, 10 * DAY_MS),
  text: ShownText(1, 2000),
})
export type TranscriptSegment = typeof TranscriptSegment.Type

const Reference = Schema.Struct({ id: Id })
const Switch = Schema.Struct({ id: Id, on: optional(Schema.Boolean) })
const OfPhase = Schema.Struct({ phaseId: optional(Id) })

export const ACTIVITY_COMMANDS = {
  /** To everyone, or to some rooms. */
  announce: Schema.Struct({
    text: LegibleText(1000),
    targets: optional(Schema.Union([Schema.Literal("all"), Schema.Array(Id).check(Schema.isBetweenLength(1, 500))])),
  }),
  "question.ask": Schema.Struct({ text: LegibleText(1000), anonymous: optional(Schema.Boolean) }),
  "question.withdraw": Reference,
  /** Sets the one vote, or takes it back: never toggles. */
  "question.vote": Schema.Struct({ id: Id, on: Schema.Boolean }),
  "question.approve": Reference,
  "question.hide": Reference,
  "question.restore": Reference,
  "question.pin": Switch,
  "question.answer": Schema.Struct({
    id: Id,
    mode: Schema.Literals(["live", "text"]),
    text: optional(LegibleText(4000)),
  }),
  "qa.settings": Schema.Struct({ moderated: optional(Schema.Boolean), open: optional(Schema.Boolean) }),

  "chat.send": Schema.Struct({
    to: Schema.Literals(["event", "room", "staff"]),
    text: LegibleText(2000),
    replyTo: optional(Id),
  }),
  "chat.delete": Reference,
  /** 0 ends slow mode. */
  "chat.slow": Schema.Struct({ perMs: between(0, 3_600_000) }),
  /** Without `until` for good; `on: false` lets them speak again. */
  "participant.mute": Schema.Struct({
    id: ParticipantId,
    until: optional(InstantInput),
    on: optional(Schema.Boolean),
  }),

  "poll.create": Schema.Struct({
    question: LegibleText(500),
    kind: PollKind,
    /** For a rating the steps of the scale. */
    options: Schema.Array(LegibleText(200)).check(Schema.isBetweenLength(2, 20)),
    anonymous: optional(Schema.Boolean),
    allowChange: optional(Schema.Boolean),
    results: optional(PollResults),
  }),
  "poll.open": Schema.Struct({ id: Id, durationMs: optional(between(1000, DAY_MS)) }),
  "poll.vote": Schema.Struct({
    id: Id,
    optionIds: Schema.Array(Schema.String.check(Schema.isMaxLength(36))).check(Schema.isMaxLength(20)),
  }),
  "poll.close": Reference,
  "poll.publish": Switch,
  "poll.delete": Reference,

  "hand.raise": Schema.Struct({ note: optional(LegibleText(200)) }),
  "hand.lower": NOTHING,
  "hand.lowerFor": Schema.Union([Schema.Struct({ id: ParticipantId }), Schema.Struct({ all: Schema.Literal(true) })]),
  "stage.invite": Schema.Struct({ id: ParticipantId }),
  "stage.accept": NOTHING,
  "stage.leave": NOTHING,
  "role.set": Schema.Struct({ id: ParticipantId, role: EventRole }),

  "lobby.admit": Schema.Union([Schema.Struct({ ids: People }), Schema.Struct({ all: Schema.Literal(true) })]),
  "lobby.deny": Schema.Struct({ ids: People, block: optional(Schema.Boolean) }),
  "lobby.policy": Schema.Struct({ mode: LobbyPolicy }),
  "participant.toLobby": Schema.Struct({ id: ParticipantId }),
  "participant.remove": Schema.Struct({ id: ParticipantId, block: optional(Schema.Boolean) }),
  /** Somebody who was removed for good may come back. */
  "participant.unblock": Schema.Struct({ id: ParticipantId }),

  /** Says what would open, without opening it. Either `size` (people a room) or `rooms` (their number, or their names). */
  "breakout.plan": Schema.Struct({
    size: optional(between(1, 1000)),
    rooms: optional(
      Schema.Union([between(1, 500), Schema.Array(LegibleText(100)).check(Schema.isBetweenLength(1, 500))]),
    ),
    strategy: Schema.Literals(["balanced", "manual", "self"]),
    /** Participant to the index of a room. */
    pinned: optional(Schema.Record(ParticipantId, between(0, 499))),
    keepTogether: optional(Schema.Array(People).check(Schema.isMaxLength(500))),
    keepApart: optional(Schema.Array(People).check(Schema.isMaxLength(500))),
    seed: optional(between(0, 4_294_967_295)),
  }),
  "breakout.open": Schema.Struct({
    planId: Id,
    durationMs: optional(between(10_000, DAY_MS)),
    /** Where those go who come later. */
    late: optional(Schema.Literals(["leastLoaded", "ask", "main"])),
  }),
  /** `roomId: null` brings them back to the main room. */
  "breakout.move": Schema.Struct({ id: ParticipantId, roomId: Schema.NullOr(Id) }),
  "breakout.close": Schema.Struct({ graceMs: optional(between(0, 600_000)) }),
  "room.choose": Schema.Struct({ roomId: Id }),
  "room.return": NOTHING,
  "room.help": Schema.Struct({ text: optional(LegibleText(500)) }),

  "rotation.start": Schema.Struct({
    roundSeconds: between(5, 86_400),
    breakSeconds: optional(between(0, 3600)),
    /** `exhaust`: until everybody has met everybody. */
    rounds: Schema.Union([between(1, 1000), Schema.Literal("exhaust")]),
    groupSize: optional(between(2, 20)),
    odd: optional(Schema.Literals(["bye", "trio"])),
  }),
  "rotation.skip": NOTHING,
  "rotation.pause": NOTHING,
  "rotation.resume": NOTHING,
  "rotation.stop": NOTHING,
  "rotation.opt": Schema.Struct({ in: Schema.Boolean }),

  /** By default of the active phase. */
  "broadcast.start": Schema.Struct({ phaseId: optional(Id), playbackUrl: optional(Schema.String) }),
  "broadcast.pause": OfPhase,
  "broadcast.resume": OfPhase,
  "broadcast.stop": OfPhase,

  "capture.start": Schema.Struct({ kinds: Schema.Array(CaptureKind).check(Schema.isBetweenLength(1, 2)) }),
  "capture.stop": NOTHING,
  "transcript.push": Schema.Struct({ segments: Schema.Array(TranscriptSegment).check(Schema.isBetweenLength(1, 20)) }),
} as const satisfies Record<string, Schema.Top>

export type ActivityName = keyof typeof ACTIVITY_COMMANDS
export type ActivityData<T extends ActivityName> = (typeof ACTIVITY_COMMANDS)[T]["Type"]

/** What a moderator does over REST: a patch of any of a question's fields at once. */
export const ModerateQuestion = Schema.Struct({ id: Id, patch: QuestionPatch })
