/** State of an event in `ready`: a part for everyone, an additional part for staff, and a part for one participant. */
import { Schema, Struct } from "effect"
import { Uuid } from "../model/ids.ts"
import { ChatTarget, LobbyPolicy } from "../model/live/live-values.ts"
import { EventRole } from "../model/roles.ts"
import { Instant } from "../model/timestamp.ts"
import { EventView, PhaseView, TimerView } from "./messages/agenda.ts"
import { PreparedAnnouncementView } from "./messages/announcements.ts"
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

/** Part of the state that is the same for everyone. */
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
  /** The policy set by a host, for this call and later ones; null: each phase uses its configuration. */
  lobbySaid: nullable(LobbyPolicy),
  /** The measure that applies because no host is present. */
  hostAbsence: nullable(HostAbsenceView),
})
export type SharedState = typeof SharedState.Type

/** Part of the state for staff only. */
export const StaffState = Schema.Struct({
  moderation: Schema.Struct({ pendingCount: Schema.Int, pending: Schema.Array(QuestionView) }),
  staffChat: Schema.Array(ChatMessageView),
  /** Announcements to be sent later, the oldest first. */
  preparedAnnouncements: Schema.Array(PreparedAnnouncementView),
  /** Drafts, and every poll with its counts. */
  staffPolls: Schema.Array(PollView),
  signedOutVotes: Schema.Array(SignedOutVotes),
  handQueue: Schema.Struct({ items: Schema.Array(HandView), rev: Schema.Int }),
  lobby: Schema.Struct({ total: Schema.Int, waiting: Schema.Array(WaitingView) }),
  /** Participants who were removed for good; `participant.unblock` permits their return. */
  blocked: Schema.Array(Schema.String),
})
export type StaffState = typeof StaffState.Type

/** Part of the state for one participant. */
export const PersonalState = Schema.Struct({
  mine: Schema.Struct({
    questions: Schema.Array(QuestionView),
    /** Questions for which the participant voted. */
    votes: Schema.Array(Schema.String),
  }),
  /** Options for which the participant voted, by poll. */
  pollVotes: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  muted: nullable(Schema.Struct({ until: nullable(Instant) })),
  hand: nullable(HandView),
  /** The invitation onto the stage with its expiry, or the presence there. */
  stage: nullable(StageView),
  /** The participant's seat in the main room. */
  media: optional(MediaSeat),
  assignment: nullable(AssignmentView),
  /** The newest messages of the room. */
  roomChat: Schema.Array(ChatMessageView),
  round: nullable(RotationRoundView),
  optedOut: Schema.Boolean,
  /** Tallies shown only to voters, of polls in which the participant voted. */
  hearsPolls: Schema.Array(PollTally),
})
export type PersonalState = typeof PersonalState.Type

/** The receiver: their role in the active phase and the commands that they may send now. */
export const Me = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  can: Schema.Array(Schema.String),
  /** Chat targets to which the receiver may write. */
  chatTo: Schema.Array(ChatTarget),
  roomId: nullable(Uuid),
})
export type Me = typeof Me.Type

export const ReadyReason = Schema.Literals(["new", "gap", "epoch", "expired", "roleChanged"])
export type ReadyReason = typeof ReadyReason.Type

/** The encoder for staff only, not part of the numbered state. Null: no encoder and no viewer has requested the broadcast recently. */
const EncoderOfStaff = optional(nullable(EncoderView))

/**
 * The state at version `v`. Dispatches that follow continue each stream directly after `cursors`. With `resumed: false` it is the whole
 * state, which replaces everything that the client held.
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
    /** The seat in the main room; null: none. */
    media: optional(nullable(MediaSeat)),
    encoder: EncoderOfStaff,
  }),
])
export type Ready = typeof Ready.Type
