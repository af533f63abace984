/** What is said of the activities in `op 0`: with a place in a stream, or to be lost without harm. */
import { Schema } from "effect"
import { LobbyPolicy, ReactionKind, TranscriptSegment } from "../../model/activity-commands.ts"
import { Instant } from "../../model/timestamp.ts"
import {
  AssignmentView,
  BreakoutView,
  BroadcastView,
  CaptureView,
  ChatMessageView,
  Counts,
  HandView,
  PollTally,
  PollView,
  QaSettings,
  QuestionView,
  RoomView,
  RotationRoundView,
  RotationView,
  SignedOutVotes,
  StageView,
  WaitingView,
} from "./activity-views.ts"

const nullable = Schema.NullOr
const Person = Schema.Struct({ participantId: Schema.String, name: nullable(Schema.String) })

export const ACTIVITY_DISPATCHES = {
  announcement: Schema.Struct({ id: Schema.String, text: Schema.String, by: nullable(Person), at: Instant }),

  "question.created": Schema.Struct({ question: QuestionView }),
  "question.updated": Schema.Struct({ question: QuestionView }),
  /** `hidden`: for the audience it is gone; staff keep it, as the `question.updated` of their stream has it. */
  "question.removed": Schema.Struct({ id: Schema.String, rev: Schema.Int, hidden: Schema.Boolean }),
  "qa.settings": QaSettings,

  "chat.message": Schema.Struct({ message: ChatMessageView }),
  "chat.deleted": Schema.Struct({ ids: Schema.Array(Schema.String) }),
  "chat.settings": Schema.Struct({ slowMs: Schema.Int }),
  "me.muted": Schema.Struct({ muted: Schema.Boolean, until: nullable(Instant) }),

  /** Drafts are told to staff only. */
  "poll.created": Schema.Struct({ poll: PollView }),
  "poll.opened": Schema.Struct({ poll: PollView }),
  /** It closes at another time. */
  "poll.updated": Schema.Struct({ poll: PollView }),
  "poll.closed": Schema.Struct({ poll: PollView }),
  "poll.published": Schema.Struct({ poll: PollView }),
  "poll.deleted": Schema.Struct({ id: Schema.String }),

  /** What changed of the queue that is shown, the longest up first: hands that are new or another now, and whose are gone. */
  "hand.queue": Schema.Struct({
    add: Schema.Array(HandView),
    remove: Schema.Array(Schema.String),
    rev: Schema.Int,
  }),
  /** The receiver raised or lowered their own, in whichever tab. */
  "me.hand": Schema.Struct({ hand: nullable(HandView) }),
  /** Somebody else lowered the receiver's hand. */
  "hand.lowered": Schema.Struct({}),
  "stage.invited": Schema.Struct({ expiresAt: Instant }),
  /** The receiver came onto the stage, or left it, in whichever tab. */
  "me.stage": Schema.Struct({ stage: nullable(StageView) }),

  "lobby.waiting": Schema.Struct({ add: Schema.Array(WaitingView), remove: Schema.Array(Schema.String) }),
  "lobby.settings": Schema.Struct({ mode: LobbyPolicy }),

  "breakout.opened": Schema.Struct({ breakout: BreakoutView, rooms: Schema.Array(RoomView) }),
  "breakout.updated": Schema.Struct({ breakout: BreakoutView }),
  "breakout.closing": Schema.Struct({ breakout: BreakoutView }),
  "breakout.closed": Schema.Struct({ id: Schema.String }),
  "room.updated": Schema.Struct({ room: RoomView }),
  "assignment.updated": AssignmentView,
  "assignment.ended": Schema.Struct({ roomId: Schema.String, returnAt: Instant }),
  "room.help": Schema.Struct({ roomId: Schema.String, by: Person, text: nullable(Schema.String), at: Instant }),

  "rotation.round": RotationRoundView,
  "rotation.partnerLeft": Schema.Struct({ participantId: Schema.String, n: Schema.Int }),
  "rotation.state": Schema.Struct({ rotation: RotationView }),
  /** The receiver takes part in rotations, or sits them out, as they said in whichever tab. */
  "me.opted": Schema.Struct({ in: Schema.Boolean }),

  "broadcast.live": Schema.Struct({ broadcast: BroadcastView }),
  "broadcast.paused": Schema.Struct({ broadcast: BroadcastView }),
  "broadcast.ended": Schema.Struct({ broadcast: BroadcastView }),

  "capture.state": CaptureView,
  "transcript.segment": TranscriptSegment,
} as const satisfies Record<string, Schema.Top>

/** Replaced by their next, never replayed. */
export const ACTIVITY_EPHEMERALS = {
  "question.votes": Schema.Struct({ votes: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])) }),
  /** How the receiver voted, in whichever tab. */
  "me.voted": Schema.Struct({ questionId: Schema.String, on: Schema.Boolean }),
  "me.pollVoted": Schema.Struct({ pollId: Schema.String, optionIds: Schema.Array(Schema.String) }),
  "poll.tally": PollTally,
  /** For staff. */
  "votes.signedOut": SignedOutVotes,
  "reaction.tally": Schema.Struct({
    windowMs: Schema.Int,
    /** By kind; those that did not occur are absent. */
    counts: Schema.Record(ReactionKind, Schema.optionalKey(Schema.Int)),
    total: Schema.Int,
  }),
  "hand.count": Schema.Struct({ n: Schema.Int }),
  /** Interim ones; the final one has a place in the stream. */
  "transcript.interim": TranscriptSegment,
  /** To who waits to be let in. `admitted`: a `ready` follows. */
  "lobby.status": Schema.Struct({ state: Schema.Literals(["waiting", "admitted", "denied"]) }),
  /** Which streams this connection hears from now on and where they stand, and which it hears no more. */
  subscribed: Schema.Struct({ cursors: Counts, dropped: Schema.Array(Schema.String) }),
} as const satisfies Record<string, Schema.Top>
