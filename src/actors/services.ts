/** The services that live events work with, and what an operator decides for all of them. */
import type { Timers } from "../clock/timers.ts"
import type { AnswerDeadlines } from "../model/limits/answer-deadlines.ts"
import type { Database } from "../store/database.ts"
import type { LiveCommits } from "../store/live/live-commits.ts"
import type { MediaSignal } from "../store/media/media-signal.ts"
import type { OutboxSignal } from "../store/webhooks/outbox.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { Deployment } from "./domain/turn.ts"
import type { Feed } from "./feed.ts"
import type { EventSystem } from "./machine/machine-actor.ts"
import type { EventOwnership } from "./ownership/ownership.ts"

export interface ActorServices {
  readonly timers: Timers
  readonly database: Database["Service"]
  readonly commits: LiveCommits["Service"]
  readonly feed: Feed["Service"]
  readonly outbox: OutboxSignal["Service"]
  readonly media: MediaSignal["Service"]
  readonly telemetry: Telemetry["Service"]
  readonly ownership: EventOwnership
  readonly system: EventSystem
}

/** Deadlines of those that ask a live event. */
export type LiveEventDeadlines = Pick<AnswerDeadlines, "attemptMs" | "reachMs">

export interface LiveEventOptions extends Deployment {
  /** Commands that one event may queue; one more fails with `MailboxFull`. */
  readonly mailbox: number
  readonly presenceGraceMs: number
  /** Of one participant, on all nodes together; the oldest of more are closed. */
  readonly connectionsPerParticipant: number
  /** How long a participant may have more, so that nodes that are gone are known to be. */
  readonly replaceAfterMs: number
  /** A participant that was present before a restart and does not return within this time has left. */
  readonly returnWithinMs: number
  /** An event without traffic leaves memory after this long. */
  readonly idleMs: number
  readonly answers: LiveEventDeadlines
}

/** The services of one live event. */
export interface EventNeeds extends ActorServices, LiveEventOptions {
  readonly eventId: string
}
