/**
 * The live event as known to a client: a snapshot from `ready`, advanced by dispatches and by the replies to this client's own commands.
 * Pure. Data older than the known state changes nothing, so a reply and its dispatch may arrive in either order.
 */

import type {
  BroadcastView,
  CaptureView,
  EncoderView,
  EventView,
  HostAbsenceView,
  Me,
  MediaSeat,
  PhaseView,
  PresenceView,
  TimerView,
} from "../contract/types.ts"
import type { AnsweredCommand, Dispatch, Snapshot } from "../wire.ts"
import { type AgendaState, agendaAfter } from "./agenda-state.ts"
import {
  broadcastAfter,
  captureIn,
  EMPTY_TRANSCRIPT,
  encoderAfter,
  type Transcript,
  transcriptAfter,
} from "./broadcast-state.ts"
import { announcementsAfter, type ChatState, chatAfter, chatIn, type PreparedAnnouncements } from "./chat-state.ts"
import {
  type HandState,
  handsAfter,
  handsAnswered,
  handsIn,
  type StageState,
  stageAfter,
  stageAnswered,
} from "./hand-state.ts"
import { type LobbyState, lobbyAfter, lobbyIn } from "./lobby-state.ts"
import { after, type NewsOf } from "./news.ts"
import {
  type PollState,
  pollsAfter,
  pollsAnswered,
  pollsIn,
  type SignedOutState,
  signedOutAfter,
  signedOutIn,
} from "./poll-state.ts"
import { presenceAfter } from "./presence-state.ts"
import { type QuestionState, questionsAfter, questionsAnswered, questionsIn } from "./question-state.ts"
import { breakoutAfter, type RoomState, roomsAnswered, roomsIn, rotationAfter } from "./room-state.ts"

export interface EventState extends StageState {
  /** Version of the live event at the last snapshot, which includes every change answered up to then. */
  readonly v: number
  readonly me: Me
  readonly event: EventView
  readonly phases: ReadonlyArray<PhaseView>
  readonly timers: ReadonlyArray<TimerView>
  readonly presence: PresenceView
  readonly questions: QuestionState
  readonly chat: ChatState
  readonly polls: PollState
  /** Announcements to be sent later, for staff. */
  readonly preparedAnnouncements: PreparedAnnouncements
  /** Counts of votes by anonymous people, for staff. */
  readonly signedOutVotes: SignedOutState
  readonly hands: HandState
  /** Mute of the participant until that time; `until: null` means for good. */
  readonly muted: { readonly until: string | null } | null
  readonly lobby: LobbyState
  /** Active measure because no host is present. */
  readonly hostAbsence: HostAbsenceView | null
  /** Participants removed for good, for staff. */
  readonly blocked: ReadonlyArray<string>
  /**
   * A seat in the main room's call, on a media server or between browsers; the seat of a breakout room is in its assignment.
   */
  readonly media: MediaSeat | null
  readonly rooms: RoomState
  readonly broadcast: BroadcastView | null
  /**
   * Encoder that pushes the broadcast to the server, or the media server that makes it, for staff. Null when none is known to the server.
   */
  readonly encoder: EncoderView | null
  readonly capture: CaptureView
  readonly transcript: Transcript
}

/** A full `ready` replaces everything except the transcript received before, which `ready` does not have. */
export const stateOf = (ready: Snapshot, before?: EventState): EventState => ({
  v: ready.v,
  me: ready.me,
  event: ready.event,
  phases: ready.phases,
  timers: ready.timers,
  presence: ready.presence,
  questions: questionsIn(ready),
  chat: chatIn(ready),
  polls: pollsIn(ready),
  preparedAnnouncements: ready.preparedAnnouncements ?? [],
  signedOutVotes: signedOutIn(ready),
  hands: handsIn(ready),
  stage: ready.stage ?? null,
  stageAsOf: ready.v,
  muted: ready.muted ?? null,
  lobby: lobbyIn(ready),
  hostAbsence: ready.hostAbsence ?? null,
  blocked: ready.blocked ?? [],
  media: ready.media ?? null,
  rooms: roomsIn(ready),
  broadcast: ready.broadcast ?? null,
  encoder: ready.encoder ?? null,
  capture: captureIn(ready),
  transcript: before?.transcript ?? EMPTY_TRANSCRIPT,
})

