/** Polls: drafted by staff, opened, voted in, closed, published. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { PollKind, PollResults } from "../../model/live/live-values.ts"
import { named } from "../../model/named.ts"
import { lookOf } from "../../model/text/compared.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { CALL, EVERYONE, everywhere, inCalls, type Rule, STAFF } from "../rule.ts"
import { between, DAY_MS, IdReply, OneId } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

/** `hidden`: staff have hidden the written answer, which only they see. */
const PollChoice = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  hidden: optional(Schema.Boolean),
}).annotate(named("PollChoice"))

/** A place of a quiz's board. An anonymous quiz names nobody. People with as many points share a rank, starting at 1. */
const QuizPlace = Schema.Struct({
  rank: Schema.Int,
  participantId: nullable(Schema.String),
  name: nullable(Schema.String),
  points: Schema.Int,
})

/**
 * `counts` (one per option, in the same order) is present for receivers who may see it: votes, or for a ranking points (the first of n
 * options has n, the last one 1). `correct` of a quiz is shown to everyone once it is closed.
 */
export const PollView = Schema.Struct({
  id: Uuid,
  rev: Schema.Int,
  question: Schema.String,
  kind: PollKind,
  /**
   * The options; those of `text` and `wordcloud` are the answers with the most votes, at most 100 that the receiver may see, and for
   * everyone in `ready` and tallies alone.
   */
  options: Schema.Array(PollChoice),
  anonymous: Schema.Boolean,
  allowChange: Schema.Boolean,
  results: PollResults,
  status: Schema.Literals(["draft", "open", "closed"]),
  published: Schema.Boolean,
  counts: optional(Schema.Array(Schema.Int)),
  voters: optional(Schema.Int),
  /** Most options of a vote in a quiz. */
  most: optional(Schema.Int),
  correct: optional(Schema.Array(Schema.String)),
  /** Ten people with the most points of the event's closed quizzes; in `ready` alone. */
  board: optional(Schema.Array(QuizPlace)),
  createdAt: Instant,
  openedAt: nullable(Instant),
  closedAt: nullable(Instant),
  endsAt: nullable(Instant),
})
export type PollView = typeof PollView.Type

export const PollTally = Schema.Struct({
  id: Uuid,
  /** Votes per option, in the order of the options. */
  counts: Schema.Array(Schema.Int),
  voters: Schema.Int,
  /** Present where the voters write the options. */
  options: optional(Schema.Array(PollChoice)),
  /** Ten people with the most points of the event's closed quizzes; present once this one is closed. */
  board: optional(Schema.Array(QuizPlace)),
})
export type PollTally = typeof PollTally.Type

/** Number of anonymous voters of a poll or a question, and of their addresses, for staff. */
export const SignedOutVotes = Schema.Struct({
  /** Id of the poll or question. */
  of: Uuid,
  voters: Schema.Int,
  addresses: Schema.Int,
})
export type SignedOutVotes = typeof SignedOutVotes.Type

const DRAFTING = { allowed: everywhere(STAFF), feature: "polls" } as const satisfies Rule
const RUNNING = { allowed: { broadcast: STAFF, ...inCalls(STAFF) }, feature: "polls" } as const satisfies Rule

const PollReply = Schema.Struct({ poll: PollView })

export const POLL_COMMANDS = {
  "poll.create": activityCommand({
    ...DRAFTING,
    data: Schema.Struct({
      question: LegibleText(500),
      kind: PollKind,
      /** Two or more; steps of the scale, for a rating; none for `text` and `wordcloud`, whose voters write. */
      options: Schema.Array(LegibleText(200)).check(
        Schema.isMaxLength(20),
        Schema.makeFilter(
          (options) => new Set(options.map(lookOf)).size === options.length || "must all look different",
        ),
      ),
      anonymous: optional(Schema.Boolean),
      allowChange: optional(Schema.Boolean),
      results: optional(PollResults),
      /** Positions of the right options of a quiz, starting at 1. */
      correct: optional(Schema.Array(between(1, 20)).check(Schema.isBetweenLength(1, 20))),
      /** Words that no answer of `text` and `wordcloud` may contain. */
      blocked: optional(Schema.Array(LegibleText(40)).check(Schema.isMaxLength(200))),
    }),
    reply: PollReply,
  }),
  "poll.open": activityCommand({
    ...RUNNING,
    data: Schema.Struct({ id: Id, durationMs: optional(between(1000, DAY_MS)) }),
    reply: PollReply,
    revises: "poll",
  }),
  "poll.vote": activityCommand({
    allowed: { broadcast: EVERYONE, ...inCalls(CALL) },
    feature: "polls",
    anonymous: "voting",
    data: Schema.Struct({
      id: Id,
      /** In a ranking in the voter's order, the best first. None takes the vote back. */
      optionIds: Schema.Array(Schema.String.check(Schema.isMaxLength(36))).check(Schema.isMaxLength(20)),
      /** Written answers: one of at most 140 characters for `text`, three of at most 40 for `wordcloud`. */
      texts: optional(Schema.Array(LegibleText(200)).check(Schema.isMaxLength(3))),
    }),
    reply: Schema.Struct({ pollId: Uuid, optionIds: Schema.Array(Schema.String) }),
    revises: "poll",
    rate: "votes",
    needs: "person",
  }),
  "poll.close": activityCommand({ ...RUNNING, data: OneId, reply: PollReply, revises: "poll" }),
  "poll.publish": activityCommand({
    ...RUNNING,
    data: Schema.Struct({ id: Id, on: optional(Schema.Boolean) }),
    reply: PollReply,
    revises: "poll",
  }),
  /** Hides a written answer from everybody but staff, or shows it again. */
  "poll.hide": activityCommand({
    ...RUNNING,
    data: Schema.Struct({
      id: Id,
      optionId: Schema.String.check(Schema.isMaxLength(36)),
      on: optional(Schema.Boolean),
    }),
    reply: PollReply,
  }),
  "poll.delete": activityCommand({ ...DRAFTING, data: OneId, reply: IdReply, revises: "poll" }),
} as const

export const POLL_DISPATCHES = {
  /** A draft is for staff only. */
  "poll.created": ordered(["staff"], PollReply, ["polls"]),
  "poll.opened": ordered(["event"], PollReply, ["polls"]),
  /** The closing time changed. */
  "poll.updated": ordered(["event"], PollReply, ["polls"]),
  "poll.closed": ordered(["event"], PollReply, ["polls"]),
  "poll.published": ordered(["event"], PollReply, ["polls", "agenda"]),
  "poll.deleted": ordered(["event", "staff"], IdReply, ["polls"]),
  "me.pollVoted": ephemeral(["me"], Schema.Struct({ pollId: Uuid, optionIds: Schema.Array(Schema.String) }), ["polls"]),
  "poll.tally": ephemeral(["event", "staff", "poll"], PollTally, ["polls"]),
  /** Dispatch for staff only. */
  "votes.signedOut": ephemeral(["staff"], SignedOutVotes, ["signedOutVotes"]),
} as const
