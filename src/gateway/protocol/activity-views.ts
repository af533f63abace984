/** The things people make at a live event, as sockets see them: in `ready`, in dispatches and in replies. */
import { Schema } from "effect"
import { CaptureKind, LobbyPolicy, PollKind, PollResults } from "../../model/activity-commands.ts"
import { PlanNote } from "../../model/breakout-notes.ts"
import { BroadcastId } from "../../model/ids.ts"
import { ParticipantKind } from "../../model/participants.ts"
import { ChatTarget } from "../../model/permissions.ts"
import { QuestionStatus } from "../../model/question.ts"
import { EventRole } from "../../model/roles.ts"
import { Instant } from "../../model/timestamp.ts"

const nullable = Schema.NullOr

export const Counts = Schema.Record(Schema.String, Schema.Int)
export type Counts = typeof Counts.Type

export const QuestionView = Schema.Struct({
  id: Schema.String,
  rev: Schema.Int,
  /** The phase and the room it was asked in. */
  phaseId: nullable(Schema.String),
  roomId: nullable(Schema.String),
  text: Schema.String,
  status: QuestionStatus,
  /** A participant; null for who asked anonymously. */
  authorId: nullable(Schema.String),
  authorName: nullable(Schema.String),
  anonymous: Schema.Boolean,
  pinned: Schema.Boolean,
  votes: Schema.Int,
  createdAt: Instant,
  answer: nullable(Schema.String),
  answerMode: nullable(Schema.Literals(["live", "text"])),
  answeredAt: nullable(Instant),
})
export type QuestionView = typeof QuestionView.Type

export const QaSettings = Schema.Struct({
  /** Null: as the phase is configured. */
  moderated: nullable(Schema.Boolean),
  open: Schema.Boolean,
})
export type QaSettings = typeof QaSettings.Type

export const ChatMessageView = Schema.Struct({
  id: Schema.String,
  rev: Schema.Int,
  to: Schema.Literals(ChatTarget),
  roomId: nullable(Schema.String),
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  text: Schema.String,
  replyTo: nullable(Schema.String),
  at: Instant,
})
export type ChatMessageView = typeof ChatMessageView.Type

/** `counts` (per option, in their order) are there for those who may see them. */
export const PollView = Schema.Struct({
  id: Schema.String,
  rev: Schema.Int,
  question: Schema.String,
  kind: PollKind,
  options: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String })),
  anonymous: Schema.Boolean,
  allowChange: Schema.Boolean,
  results: PollResults,
  status: Schema.Literals(["draft", "open", "closed"]),
  published: Schema.Boolean,
  counts: Schema.optionalKey(Schema.Array(Schema.Int)),
  voters: Schema.optionalKey(Schema.Int),
  createdAt: Instant,
  openedAt: nullable(Instant),
  closedAt: nullable(Instant),
  endsAt: nullable(Instant),
})
export type PollView = typeof PollView.Type

export const PollTally = Schema.Struct({
  id: Schema.String,
  /** Votes per option, in their order. */
  counts: Schema.Array(Schema.Int),
  voters: Schema.Int,
})
export type PollTally = typeof PollTally.Type

/** For staff: voters of a poll or a question without a name, and the addresses they come from. */
export const SignedOutVotes = Schema.Struct({
  /** The poll or the question. */
  of: Schema.String,
  voters: Schema.Int,
  addresses: Schema.Int,
})
export type SignedOutVotes = typeof SignedOutVotes.Type

export const HandView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  note: nullable(Schema.String),
  at: Instant,
})
export type HandView = typeof HandView.Type

export const StageView = Schema.Struct({ state: Schema.Literals(["invited", "on"]), expiresAt: nullable(Instant) })
export type StageView = typeof StageView.Type

export const WaitingView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  kind: ParticipantKind,
  since: Instant,
})
export type WaitingView = typeof WaitingView.Type

export const RoomView = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  count: Schema.Int,
  open: Schema.Boolean,
  rev: Schema.Int,
})
export type RoomView = typeof RoomView.Type

export const BreakoutView = Schema.Struct({
  id: Schema.String,
  phaseId: Schema.String,
  strategy: Schema.Literals(["balanced", "manual", "self"]),
  late: Schema.Literals(["leastLoaded", "ask", "main"]),
  openedAt: Instant,
  endsAt: nullable(Instant),
  /** Set while it is being closed. */
  closesAt: nullable(Instant),
  rev: Schema.Int,
})
export type BreakoutView = typeof BreakoutView.Type

export const BreakoutPlanView = Schema.Struct({
  id: Schema.String,
  strategy: Schema.Literals(["balanced", "manual", "self"]),
  seed: Schema.Int,
  rooms: Schema.Array(Schema.Struct({ name: Schema.String, people: Schema.Array(Schema.String) })),
  unplaced: Schema.Array(Schema.String),
  /** Why it is not what one might expect. */
  notes: Schema.Array(PlanNote),
  at: Instant,
})
export type BreakoutPlanView = typeof BreakoutPlanView.Type

