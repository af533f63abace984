/**
 * State of a live event besides its agenda: one record per thing, found by kind and id. Records are values and are replaced, never mutated;
 * the shape of a kind is that of its rows in the store. The only record of a kind has the id `ONLY`.
 */
import { Schema } from "effect"
import { AbsenceMeasure } from "../host-absence.ts"
import type { Question } from "../question.ts"
import { EventRole } from "../roles.ts"
import type { Timestamp } from "../timestamp.ts"
import { CaptureKind, LobbyPolicy, PollKind, PollResults, type TranscriptSegment } from "./live-values.ts"
import { roomStream, type StreamOf } from "./streams.ts"

/** The author of an act, as other participants see them. */
interface Person {
  readonly participantId: string
  readonly name: string
}

export interface LiveQuestion extends Question {
  /** Incremented by every change except votes. */
  readonly rev: number
  /** The breakout or rotation room in which the question was asked. */
  readonly roomId: string | null
  /** Form of the answer. */
  readonly answerMode: "live" | "text" | null
  /** Null for an anonymous question: its asker is stored nowhere. */
  readonly askerId: string | null
}

export interface ChatMessage extends Person {
  readonly id: string
  readonly to: "event" | "room" | "staff"
  readonly roomId: string | null
  readonly role: EventRole
  readonly text: string
  readonly replyTo: string | null
  readonly at: Timestamp
  readonly rev: number
}

/** Target of a message, which is also the stream that carries it. */
export type ChatPlace = StreamOf<"event" | "staff" | "room">

export const chatPlaceOf = ({ to, roomId }: Pick<ChatMessage, "to" | "roomId">): ChatPlace =>
  to === "room" ? roomStream(roomId ?? "") : to

const Instant = Schema.String
const nullable = Schema.NullOr
const Strategy = Schema.Literals(["balanced", "manual", "self"])

/** `rank`: 1 for the most points; people with as many points share a rank. */
const BoardPlace = Schema.Struct({ participantId: Schema.String, rank: Schema.Int, points: Schema.Int })
export type BoardPlace = typeof BoardPlace.Type

/** One answer of a poll whose answers are written. A hidden one is shown to staff alone. */
const PollAnswer = Schema.Struct({ text: Schema.String, votes: Schema.Int, hidden: Schema.Boolean })
export type PollAnswer = typeof PollAnswer.Type

/** Points of one person in one quiz. `name`: null for one that hides names. */
const QuizPoints = Schema.Struct({ points: Schema.Int, name: nullable(Schema.String) })

export const Poll = Schema.Struct({
  id: Schema.String,
  question: Schema.String,
  kind: PollKind,
  options: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String })),
  anonymous: Schema.Boolean,
  allowChange: Schema.Boolean,
  results: PollResults,
  status: Schema.Literals(["draft", "open", "closed"]),
  published: Schema.Boolean,
  /** Votes per option, in the order of the options; for a ranking, points. Always the tally of the poll's votes. */
  counts: Schema.Array(Schema.Int),
  /** Ids of the right options of a quiz. */
  correct: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Words that no answer may contain, of a poll whose answers are written. */
  blocked: Schema.optionalKey(Schema.Array(Schema.String)),
  /** People with the most points of the event's quizzes when this quiz was closed, the first ones first. */
  board: Schema.optionalKey(Schema.Array(BoardPlace)),
  voters: Schema.Int,
  createdAt: Instant,
  openedAt: nullable(Instant),
  closedAt: nullable(Instant),
  /** Time when the poll closes by itself. */
  endsAt: nullable(Instant),
  extendedMs: Schema.Int,
  rev: Schema.Int,
})
export type Poll = typeof Poll.Type

export const Hand = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  note: nullable(Schema.String),
  at: Instant,
})
export type Hand = typeof Hand.Type

/** A participant invited onto the stage, or there by invitation; `before` is the role they return to. */
export const StageRecord = Schema.Struct({
  state: Schema.Literals(["invited", "on"]),
  expiresAt: nullable(Instant),
  before: EventRole,
})
export type StageRecord = typeof StageRecord.Type

