/** What each command answers, by its name: the `d` of an accepted reply. */
import type {
  BreakoutPlanView,
  BreakoutView,
  BroadcastView,
  CaptureView,
  ChatMessageView,
  HandView,
  PollView,
  QaSettings,
  QuestionView,
  RoomView,
  RotationView,
} from "../gateway/protocol/activity-views.ts"
import type { EventView, ParticipantView, PhaseView, TimerView } from "../gateway/protocol/dispatches.ts"
import type { LobbyPolicy } from "../model/activity-commands.ts"
import type { CommandName } from "../model/permissions.ts"
import type { EventRole } from "../model/roles.ts"

type OnStage = { readonly state: "invited" | "on"; readonly expiresAt: string | null }

interface OneQuestion {
  readonly question: QuestionView
}
interface OnePoll {
  readonly poll: PollView
}
interface OneBroadcast {
  readonly broadcast: BroadcastView
}
interface OneRotation {
  readonly rotation: RotationView
}
interface OneId {
  readonly id: string
}
interface OneParticipant {
  readonly participantId: string
}
type Nothing = Readonly<Record<string, never>>
/** Only whether it succeeded matters; what is in it may grow. */
type Anything = { readonly [field: string]: unknown }

export interface ReplyDataByCommand {
  readonly announce: { readonly announcement: { readonly id: string; readonly text: string; readonly at: string } }
  readonly "question.ask": OneQuestion
  readonly "question.withdraw": OneId
  readonly "question.vote": { readonly questionId: string; readonly votes: number; readonly voted: boolean }
  readonly "question.approve": OneQuestion
  readonly "question.hide": OneQuestion
  readonly "question.restore": OneQuestion
  readonly "question.pin": OneQuestion
  readonly "question.answer": OneQuestion
  readonly "qa.settings": QaSettings
  readonly "chat.send": { readonly message: ChatMessageView }
  readonly "chat.delete": OneId
  readonly "chat.slow": { readonly slowMs: number }
  readonly "participant.mute": OneParticipant & { readonly muted: boolean; readonly until: string | null }
  readonly "poll.create": OnePoll
  readonly "poll.open": OnePoll
  readonly "poll.vote": { readonly pollId: string; readonly optionIds: ReadonlyArray<string> }
  readonly "poll.close": OnePoll
  readonly "poll.publish": OnePoll
  readonly "poll.delete": OneId
  readonly "hand.raise": { readonly hand: HandView }
  readonly "hand.lower": { readonly hand: null }
  readonly "hand.lowerFor": { readonly lowered: ReadonlyArray<string> }
  readonly "stage.invite": OneParticipant & { readonly stage: OnStage }
  readonly "stage.accept": { readonly stage: OnStage }
  readonly "stage.leave": { readonly stage: null }
  readonly "role.set": OneParticipant & { readonly role: EventRole }
  readonly "lobby.admit": { readonly admitted: ReadonlyArray<string>; readonly missing: ReadonlyArray<string> }
  readonly "lobby.deny": { readonly denied: ReadonlyArray<string>; readonly missing: ReadonlyArray<string> }
  readonly "lobby.policy": { readonly mode: LobbyPolicy }
  readonly "participant.toLobby": OneParticipant
  readonly "breakout.plan": { readonly plan: BreakoutPlanView }
  readonly "breakout.open": { readonly breakout: BreakoutView; readonly rooms: ReadonlyArray<RoomView> }
  readonly "breakout.move": OneParticipant & { readonly roomId: string | null }
  readonly "breakout.close": { readonly breakout: BreakoutView }
  readonly "room.choose": OneParticipant & { readonly roomId: string }
  readonly "room.return": { readonly roomId: null }
  readonly "room.help": { readonly roomId: string }
  readonly "rotation.start": OneRotation
  readonly "rotation.skip": OneRotation
  readonly "rotation.pause": OneRotation
  readonly "rotation.resume": OneRotation
  readonly "rotation.stop": OneRotation
  readonly "rotation.opt": { readonly in: boolean }
  readonly "broadcast.start": OneBroadcast
  readonly "broadcast.pause": OneBroadcast
  readonly "broadcast.resume": OneBroadcast
  readonly "broadcast.stop": OneBroadcast
  readonly "capture.start": CaptureView
  readonly "capture.stop": CaptureView
  readonly "transcript.push": { readonly accepted: number }
  readonly "phase.next": { readonly event?: EventView } & Anything
  readonly "phase.update": { readonly phase?: PhaseView } & Anything
  readonly "event.end": { readonly event?: EventView } & Anything
  readonly "timer.extend": { readonly timer?: TimerView } & Anything
  readonly "participant.remove": Anything
  readonly "reaction.send": Nothing
  readonly "roster.list": {
    readonly participants: ReadonlyArray<ParticipantView>
    readonly nextCursor: string | null
  }
  readonly leave: Nothing
  readonly sync: { readonly resumed: boolean }
}

export type ReplyData<T extends CommandName> = ReplyDataByCommand[T]

/** A command that was accepted, with what came of it and the live event's version then. */
export type AnsweredCommand = {
  readonly [T in CommandName]: { readonly t: T; readonly v: number; readonly d: ReplyData<T> }
}[CommandName]
