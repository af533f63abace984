/** Every command of the gateway, with its data and the data of its reply. Written from the contract by a test: do not edit. */
import type {
  Actor,
  BreakoutPlanView,
  BreakoutView,
  BroadcastView,
  CaptureKind,
  CaptureView,
  ChatMessageView,
  ChatTarget,
  EventRole,
  EventStatus,
  Feature,
  HandView,
  IngestAddress,
  LobbyPolicy,
  ParticipantView,
  PhaseConfig,
  PhaseView,
  PollKind,
  PollResults,
  PollView,
  PreparedAnnouncementView,
  QaSettings,
  QuestionInput,
  QuestionView,
  ReactionKind,
  RoomView,
  RotationView,
  RtcTracks,
  StageView,
  TimerView,
  TranscriptSegment,
} from "./types.ts"

export interface Commands {
  /** `phaseId` is a guard: the command applies only while that phase is active. `rev`: the revision of the active phase. */
  readonly "phase.next": {
    readonly data: { readonly phaseId?: string }
    readonly reply: { readonly event: { readonly id: string; readonly status: EventStatus }; readonly phase: PhaseView | null }
  }
  readonly "phase.update": {
    readonly data: { readonly phaseId: string; readonly config?: PhaseConfig; readonly featureSet?: ReadonlyArray<Feature> }
    readonly reply: { readonly phase: PhaseView | null }
  }
  readonly "event.end": {
    readonly data: { readonly [key: string]: unknown }
    readonly reply: { readonly event: { readonly id: string; readonly status: EventStatus } }
  }
  /** A timer has the id of the timed entity: a phase, a poll, a breakout, or a rotation. */
  readonly "timer.extend": {
    readonly data: { readonly timerId: string; readonly seconds: number }
    readonly reply: { readonly timer: TimerView | null }
  }
  /** Sends an announcement to everyone, or to some rooms. */
  readonly "announce": {
    readonly data: { readonly text: string; readonly targets?: "all" | ReadonlyArray<string> }
    readonly reply: {
      readonly announcement: { readonly id: string; readonly text: string; readonly by: Actor | null; readonly at: string }
    }
  }
  /** Keeps an announcement for later, also before the event is published. Its rooms need not exist yet. */
  readonly "announcement.prepare": {
    readonly data: { readonly text: string; readonly targets?: "all" | ReadonlyArray<string> }
    readonly reply: { readonly prepared: PreparedAnnouncementView }
  }
  readonly "announcement.discard": { readonly data: { readonly id: string }; readonly reply: { readonly id: string } }
  /** Sends a prepared announcement, which is then no longer prepared. */
  readonly "announcement.send": {
    readonly data: { readonly id: string }
    readonly reply: {
      readonly announcement: { readonly id: string; readonly text: string; readonly by: Actor | null; readonly at: string }
    }
  }
  /** Mutes for good without `until`; `on: false` ends the mute. */
  readonly "participant.mute": {
    readonly data: { readonly id: string; readonly until?: string; readonly on?: boolean }
    readonly reply: { readonly participantId: string; readonly muted: boolean; readonly until: string | null }
  }
  readonly "role.set": {
    readonly data: { readonly id: string; readonly role: EventRole }
    readonly reply: { readonly participantId: string; readonly role: EventRole }
  }
  readonly "participant.remove": {
    readonly data: { readonly id: string; readonly block?: boolean }
    readonly reply: { readonly participantId: string; readonly block: boolean }
  }
  /** Allows a participant who was removed for good to return. */
  readonly "participant.unblock": { readonly data: { readonly id: string }; readonly reply: { readonly participantId: string } }
  /** `missing` in a reply: the given ids that are no longer waiting. */
  readonly "lobby.admit": {
    readonly data: { readonly ids: ReadonlyArray<string> } | { readonly all: true }
    readonly reply: { readonly admitted: ReadonlyArray<string>; readonly missing: ReadonlyArray<string> }
  }
  readonly "lobby.deny": {
    readonly data: { readonly ids: ReadonlyArray<string>; readonly block?: boolean }
    readonly reply: { readonly denied: ReadonlyArray<string>; readonly missing: ReadonlyArray<string> }
  }
  readonly "lobby.policy": { readonly data: { readonly mode: LobbyPolicy }; readonly reply: { readonly mode: LobbyPolicy } }
  readonly "participant.toLobby": { readonly data: { readonly id: string }; readonly reply: { readonly participantId: string } }
  /** The command is for participants with a name only. */
  readonly "roster.list": {
    readonly data: {
      readonly roomId?: string
      readonly role?: EventRole
      readonly query?: string
      readonly cursor?: string
      readonly limit?: number
    }
    readonly reply: { readonly participants: ReadonlyArray<ParticipantView>; readonly nextCursor: string | null }
  }
  readonly "question.ask": { readonly data: QuestionInput; readonly reply: { readonly question: QuestionView } }
  readonly "question.withdraw": { readonly data: { readonly id: string }; readonly reply: { readonly id: string } }
  /** Sets or clears the participant's single vote; never toggles. */
  readonly "question.vote": {
    readonly data: { readonly id: string; readonly on: boolean }
    readonly reply: { readonly questionId: string; readonly votes: number; readonly voted: boolean }
  }
  readonly "question.approve": { readonly data: { readonly id: string }; readonly reply: { readonly question: QuestionView } }
  readonly "question.hide": { readonly data: { readonly id: string }; readonly reply: { readonly question: QuestionView } }
  readonly "question.restore": { readonly data: { readonly id: string }; readonly reply: { readonly question: QuestionView } }
  readonly "question.pin": {
    readonly data: { readonly id: string; readonly on?: boolean }
    readonly reply: { readonly question: QuestionView }
  }
  readonly "question.answer": {
    readonly data: { readonly id: string; readonly mode: "live" | "text"; readonly text?: string }
    readonly reply: { readonly question: QuestionView }
  }
  readonly "qa.settings": { readonly data: { readonly moderated?: boolean; readonly open?: boolean }; readonly reply: QaSettings }
  /** Sends a message to one of the targets in `CHAT_TARGETS`. */
  readonly "chat.send": {
    readonly data: { readonly to: ChatTarget; readonly text: string; readonly replyTo?: string }
    readonly reply: { readonly message: ChatMessageView }
  }
  /** Staff may delete any message, other participants their own. */
  readonly "chat.delete": { readonly data: { readonly id: string }; readonly reply: { readonly id: string } }
  /** Sets slow mode; 0 ends it. */
  readonly "chat.slow": { readonly data: { readonly perMs: number }; readonly reply: { readonly slowMs: number } }
  readonly "poll.create": {
    readonly data: {
      readonly question: string
      readonly kind: PollKind
      readonly options: ReadonlyArray<string>
      readonly anonymous?: boolean
      readonly allowChange?: boolean
      readonly results?: PollResults
    }
    readonly reply: { readonly poll: PollView }
  }
  readonly "poll.open": {
    readonly data: { readonly id: string; readonly durationMs?: number }
    readonly reply: { readonly poll: PollView }
  }
  readonly "poll.vote": {
    readonly data: { readonly id: string; readonly optionIds: ReadonlyArray<string> }
    readonly reply: { readonly pollId: string; readonly optionIds: ReadonlyArray<string> }
  }
  readonly "poll.close": { readonly data: { readonly id: string }; readonly reply: { readonly poll: PollView } }
  readonly "poll.publish": { readonly data: { readonly id: string; readonly on?: boolean }; readonly reply: { readonly poll: PollView } }
  readonly "poll.delete": { readonly data: { readonly id: string }; readonly reply: { readonly id: string } }
  /** Sends up to ten reactions at once, which are counted and not stored. */
  readonly "reaction.send": {
    readonly data: { readonly kind: ReactionKind; readonly n?: number }
    readonly reply: { readonly [key: string]: never }
  }
  readonly "hand.raise": { readonly data: { readonly note?: string }; readonly reply: { readonly hand: HandView } }
  readonly "hand.lower": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly hand: HandView | null } }
  readonly "hand.lowerFor": {
    readonly data: { readonly id: string } | { readonly all: true }
    readonly reply: { readonly lowered: ReadonlyArray<string> }
  }
  readonly "stage.invite": {
    readonly data: { readonly id: string }
    readonly reply: { readonly participantId: string; readonly stage: StageView }
  }
  readonly "stage.accept": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly stage: StageView } }
  readonly "stage.leave": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly stage: StageView | null } }
  /** Returns the plan without opening it. Give either `size` (people per room) or `rooms` (their number, or their names). */
  readonly "breakout.plan": {
    readonly data: {
      readonly size?: number
      readonly rooms?: number | ReadonlyArray<string>
      readonly strategy: "balanced" | "manual" | "self"
      readonly pinned?: { readonly [key: string]: number }
      readonly keepTogether?: ReadonlyArray<ReadonlyArray<string>>
      readonly keepApart?: ReadonlyArray<ReadonlyArray<string>>
      readonly seed?: number
    }
    readonly reply: { readonly plan: BreakoutPlanView }
  }
  readonly "breakout.open": {
    readonly data: { readonly planId: string; readonly durationMs?: number; readonly late?: "leastLoaded" | "ask" | "main" }
    readonly reply: { readonly breakout: BreakoutView; readonly rooms: ReadonlyArray<RoomView> }
  }
  /** `roomId: null` moves the participant to the main room; the reply then has no `room`. */
  readonly "breakout.move": {
    readonly data: { readonly id: string; readonly roomId: string | null }
    readonly reply: { readonly participantId: string; readonly roomId: string | null; readonly room?: RoomView }
  }
  readonly "breakout.close": { readonly data: { readonly graceMs?: number }; readonly reply: { readonly breakout: BreakoutView } }
  readonly "room.choose": {
    readonly data: { readonly roomId: string }
    readonly reply: { readonly participantId: string; readonly roomId: string; readonly room: RoomView }
  }
  readonly "room.return": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly roomId: string | null } }
  readonly "room.help": { readonly data: { readonly text?: string }; readonly reply: { readonly roomId: string } }
  readonly "rotation.start": {
    readonly data: {
      readonly roundSeconds: number
      readonly breakSeconds?: number
      readonly rounds: number | "exhaust"
      readonly groupSize?: number
      readonly odd?: "bye" | "trio"
    }
    readonly reply: { readonly rotation: RotationView }
  }
  readonly "rotation.skip": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly rotation: RotationView } }
  readonly "rotation.pause": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly rotation: RotationView } }
  readonly "rotation.resume": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly rotation: RotationView } }
  readonly "rotation.stop": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly rotation: RotationView } }
  readonly "rotation.opt": { readonly data: { readonly in: boolean }; readonly reply: { readonly in: boolean } }
  readonly "broadcast.start": {
    readonly data: { readonly phaseId?: string; readonly playbackUrl?: string }
    readonly reply: { readonly broadcast: BroadcastView }
  }
  readonly "broadcast.pause": { readonly data: { readonly phaseId?: string }; readonly reply: { readonly broadcast: BroadcastView } }
  readonly "broadcast.resume": { readonly data: { readonly phaseId?: string }; readonly reply: { readonly broadcast: BroadcastView } }
  readonly "broadcast.stop": { readonly data: { readonly phaseId?: string }; readonly reply: { readonly broadcast: BroadcastView } }
  /** Issues a new address for an encoder of the active phase's broadcast; the sender's previous address is refused from now on. */
  readonly "broadcast.ingest": { readonly data: { readonly [key: string]: unknown }; readonly reply: IngestAddress }
  readonly "capture.start": { readonly data: { readonly kinds: ReadonlyArray<CaptureKind> }; readonly reply: CaptureView }
  readonly "capture.stop": { readonly data: { readonly [key: string]: unknown }; readonly reply: CaptureView }
  readonly "transcript.push": {
    readonly data: { readonly segments: ReadonlyArray<TranscriptSegment> }
    readonly reply: { readonly accepted: number }
  }
  /** Joins the call of the sender's room, or changes its tracks. `resume`: the sender's `connectionId` before its socket was lost, which it keeps. */
  readonly "rtc.join": {
    readonly data: { readonly roomId: string; readonly resume?: string; readonly have: RtcTracks }
    readonly reply: { readonly connectionId: string; readonly resumed: boolean }
  }
  readonly "rtc.leave": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly [key: string]: never } }
  /** Sends a signal to one peer of the call. */
  readonly "rtc.signal": {
    readonly data: { readonly to: string; readonly kind: "offer" | "answer"; readonly data: string; readonly gen: number } | {
      readonly to: string
      readonly kind: "candidates"
      readonly data: ReadonlyArray<string>
      readonly gen: number
    }
    readonly reply: { readonly [key: string]: never }
  }
  readonly "leave": { readonly data: { readonly [key: string]: unknown }; readonly reply: { readonly [key: string]: never } }
  readonly "sync": {
    readonly data: { readonly epoch?: string; readonly cursors: { readonly [key: string]: number } }
    readonly reply: { readonly resumed: boolean }
  }
}