export const Mute = Schema.Struct({ until: nullable(Instant) })
export type Mute = typeof Mute.Type

export const BreakoutPlan = Schema.Struct({
  id: Schema.String,
  strategy: Strategy,
  seed: Schema.Int,
  rooms: Schema.Array(Schema.Struct({ name: Schema.String, people: Schema.Array(Schema.String) })),
  unplaced: Schema.Array(Schema.String),
  /** People per room, if that was requested. */
  size: nullable(Schema.Int),
  at: Instant,
})
export type BreakoutPlan = typeof BreakoutPlan.Type

/** The current breakout; there is at most one. */
export const Breakout = Schema.Struct({
  id: Schema.String,
  phaseId: Schema.String,
  /** The plan that was opened. */
  planId: Schema.String,
  strategy: Strategy,
  /** Number of people for which a room was planned; null when the rooms were given. */
  size: nullable(Schema.Int),
  late: Schema.Literals(["leastLoaded", "ask", "main"]),
  openedAt: Instant,
  /** End by the breakout's own timer (`timed`), or else by the phase's timer, if it has one. */
  endsAt: nullable(Instant),
  timed: Schema.Boolean,
  extendedMs: Schema.Int,
  /** Set while the breakout is closing: the time when everyone is brought back. */
  closesAt: nullable(Instant),
  /** The breakout is closing because its time is up: more time keeps it open. */
  timeIsUp: Schema.Boolean,
  /** Late joiners who wait for others to open a room with, in order of arrival. */
  waiting: Schema.optionalKey(Schema.Array(Schema.Struct({ participantId: Schema.String, until: Instant }))),
  rev: Schema.Int,
})
export type Breakout = typeof Breakout.Type

export const Room = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** Number of people seated in the room. */
  count: Schema.Int,
  open: Schema.Boolean,
  /** Position of the room in lists, starting at 0. */
  place: Schema.Int,
  rev: Schema.Int,
})
export type Room = typeof Room.Type

/** Rooms that were closed together, and the time in Unix milliseconds. */
export const ClosedRooms = Schema.Array(Schema.Struct({ at: Schema.Int, ids: Schema.Array(Schema.String) }))
export type ClosedRooms = typeof ClosedRooms.Type

/** A participant's seat in a room. `away`: they went back to the main room, and the seat is kept. */
export const Seat = Schema.Struct({
  roomId: Schema.String,
  away: Schema.Boolean,
  /** Name by which the partners in a rotation know the participant, even while they are away. */
  name: Schema.optionalKey(Schema.String),
  /** In a rotation: the participant lost their connection, and their partners were notified. */
  missed: Schema.optionalKey(Schema.Boolean),
})
export type Seat = typeof Seat.Type

/** The current rotation, or the last one of the phase. */
export const Rotation = Schema.Struct({
  id: Schema.String,
  phaseId: Schema.String,
  status: Schema.Literals(["round", "break", "paused", "ended"]),
  roundSeconds: Schema.Int,
  breakSeconds: Schema.Int,
  rounds: Schema.Union([Schema.Int, Schema.Literal("exhaust")]),
  groupSize: Schema.Int,
  odd: Schema.Literals(["bye", "trio"]),
  /** Number of the current or last round; 0 before the first. */
  n: Schema.Int,
  startsAt: nullable(Instant),
  endsAt: nullable(Instant),
  /**
   * In a break, `startsAt` is its beginning and `endsAt` the next pairing; null: it waits for people. While paused: the remaining
   * milliseconds of the round or break.
   */
  remainingMs: nullable(Schema.Int),
  paused: nullable(Schema.Literals(["round", "break"])),
  /** Extension of the running timer in milliseconds. */
  extendedMs: Schema.optionalKey(Schema.Int),
  pairs: Schema.Int,
  byes: Schema.Int,
  /** State of the pairing (`model/rotation/rotation-pairing.ts`). */
  seating: Schema.Unknown,
  rev: Schema.Int,
})
export type Rotation = typeof Rotation.Type

