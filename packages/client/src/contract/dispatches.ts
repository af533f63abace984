/** Every dispatch of the gateway, with its data. Written from the contract by a test: do not edit. */
import type {
  Actor,
  AssignmentView,
  BreakoutView,
  BroadcastView,
  CaptureView,
  ChatMessageView,
  ChatTarget,
  EncoderView,
  EventRole,
  EventView,
  HandView,
  HostAbsenceView,
  IceServer,
  LobbyPolicy,
  MediaSeat,
  ParticipantView,
  PhaseView,
  PollTally,
  PollView,
  PreparedAnnouncementView,
  QaSettings,
  QuestionView,
  Ready,
  RoomView,
  RotationRoundView,
  RotationView,
  RtcLimits,
  RtcPolicy,
  RtcTracks,
  SignedOutVotes,
  StageView,
  TimerView,
  TranscriptSegment,
  UpdateReason,
  WaitingView,
} from "./types.ts"

export interface Dispatches {
  readonly "ready": Ready
  /** All missed dispatches have been sent. */
  readonly "caughtUp": { readonly v: number }
  readonly "me.updated": {
    readonly role: EventRole
    readonly can: ReadonlyArray<string>
    readonly chatTo: ReadonlyArray<ChatTarget>
    readonly reason: UpdateReason
    readonly media?: MediaSeat | null
  }
  /** Sent a minute before the session ends: send a new token in `op 12`. */
  readonly "tokenExpiring": { readonly at: string }
  /** Streams that this connection receives from now on, with their positions, and streams that it no longer receives. */
  readonly "subscribed": { readonly cursors: { readonly [key: string]: number }; readonly dropped: ReadonlyArray<string> }
  readonly "event.started": { readonly event: EventView }
  readonly "event.updated": { readonly event: EventView }
  readonly "event.ended": {
    readonly event: EventView
    readonly endedAt: string
    readonly reason: "advance" | "end" | "delete"
    readonly phases: ReadonlyArray<PhaseView>
  }
  readonly "phase.started": { readonly phase: PhaseView; readonly timers: ReadonlyArray<TimerView> }
  readonly "phase.ended": { readonly phaseId: string; readonly reason: "advance" | "end"; readonly phase: PhaseView }
  readonly "phase.updated": { readonly phase: PhaseView }
  readonly "phase.appended": { readonly phase: PhaseView }
  /** All phases of an event that has not started, in their new order. A phase that is missing was removed. */
  readonly "agenda.updated": { readonly phases: ReadonlyArray<PhaseView> }
  /** `phase`: present for a phase's timer. */
  readonly "timer.updated": { readonly timer: TimerView; readonly phase?: PhaseView }
  readonly "timer.warning": { readonly timerId: string; readonly remainingMs: number }
  readonly "timer.elapsed": { readonly timerId: string; readonly timer: TimerView; readonly phase?: PhaseView }
  readonly "announcement": { readonly id: string; readonly text: string; readonly by: Actor | null; readonly at: string }
  readonly "announcement.prepared": { readonly prepared: PreparedAnnouncementView }
  /** The announcement is no longer prepared: it was sent or discarded. */
  readonly "announcement.discarded": { readonly id: string }
  readonly "me.muted": { readonly muted: boolean; readonly until: string | null }
  readonly "participant.removed": { readonly participantId: string; readonly block: boolean }
  readonly "participant.unblocked": { readonly participantId: string }
  readonly "lobby.waiting": { readonly add: ReadonlyArray<WaitingView>; readonly remove: ReadonlyArray<string> }
  readonly "lobby.settings": { readonly mode: LobbyPolicy }
  /** A measure applies because no host is present; null: it ended. */
  readonly "host.absence": { readonly absence: HostAbsenceView | null }
  /** Sent to a participant in the waiting room. `admitted`: a `ready` follows. */
  readonly "lobby.status": { readonly state: "waiting" | "admitted" | "denied" }
  readonly "presence.diff": {
    readonly reset?: boolean
    readonly join: ReadonlyArray<ParticipantView>
    readonly left: ReadonlyArray<string>
    readonly update: ReadonlyArray<ParticipantView>
  }
  /** Like `presence.diff`, limited to the people on stage, for anonymous viewers. */
  readonly "presence.stage": {
    readonly reset?: boolean
    readonly join: ReadonlyArray<ParticipantView>
    readonly left: ReadonlyArray<string>
    readonly update: ReadonlyArray<ParticipantView>
  }
  readonly "presence.mode": { readonly mode: "list" | "summary"; readonly total: number }
  readonly "presence.count": {
    readonly total: number
    readonly byRole: { readonly [key: string]: number }
    readonly byRoom: { readonly [key: string]: number }
    readonly lobby: number
  }
  readonly "question.created": { readonly question: QuestionView }
  readonly "question.updated": { readonly question: QuestionView }
  /** `hidden`: the question is gone for the audience; staff keep it and get `question.updated` on their stream. */
  readonly "question.removed": { readonly id: string; readonly rev: number; readonly hidden: boolean }
  readonly "qa.settings": QaSettings
  readonly "question.votes": { readonly votes: ReadonlyArray<readonly [string, number]> }
  /** The receiver's own vote, cast in any of their tabs. */
  readonly "me.voted": { readonly questionId: string; readonly on: boolean }
  /** The stream `me` carries the staff chat to speakers. */
  readonly "chat.message": { readonly message: ChatMessageView }
  readonly "chat.deleted": { readonly ids: ReadonlyArray<string> }
  readonly "chat.settings": { readonly slowMs: number }
  /** A draft is for staff only. */
  readonly "poll.created": { readonly poll: PollView }
  readonly "poll.opened": { readonly poll: PollView }
  /** The closing time changed. */
  readonly "poll.updated": { readonly poll: PollView }
  readonly "poll.closed": { readonly poll: PollView }
  readonly "poll.published": { readonly poll: PollView }
  readonly "poll.deleted": { readonly id: string }
  readonly "me.pollVoted": { readonly pollId: string; readonly optionIds: ReadonlyArray<string> }
  readonly "poll.tally": PollTally
  /** Dispatch for staff only. */
  readonly "votes.signedOut": SignedOutVotes
  readonly "reaction.tally": {
    readonly windowMs: number
    readonly counts: {
      readonly like?: number
      readonly love?: number
      readonly clap?: number
      readonly laugh?: number
      readonly wow?: number
      readonly sad?: number
      readonly fire?: number
      readonly party?: number
    }
    readonly total: number
  }
  /** A change of the queue shown to staff, longest raised first: new or changed hands, and the owners of hands that left it. */
  readonly "hand.queue": { readonly add: ReadonlyArray<HandView>; readonly remove: ReadonlyArray<string>; readonly rev: number }
  readonly "hand.count": { readonly n: number }
  /** The receiver raised or lowered their own hand, in any of their tabs. */
  readonly "me.hand": { readonly hand: HandView | null }
  /** Another participant lowered the receiver's hand. */
  readonly "hand.lowered": {}
  readonly "stage.invited": { readonly expiresAt: string }
  /** The receiver came onto the stage, or left it, in any of their tabs. */
  readonly "me.stage": { readonly stage: StageView | null }
  readonly "breakout.opened": { readonly breakout: BreakoutView; readonly rooms: ReadonlyArray<RoomView> }
  readonly "breakout.updated": { readonly breakout: BreakoutView }
  readonly "breakout.closing": { readonly breakout: BreakoutView }
  readonly "breakout.closed": { readonly id: string }
  readonly "room.updated": { readonly room: RoomView }
  readonly "assignment.updated": AssignmentView
  readonly "assignment.ended": { readonly roomId: string; readonly returnAt: string }
  readonly "room.help": { readonly roomId: string; readonly by: Actor; readonly text: string | null; readonly at: string }
  readonly "rotation.round": RotationRoundView
  readonly "rotation.partnerLeft": { readonly participantId: string; readonly n: number }
  readonly "rotation.state": { readonly rotation: RotationView }
  /** The receiver opted in to rotations or out of them, in any of their tabs. */
  readonly "me.opted": { readonly in: boolean }
  readonly "broadcast.live": { readonly broadcast: BroadcastView }
  readonly "broadcast.paused": { readonly broadcast: BroadcastView }
  readonly "broadcast.ended": { readonly broadcast: BroadcastView }
  /** The encoder of the broadcast connected, was lost, is back, or was refused; or the media server's recorder started or failed. */
  readonly "broadcast.stream": EncoderView
  readonly "capture.state": CaptureView
  readonly "transcript.segment": TranscriptSegment
  /** Interim segments; the final one has a position in the stream. */
  readonly "transcript.interim": TranscriptSegment
  /** The whole call after a change, with the receiver and its `connectionId`. With `closed` the receiver is no longer in it. */
  readonly "rtc.peers": {
    readonly roomId: string
    readonly connectionId: string
    readonly peers: ReadonlyArray<{
      readonly connectionId: string
      readonly participantId: string
      readonly name: string
      readonly have: RtcTracks
    }>
    readonly limits: RtcLimits
    readonly iceServers: ReadonlyArray<IceServer>
    readonly policy: RtcPolicy
    readonly closed?: "moved" | "replaced"
  }
  readonly "rtc.signal": { readonly from: string; readonly kind: "offer" | "answer"; readonly data: string; readonly gen: number } | {
    readonly from: string
    readonly kind: "candidates"
    readonly data: ReadonlyArray<string>
    readonly gen: number
  }
}