export const activePhase = (state: Pick<EventState, "phases">): PhaseView | undefined =>
  state.phases.find(({ status }) => status === "active")

const ROOM = "room:"

const meAfter = (me: Me, dispatch: NewsOf<"me">): Me => {
  switch (dispatch.t) {
    case "me.updated": {
      const { role, can, chatTo } = dispatch.d
      return { ...me, role, can, chatTo }
    }
    case "subscribed": {
      const room = Object.keys(dispatch.d.cursors).find((stream) => stream.startsWith(ROOM))
      return { ...me, roomId: room === undefined ? null : room.slice(ROOM.length) }
    }
  }
}

const mutedAfter = (_muted: EventState["muted"], { d }: NewsOf<"muted">): EventState["muted"] =>
  d.muted ? { until: d.until } : null

const blockedAfter = (blocked: EventState["blocked"], { t, d }: NewsOf<"blocked">): EventState["blocked"] => {
  switch (t) {
    case "participant.unblocked":
      return blocked.filter((id) => id !== d.participantId)
    case "participant.removed":
      return d.block && !blocked.includes(d.participantId) ? [...blocked, d.participantId] : blocked
  }
}

/** Seat of the dispatch, if it differs from the previous seat. */
const mediaAfter = (media: EventState["media"], { d }: NewsOf<"media">): EventState["media"] =>
  d.media === undefined ? media : d.media

/** Returns the same object when nothing in it changed. */
const settled = (before: EventState, after: EventState): EventState =>
  (Object.keys(after) as ReadonlyArray<keyof EventState>).every((part) => before[part] === after[part]) ? before : after

export const applyDispatch = (state: EventState, dispatch: Dispatch): EventState => {
  const { event, phases, timers } = after<"agenda", AgendaState>("agenda", dispatch, state, agendaAfter)
  const phase = activePhase({ phases })
  const { me } = state
  const stage: StageState = { stage: state.stage, stageAsOf: state.stageAsOf }
  const hostAbsence = after("hostAbsence", dispatch, state.hostAbsence, (_before, { d }) => d.absence)
  const rooms = after("breakout", dispatch, state.rooms, breakoutAfter)
  return settled(state, {
    ...state,
    event,
    phases,
    timers,
    me: after("me", dispatch, me, meAfter),
    presence: after("presence", dispatch, state.presence, presenceAfter),
    questions: after("questions", dispatch, state.questions, (before, news) => questionsAfter(before, news, me)),
    chat: after("chat", dispatch, state.chat, chatAfter),
    polls: after("polls", dispatch, state.polls, (before, news) => pollsAfter(before, news, me)),
    preparedAnnouncements: after("announcements", dispatch, state.preparedAnnouncements, announcementsAfter),
    signedOutVotes: after("signedOutVotes", dispatch, state.signedOutVotes, signedOutAfter),
    hands: after("hands", dispatch, state.hands, (before, news) => handsAfter(before, news, me)),
    ...after("stage", dispatch, stage, stageAfter),
    muted: after("muted", dispatch, state.muted, mutedAfter),
    media: after("media", dispatch, state.media, mediaAfter),
    lobby: after("lobby", dispatch, state.lobby, (before, news) =>
      lobbyAfter(before, news, phase, hostAbsence?.measure),
    ),
    hostAbsence,
    blocked: after("blocked", dispatch, state.blocked, blockedAfter),
    rooms: after("rotation", dispatch, rooms, rotationAfter),
    broadcast: after("broadcast", dispatch, state.broadcast, (before, news) => broadcastAfter(before, news, phase)),
    encoder: after("encoder", dispatch, state.encoder, encoderAfter),
    capture: after("capture", dispatch, state.capture, (_before, { d }) => d),
    transcript: after("transcript", dispatch, state.transcript, transcriptAfter),
  })
}

/** A repeated reply that was first answered before the snapshot changes nothing. */
export const applyReply = (state: EventState, answered: AnsweredCommand): EventState => {
  if (answered.v <= state.v) return state
  return settled(state, {
    ...state,
    questions: questionsAnswered(state.questions, answered),
    polls: pollsAnswered(state.polls, answered, state.me),
    hands: handsAnswered(state.hands, answered),
    ...stageAnswered(state, answered),
    rooms: roomsAnswered(state.rooms, answered),
  })
}