/** A seat in the room's call on a media server. */
export const MediaSeat = Schema.Struct({
  provider: Schema.Literal("livekit"),
  url: Schema.String,
  token: Schema.String,
})
export type MediaSeat = typeof MediaSeat.Type

export const AssignmentView = Schema.Struct({
  roomId: Schema.String,
  name: Schema.String,
  /** Null: until it is closed. */
  endsAt: nullable(Instant),
  media: Schema.optionalKey(MediaSeat),
})
export type AssignmentView = typeof AssignmentView.Type

const Partner = Schema.Struct({ participantId: Schema.String, name: Schema.String })

/** One round for one participant; without a room it is a bye. */
export const RotationRoundView = Schema.Struct({
  n: Schema.Int,
  startsAt: Instant,
  endsAt: Instant,
  roomId: nullable(Schema.String),
  partners: Schema.Array(Partner),
  bye: Schema.Boolean,
  /** They met before; there was nobody new. */
  repeat: Schema.Boolean,
  /** Time to get ready before it starts. */
  leadMs: Schema.Int,
  media: Schema.optionalKey(MediaSeat),
})
export type RotationRoundView = typeof RotationRoundView.Type

export const RotationView = Schema.Struct({
  id: Schema.String,
  phaseId: Schema.String,
  status: Schema.Literals(["round", "break", "paused", "ended"]),
  n: Schema.Int,
  rounds: Schema.Union([Schema.Int, Schema.Literal("exhaust")]),
  roundSeconds: Schema.Int,
  breakSeconds: Schema.Int,
  groupSize: Schema.Int,
  odd: Schema.Literals(["bye", "trio"]),
  startsAt: nullable(Instant),
  endsAt: nullable(Instant),
  remainingMs: nullable(Schema.Int),
  pairs: Schema.Int,
  byes: Schema.Int,
  rev: Schema.Int,
})
export type RotationView = typeof RotationView.Type

export const BroadcastView = Schema.Struct({
  broadcastId: BroadcastId,
  phaseId: Schema.String,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: nullable(Schema.String),
  startedAt: nullable(Instant),
})
export type BroadcastView = typeof BroadcastView.Type

export const CaptureView = Schema.Struct({
  on: Schema.Boolean,
  kinds: Schema.Array(CaptureKind),
  since: nullable(Instant),
})
export type CaptureView = typeof CaptureView.Type

/** What of `ready` is the same for everyone. */
export const ACTIVITY_STATE = {
  questions: Schema.Struct({ top: Schema.Array(QuestionView), ...QaSettings.fields }),
  chat: Schema.Struct({ last: Schema.Array(ChatMessageView), slowMs: Schema.Int }),
  polls: Schema.Array(PollView),
  hands: Schema.Struct({ count: Schema.Int }),
  rooms: Schema.Array(RoomView),
  breakout: nullable(BreakoutView),
  rotation: nullable(RotationView),
  broadcast: nullable(BroadcastView),
  capture: CaptureView,
  lobbyPolicy: LobbyPolicy,
  /** What a host said, for this call and those to come; null: each phase is as it is configured. */
  lobbySaid: nullable(LobbyPolicy),
} as const

/** What staff see on top of it. */
export const STAFF_STATE = {
  moderation: Schema.Struct({ pendingCount: Schema.Int, pending: Schema.Array(QuestionView) }),
  staffChat: Schema.Array(ChatMessageView),
  /** Drafts, and every poll with its counts. */
  staffPolls: Schema.Array(PollView),
  signedOutVotes: Schema.Array(SignedOutVotes),
  handQueue: Schema.Struct({ items: Schema.Array(HandView), rev: Schema.Int }),
  lobby: Schema.Struct({ total: Schema.Int, waiting: Schema.Array(WaitingView) }),
} as const

/** What concerns the participant. */
export const PERSONAL_STATE = {
  mine: Schema.Struct({
    questions: Schema.Array(QuestionView),
    /** Questions voted for. */
    votes: Schema.Array(Schema.String),
  }),
  /** Options voted for, by poll. */
  pollVotes: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  muted: nullable(Schema.Struct({ until: nullable(Instant) })),
  hand: nullable(HandView),
  /** Asked onto the stage until then, or there. */
  stage: nullable(StageView),
  /** In the main room, where there is a media server and the participant has a seat. */
  media: Schema.optionalKey(MediaSeat),
  assignment: nullable(AssignmentView),
  /** The newest messages of the room. */
  roomChat: Schema.Array(ChatMessageView),
  round: nullable(RotationRoundView),
  optedOut: Schema.Boolean,
  /** Tallies shown only to those who voted, where the participant did. */
  hearsPolls: Schema.Array(PollTally),
} as const
