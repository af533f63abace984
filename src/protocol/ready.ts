/** The state of an event in `ready`: parts for everyone, for staff in addition, and for one participant. */
import { Schema, Struct } from "effect"
import { Uuid } from "../model/ids.ts"
import { ChatTarget, LobbyPolicy } from "../model/live/live-values.ts"
import { EventRole } from "../model/roles.ts"
import { Instant } from "../model/timestamp.ts"
import { EventView, PhaseView, TimerView } from "./messages/agenda.ts"
import { AssignmentView, BreakoutView, RoomView } from "./messages/breakouts.ts"
import { ChatMessageView } from "./messages/chat.ts"
import { Cursors, Position } from "./messages/fields.ts"
import { HandView, StageView } from "./messages/hands.ts"
import { BroadcastView, CaptureView, EncoderView, MediaSeat } from "./messages/media.ts"
import { HostAbsenceView, WaitingView } from "./messages/participants.ts"
import { PollTally, PollView, SignedOutVotes } from "./messages/polls.ts"
import { PresenceView } from "./messages/presence.ts"
import { QaSettings, QuestionView } from "./messages/questions.ts"
import { RotationRoundView, RotationView } from "./messages/rotation.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

/** The same for everyone. */
export const SharedState = Schema.Struct({
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
  /** The policy that a host set, for this call and later ones; null: each phase uses its configuration. */
  lobbySaid: nullable(LobbyPolicy),
  /** The measure in force because no host is there. */
  hostAbsence: nullable(HostAbsenceView),
})
export type SharedState = typeof SharedState.Type

/** For staff alone. */
export const StaffState = Schema.Struct({
  moderation: Schema.Struct({ pendingCount: Schema.Int, pending: Schema.Array(QuestionView) }),
  staffChat: Schema.Array(ChatMessageView),
  /** Drafts, and every poll with its counts. */
  staffPolls: Schema.Array(PollView),
  signedOutVotes: Schema.Array(SignedOutVotes),
  handQueue: Schema.Struct({ items: Schema.Array(HandView), rev: Schema.Int }),
  lobby: Schema.Struct({ total: Schema.Int, waiting: Schema.Array(WaitingView) }),
  /** Participants who were removed for good; `participant.unblock` permits their return. */
  blocked: Schema.Array(Schema.String),
})
export type StaffState = typeof StaffState.Type

/** For one participant. */
export const PersonalState = Schema.Struct({
  mine: Schema.Struct({
    questions: Schema.Array(QuestionView),
    /** Questions that the participant voted for. */
    votes: Schema.Array(Schema.String),
  }),
  /** Options that the participant voted for, by poll. */
  pollVotes: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  muted: nullable(Schema.Struct({ until: nullable(Instant) })),
  hand: nullable(HandView),
  /** The invitation onto the stage with its end, or the place there. */
  stage: nullable(StageView),
  /** In the main room, where the participant has a seat. */
  media: optional(MediaSeat),
  assignment: nullable(AssignmentView),
  /** The newest messages of the room. */
  roomChat: Schema.Array(ChatMessageView),
  round: nullable(RotationRoundView),
  optedOut: Schema.Boolean,
  /** Tallies for voters only, of polls in which the participant voted. */
  hearsPolls: Schema.Array(PollTally),
})
export type PersonalState = typeof PersonalState.Type

/** The receiver itself: its role in the active phase and the commands it may send now. */
export const Me = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  can: Schema.Array(Schema.String),
  /** The places in the chat that it may write to. */
  chatTo: Schema.Array(ChatTarget),
  roomId: nullable(Uuid),
})
export type Me = typeof Me.Type

export const ReadyReason = Schema.Literals(["new", "gap", "epoch", "expired", "roleChanged"])
export type ReadyReason = typeof ReadyReason.Type

/** For staff alone, and no part of the numbered state. Null: no encoder and no viewer has asked for the broadcast lately. */
const EncoderOfStaff = optional(nullable(EncoderView))

/**
 * The state at version `v`. Dispatches that follow continue each stream directly after `cursors`. With `resumed: false` it is the
 * whole state, which replaces everything that the client held.
 */
export const Ready = Schema.Union([
  Schema.Struct({
    resumed: Schema.Literal(false),
    reason: ReadyReason,
    epoch: Schema.String,
    v: Position,
    cursors: Cursors,
    /** Unix milliseconds. */
    serverTime: Schema.Int,
    tokenExpiresAt: Instant,
    me: Me,
    event: EventView,
    phase: nullable(PhaseView),
    phases: Schema.Array(PhaseView),
    timers: Schema.Array(TimerView),
    presence: PresenceView,
    ...SharedState.fields,
    ...PersonalState.fields,
    ...Struct.map(StaffState.fields, optional),
    encoder: EncoderOfStaff,
  }),
  Schema.Struct({
    resumed: Schema.Literal(true),
    epoch: Schema.String,
    v: Position,
    cursors: Cursors,
    serverTime: Schema.Int,
    tokenExpiresAt: Instant,
    me: Me,
    /** In the main room; null: no seat. */
    media: optional(nullable(MediaSeat)),
    encoder: EncoderOfStaff,
  }),
])
export type Ready = typeof Ready.Type