/** A round that was held, or a breakout, in any phase of the event: the people who have met. */
export const Round = Schema.Struct({
  id: Schema.String,
  n: Schema.Int,
  at: Instant,
  groups: Schema.Array(Schema.Array(Schema.String)),
  /** Indexes of the groups in which some had met before. */
  repeats: Schema.Array(Schema.Int),
  byes: Schema.Array(Schema.String),
})
export type Round = typeof Round.Type

export interface Broadcast {
  readonly broadcastId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
  readonly startedAt: Timestamp | null
}

export const Capture = Schema.Struct({
  on: Schema.Boolean,
  kinds: Schema.Array(CaptureKind),
  since: nullable(Instant),
})
export type Capture = typeof Capture.Type

/** `since`: since when no staff has been present. `measure`: the current measure; null: its time has not come. */
export const HostAway = Schema.Struct({ since: Instant, measure: nullable(AbsenceMeasure) })
export type HostAway = typeof HostAway.Type

export const Settings = Schema.Struct({
  /** Null: the active phase's configuration applies. */
  moderated: nullable(Schema.Boolean),
  questionsOpen: Schema.Boolean,
  chatSlowMs: Schema.Int,
  /** Null: the active phase's configuration applies. */
  lobby: nullable(LobbyPolicy),
})
export type Settings = typeof Settings.Type

const SignedOutCount = Schema.Struct({ voters: Schema.Int, addresses: Schema.Int })
const Origin = Schema.Struct({ address: Schema.String, votes: Schema.Int })
const GivenRole = Schema.Struct({ role: EventRole })
const Admission = Schema.Struct({ state: Schema.Literals(["admitted", "held"]) })
const Waiting = Schema.Struct({ since: Instant })
const Prepared = Schema.Struct({ text: Schema.String, roomIds: nullable(Schema.Array(Schema.String)), at: Instant })
const Opt = Schema.Struct({ in: Schema.Boolean })

export interface Records {
  readonly question: LiveQuestion
  /** Keyed by question and voter. */
  readonly questionVote: true
  readonly chat: ChatMessage
  readonly poll: Poll
  /** The chosen options, keyed by poll and voter. */
  readonly pollVote: ReadonlyArray<string>
  /** Keyed by poll and by the answer's id (`answerId`). */
  readonly pollAnswer: PollAnswer
  /** Keyed by quiz and voter; absent without points. */
  readonly quizPoints: typeof QuizPoints.Type
  /** Number of anonymous votes, keyed by poll or question, and origin. */
  readonly originVotes: number
  /** Number of voters without a name and of their addresses, keyed by poll or question. */
  readonly signedOutVotes: typeof SignedOutCount.Type
  /**
   * Keyed by participant, as all records below without a key: a pseudonym of the address from which an anonymous participant first voted,
   * and the number of their votes.
   */
  readonly origin: typeof Origin.Type
  readonly hand: Hand
  readonly stage: StageRecord
  readonly role: typeof GivenRole.Type
  /** Keyed by user: a role given at the live event to a workspace's user, which is also stored in the event's list of memberships. */
  readonly membership: { readonly role: EventRole }
  readonly mute: Mute
  readonly admission: typeof Admission.Type
  /** Time since when the participant waits in the waiting room. */
  readonly waiting: typeof Waiting.Type
  readonly seat: Seat
  /** Whether the participant takes part in rotations, if that differs from the default of their role. */
  readonly opt: typeof Opt.Type
  /** Time of the participant's last chat message in Unix milliseconds, for slow mode. */
  readonly lastChat: number
  /** Single record: the revision of the hand queue as last sent. */
  readonly handQueue: number
  /** Keyed by message id: older messages that a command named, read back for it and dropped with the next one. */
  readonly pastChat: ChatMessage
  /** Keyed by question: the asker of an anonymous question, for the lifetime of this activation. */
  readonly asker: string
  /** An announcement to be sent later, keyed by its own id. It names nobody: its author is whoever sends it. */
  readonly prepared: typeof Prepared.Type
  /** Keyed by its own id, as rooms and rounds. */
  readonly plan: BreakoutPlan
  readonly room: Room
  readonly round: Round
  /** A final caption, keyed by the recogniser's id: stored, and never in memory. */
  readonly caption: TranscriptSegment
  /** Keyed by phase. */
  readonly broadcast: Broadcast
  /** Single record, as all below. */
  readonly breakout: Breakout
  readonly rotation: Rotation
  readonly capture: Capture
  readonly settings: Settings
  readonly hostAway: HostAway
  /** Rooms that may still get captions, and some closed earlier. */
  readonly closedRooms: ClosedRooms
}

