/** Services used by live events, and the operator's settings for all of them. */
import type { Context, Effect, Fiber } from "effect"
import type { ShardId } from "effect/cluster"
import type { Timers } from "../clock/timers.ts"
import type { AnswerDeadlines } from "../model/limits/answer-deadlines.ts"
import type { Database } from "../store/database.ts"
import type { LiveCommits } from "../store/live/live-commits.ts"
import type { MediaSignal } from "../store/media/media-signal.ts"
import type { OutboxSignal } from "../store/webhooks/outbox.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { CallServer } from "./calls/call-server.ts"
import type { Deployment } from "./domain/turn.ts"
import type { Feed } from "./feed.ts"
import type { EventSystem } from "./machine/machine-actor.ts"
import type { Ownership } from "./ownership/ownership.ts"

/** Deadlines of callers of a live event. */
export type LiveEventDeadlines = Pick<AnswerDeadlines, "attemptMs" | "reachMs">

export interface LiveEventOptions extends Deployment {
  /** Most commands that one event may queue; one more fails with `MailboxFull`. */
  readonly mailbox: number
  readonly presenceGraceMs: number
  /** Most connections of one participant on all nodes together; the oldest in excess are closed. */
  readonly connectionsPerParticipant: number
  /** How long a participant may exceed that limit, so that lost nodes are detected first. */
  readonly replaceAfterMs: number
  /** A participant who was present before a restart and does not return within this time has left. */
  readonly returnWithinMs: number
  /** An event without traffic leaves memory after this long. */
  readonly idleMs: number
  readonly answers: LiveEventDeadlines
}

/** Services and settings of all live events in this process. */
export interface EventServices extends LiveEventOptions {
  readonly timers: Timers
  readonly database: Database["Service"]
  readonly commits: LiveCommits["Service"]
  readonly feed: Feed["Service"]
  readonly outbox: OutboxSignal["Service"]
  readonly media: MediaSignal["Service"]
  readonly telemetry: Telemetry["Service"]
  readonly ownership: Ownership["Service"]
  readonly system: EventSystem
  readonly callServer: Context.Service.Shape<typeof CallServer>
  /** Runs an effect in the background. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
}

/** Which event an actor is for, and the shard that decides where it is. */
export interface EventAddress {
  readonly eventId: string
  readonly shardId: ShardId.ShardId
}
