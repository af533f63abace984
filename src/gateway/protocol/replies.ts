/** What each command answers, by its name: the `d` of an accepted reply. Where an entity was changed, it is the entity. */
import { Schema } from "effect"
import { LobbyPolicy } from "../../model/activity-commands.ts"
import { EventStatus } from "../../model/event.ts"
import type { CommandName } from "../../model/permissions.ts"
import { EventRole } from "../../model/roles.ts"
import {
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
  StageView,
} from "./activity-views.ts"
import { ORDERED_DISPATCHES, ParticipantView, PhaseView, TimerView } from "./dispatches.ts"

const { String: Text, Int } = Schema
const Texts = Schema.Array(Text)

/** Nothing but that it was done. */
const Done = Schema.Record(Text, Schema.Never)
const OneId = Schema.Struct({ id: Text })
const OneParticipant = Schema.Struct({ participantId: Text })
const OneQuestion = Schema.Struct({ question: QuestionView })
const OnePoll = Schema.Struct({ poll: PollView })
const OneBroadcast = Schema.Struct({ broadcast: BroadcastView })
const OneRotation = Schema.Struct({ rotation: RotationView })
const OneRoom = Schema.Struct({ roomId: Text })
const Standing = Schema.Struct({ id: Text, status: EventStatus })

export const REPLIES = {
  announce: Schema.Struct({ announcement: ORDERED_DISPATCHES.announcement }),
  "question.ask": OneQuestion,
  "question.withdraw": OneId,
  "question.vote": Schema.Struct({ questionId: Text, votes: Int, voted: Schema.Boolean }),
  "question.approve": OneQuestion,
  "question.hide": OneQuestion,
  "question.restore": OneQuestion,
  "question.pin": OneQuestion,
  "question.answer": OneQuestion,
  "qa.settings": QaSettings,
  "chat.send": Schema.Struct({ message: ChatMessageView }),
  "chat.delete": OneId,
  "chat.slow": Schema.Struct({ slowMs: Int }),
  "participant.mute": Schema.Struct({ participantId: Text, muted: Schema.Boolean, until: Schema.NullOr(Text) }),
  "poll.create": OnePoll,
  "poll.open": OnePoll,
  "poll.vote": Schema.Struct({ pollId: Text, optionIds: Texts }),
  "poll.close": OnePoll,
  "poll.publish": OnePoll,
  "poll.delete": OneId,
  "hand.raise": Schema.Struct({ hand: HandView }),
  "hand.lower": Schema.Struct({ hand: Schema.Null }),
  "hand.lowerFor": Schema.Struct({ lowered: Texts }),
  "stage.invite": Schema.Struct({ participantId: Text, stage: StageView }),
  "stage.accept": Schema.Struct({ stage: StageView }),
  "stage.leave": Schema.Struct({ stage: Schema.Null }),
  "role.set": Schema.Struct({ participantId: Text, role: EventRole }),
  /** `missing`: those of the ids who are not there any more. */
  "lobby.admit": Schema.Struct({ admitted: Texts, missing: Texts }),
  "lobby.deny": Schema.Struct({ denied: Texts, missing: Texts }),
  "lobby.policy": Schema.Struct({ mode: LobbyPolicy }),
  "participant.toLobby": OneParticipant,
  "participant.unblock": OneParticipant,
  "breakout.plan": Schema.Struct({ plan: BreakoutPlanView }),
  "breakout.open": Schema.Struct({ breakout: BreakoutView, rooms: Schema.Array(RoomView) }),
  /** `room`: unless they were brought back. */
  "breakout.move": Schema.Struct({
    participantId: Text,
    roomId: Schema.NullOr(Text),
    room: Schema.optionalKey(RoomView),
  }),
  "breakout.close": Schema.Struct({ breakout: BreakoutView }),
  "room.choose": Schema.Struct({ participantId: Text, roomId: Text, room: RoomView }),
  "room.return": Schema.Struct({ roomId: Schema.Null }),
  "room.help": OneRoom,
  "rotation.start": OneRotation,
  "rotation.skip": OneRotation,
  "rotation.pause": OneRotation,
  "rotation.resume": OneRotation,
  "rotation.stop": OneRotation,
  "rotation.opt": Schema.Struct({ in: Schema.Boolean }),
  "broadcast.start": OneBroadcast,
  "broadcast.pause": OneBroadcast,
  "broadcast.resume": OneBroadcast,
  "broadcast.stop": OneBroadcast,
  "capture.start": CaptureView,
  "capture.stop": CaptureView,
  "transcript.push": Schema.Struct({ accepted: Int }),
  /** The phase that is active now. */
  "phase.next": Schema.Struct({ event: Standing, phase: Schema.NullOr(PhaseView) }),
  "phase.update": Schema.Struct({ phase: Schema.NullOr(PhaseView) }),
  "event.end": Schema.Struct({ event: Standing }),
  "timer.extend": Schema.Struct({ timer: Schema.NullOr(TimerView) }),
  "participant.remove": Schema.Struct({ participantId: Text, block: Schema.Boolean }),
  "reaction.send": Done,
  "roster.list": Schema.Struct({ participants: Schema.Array(ParticipantView), nextCursor: Schema.NullOr(Text) }),
  leave: Done,
  /** `resumed`: a replay follows, else a snapshot. */
  sync: Schema.Struct({ resumed: Schema.Boolean }),
} as const satisfies Record<CommandName, Schema.Top>

export type ReplyData<T extends CommandName> = (typeof REPLIES)[T]["Type"]