export type Kind = keyof Records

/**
 * Kinds that are stored as JSON, each by the schema of its current version. To change the shape of a kind, raise its version and add to
 * `older` the step from the previous version; rows of any older version are then read through all steps in turn.
 */
export const STORED_KINDS = {
  poll: { version: 1, schema: Poll },
  pollVote: { version: 1, schema: Schema.Array(Schema.String) },
  pollAnswer: { version: 1, schema: PollAnswer },
  quizPoints: { version: 1, schema: QuizPoints },
  originVotes: { version: 1, schema: Schema.Int },
  signedOutVotes: { version: 1, schema: SignedOutCount },
  origin: { version: 1, schema: Origin },
  hand: { version: 1, schema: Hand },
  stage: { version: 1, schema: StageRecord },
  role: { version: 1, schema: GivenRole },
  mute: { version: 1, schema: Mute },
  admission: { version: 1, schema: Admission },
  waiting: { version: 1, schema: Waiting },
  seat: { version: 1, schema: Seat },
  opt: { version: 1, schema: Opt },
  prepared: { version: 1, schema: Prepared },
  plan: { version: 1, schema: BreakoutPlan },
  room: { version: 1, schema: Room },
  round: { version: 1, schema: Round },
  breakout: { version: 1, schema: Breakout },
  rotation: { version: 1, schema: Rotation },
  capture: { version: 1, schema: Capture },
  settings: { version: 1, schema: Settings },
  closedRooms: { version: 1, schema: ClosedRooms },
  hostAway: { version: 1, schema: HostAway },
} as const satisfies { readonly [K in Kind]?: StoredKind<Records[K]> }

interface StoredKind<R> {
  /** Version number, starting at 1. */
  readonly version: number
  readonly schema: Schema.Codec<R, unknown>
  /** Conversions from each older version to the next, keyed by the older version. */
  readonly older?: { readonly [version: number]: (body: unknown) => unknown }
}

export type StoredKindName = keyof typeof STORED_KINDS

/** One record after a change; `null` when it was removed. */
export interface Change<K extends Kind = Kind> {
  readonly kind: K
  readonly id: string
  readonly record: Records[K] | null
}

/** Kinds in memory only: they need no row, or must not be stored. */
export const VOLATILE: ReadonlySet<Kind> = new Set<Kind>(["lastChat", "pastChat", "asker", "handQueue"])

/** Messages of each chat target that a live event keeps in memory; all chat is stored. */
export const CHAT_REMEMBERED = 50

/** Id of the only record of a kind. */
export const ONLY = "-"

export const DEFAULT_SETTINGS: Settings = { moderated: null, questionsOpen: true, chatSlowMs: 0, lobby: null }

/** Id of a vote: neither part contains a space. */
export const voteId = (of: string, voter: string): string => `${of} ${voter}`

/** The parts of a vote's id. */
export const partsOfVote = (id: string): { readonly of: string; readonly voter: string } => {
  const space = id.indexOf(" ")
  return { of: id.slice(0, space), voter: id.slice(space + 1) }
}
