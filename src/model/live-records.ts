/**
 * What a live event keeps besides its agenda: one record per thing, found by kind and id. Records are values and are
 * replaced, never changed; a kind's shape is the one its rows have in the store. Where a kind has a singleton, its id says so.
 */
import type { CaptureKind, LobbyPolicy } from "./live-values.ts"
import type { Question } from "./question.ts"
import type { EventRole } from "./roles.ts"
import type { Timestamp } from "./timestamp.ts"

/** Who did something, as others see them. */
export interface Person {
  readonly participantId: string
  readonly name: string
}

export interface LiveQuestion extends Question {
  /** Grows with every change but votes. */
  readonly rev: number
  /** The breakout or rotation room it was asked in. */
  readonly roomId: string | null
  /** How it was answered. */
  readonly answerMode: "live" | "text" | null
  /** Null for who asked anonymously: that is stored nowhere. */
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

/** The place of a message, which is also the stream that carries it. */
export type ChatPlace = "event" | "staff" | `room:${string}`

export const chatPlaceOf = ({ to, roomId }: Pick<ChatMessage, "to" | "roomId">): ChatPlace =>
  to === "room" ? `room:${roomId ?? ""}` : to

export interface Poll {
  readonly id: string
  readonly question: string
  readonly kind: "single" | "multi" | "rating"
  readonly options: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly anonymous: boolean
  readonly allowChange: boolean
  readonly results: "live" | "afterVote" | "onPublish"
  readonly status: "draft" | "open" | "closed"
  readonly published: boolean
  /** Votes per option, in the order of the options; always the tally of the poll's votes. */
  readonly counts: ReadonlyArray<number>
  readonly voters: number
  readonly createdAt: Timestamp
  readonly openedAt: Timestamp | null
  readonly closedAt: Timestamp | null
  /** When it closes by itself. */
  readonly endsAt: Timestamp | null
  readonly extendedMs: number
  readonly rev: number
}

export interface Hand extends Person {
  readonly note: string | null
  readonly at: Timestamp
}

/** Someone asked onto the stage, or there by invitation; `before` is the role they go back to. */
export interface StagePlace {
  readonly state: "invited" | "on"
  readonly expiresAt: Timestamp | null
  readonly before: EventRole
}

export interface Mute {
  readonly until: Timestamp | null
}

export interface BreakoutPlan {
  readonly id: string
  readonly strategy: "balanced" | "manual" | "self"
  readonly seed: number
  readonly rooms: ReadonlyArray<{ readonly name: string; readonly people: ReadonlyArray<string> }>
  readonly unplaced: ReadonlyArray<string>
  /** People a room, when that was asked. */
  readonly size: number | null
  readonly at: Timestamp
}

/** The breakout that is going on; there is at most one. */
export interface Breakout {
  readonly id: string
  readonly phaseId: string
  /** What was opened. */
  readonly planId: string
  readonly strategy: BreakoutPlan["strategy"]
  /** People a room was planned for; null when the rooms were given. */
  readonly size: number | null
  readonly late: "leastLoaded" | "ask" | "main"
  readonly openedAt: Timestamp
  /** By its own timer (`timed`), or else when the phase's ends, if it has one. */
  readonly endsAt: Timestamp | null
  readonly timed: boolean
  readonly extendedMs: number
  /** Set while it is being closed: when everyone is brought back. */
  readonly closesAt: Timestamp | null
  /** It is being closed because its time is up: more time keeps it open. */
  readonly timeIsUp: boolean
  readonly rev: number
}

export interface Room {
  readonly id: string
  readonly name: string
  /** People seated there. */
  readonly count: number
  readonly open: boolean
  /** Rooms are listed in this order, from 0. */
  readonly place: number
  readonly rev: number
}

/** Where a participant's place is. `away`: went back to the main room; the place is kept. */
export interface Seat {
  readonly roomId: string
  readonly away: boolean
  /** In a rotation: as their partners know them, also while they are not here. */
  readonly name?: string
  /** In a rotation: they lost their link, and their partners were told. */
  readonly missed?: boolean
}

/** The rotation that is going on, or the last one of the phase. */
export interface Rotation {
  readonly id: string
  readonly phaseId: string
  readonly status: "round" | "break" | "paused" | "ended"
  readonly roundSeconds: number
  readonly breakSeconds: number
  readonly rounds: number | "exhaust"
  readonly groupSize: number
  readonly odd: "bye" | "trio"
  /** Number of the round that runs, or ran last; 0 before the first. */
  readonly n: number
  readonly startsAt: Timestamp | null
  readonly endsAt: Timestamp | null
  /**
   * In a break, `startsAt` is its beginning and `endsAt` the next pairing; null: it waits for people. While paused: what
   * was left, and of what.
   */
  readonly remainingMs: number | null
  readonly paused: "round" | "break" | null
  /** By how much the timer that runs was extended. */
  readonly extendedMs?: number
  readonly pairs: number
  readonly byes: number
  /** The pairing's own memory (model/rotation-pairing.ts). */
  readonly seating: unknown
  readonly rev: number
}

/** A round that was held, or a breakout, in any phase of the event: who has met whom. */
export interface Round {
  readonly id: string
  readonly n: number
  readonly at: Timestamp
  readonly groups: ReadonlyArray<ReadonlyArray<string>>
  /** Indexes of the groups in which some had met before. */
  readonly repeats: ReadonlyArray<number>
  readonly byes: ReadonlyArray<string>
}

export interface Broadcast {
  readonly broadcastId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
  readonly startedAt: Timestamp | null
}

export interface Capture {
  readonly on: boolean
  readonly kinds: ReadonlyArray<CaptureKind>
  readonly since: Timestamp | null
}

export interface Settings {
  /** Null: as the active phase's configuration has it. */
  readonly moderated: boolean | null
  readonly questionsOpen: boolean
  readonly chatSlowMs: number
  /** Null: as the active phase's configuration has it. */
  readonly lobby: LobbyPolicy | null
}

export interface Records {
  readonly question: LiveQuestion
  /** Id: question and voter. */
  readonly questionVote: true
  readonly chat: ChatMessage
  readonly poll: Poll
  /** Id: poll and voter. The options voted for. */
  readonly pollVote: ReadonlyArray<string>
  /** By poll or question, and by origin: anonymous votes. */
  readonly originVotes: number
  /** By poll or question: voters without a name, and the addresses they come from. */
  readonly signedOutVotes: { readonly voters: number; readonly addresses: number }
  /** The rest by participant, */
  /** A pseudonym of the address an anonymous participant voted from first, and how many votes they have. */
  readonly origin: { readonly address: string; readonly votes: number }
  readonly hand: Hand
  readonly stage: StagePlace
  readonly role: { readonly role: EventRole }
  /** A workspace's user who was given a role here: they are on the event's list with it. By user. */
  readonly membership: { readonly role: EventRole }
  readonly mute: Mute
  readonly admission: { readonly state: "admitted" | "held" }
  readonly seat: Seat
  /** Takes part in rotations, or sits them out: where it differs from what their role says. */
  readonly opt: { readonly in: boolean }
  /** When they last wrote in the chat, Unix milliseconds: for slow mode. */
  readonly lastChat: number
  /** Once: the revision of the queue of hands as it was told last. */
  readonly handQueue: number
  /** Older messages that a command named: read back for it, and gone with the next. */
  readonly pastChat: ChatMessage
  /** By question: who asked it anonymously, for as long as this activation lasts. */
  readonly asker: string
  /** by their own id, */
  readonly plan: BreakoutPlan
  readonly room: Room
  readonly round: Round
  /** by phase, */
  readonly broadcast: Broadcast
  /** or once. */
  readonly breakout: Breakout
  readonly rotation: Rotation
  readonly capture: Capture
  readonly settings: Settings
}

export type Kind = keyof Records

/** One record after a change; `null` when it is gone. */
export interface Change<K extends Kind = Kind> {
  readonly kind: K
  readonly id: string
  readonly record: Records[K] | null
}

/** Kept in memory only: worth no row, or to be stored nowhere. */
export const VOLATILE: ReadonlySet<Kind> = new Set<Kind>(["lastChat", "pastChat", "asker", "handQueue"])

/** Chat is stored for good, but a live event remembers only so many messages of each place. */
export const CHAT_REMEMBERED = 50

/** Id of what there is one of. */
export const ONLY = "-"

export const DEFAULT_SETTINGS: Settings = { moderated: null, questionsOpen: true, chatSlowMs: 0, lobby: null }

/** Id of a vote: neither part holds a space. */
export const voteId = (of: string, voter: string): string => `${of} ${voter}`

/** The parts of a vote's id. */
export const partsOfVote = (id: string): { readonly of: string; readonly voter: string } => {
  const space = id.indexOf(" ")
  return { of: id.slice(0, space), voter: id.slice(space + 1) }
}
