/**
 * The contract of a gateway command, as one value. Permissions, decoders, replies, revisions, rate limits, the description, the
 * guide's tables and the client's types are derived from these values. To add a command, add its value to its topic; the compiler
 * then requires its handler.
 */
import { Schema } from "effect"
import type { Rule } from "./rule.ts"

/** The entity whose revision a command may name in `rev`. A stale revision is refused with the entity as it is now. */
export type RevisedEntity = "phase" | "timer" | "question" | "message" | "poll" | "room" | "breakout" | "rotation"

/** A rate limit that a command counts against besides the limit of all commands (`docs/gateway.md`, Errors). */
export type RateClass = "chat" | "questions" | "votes" | "reactions" | "roster"

/**
 * `agenda`: the live event's statechart, in a turn of its actor. `activity`: an activity of the live event, in such a turn.
 * `gateway`: the gateway, from memory; nothing is stored.
 */
export type AnsweredBy = "agenda" | "activity" | "gateway"

export interface CommandContract<Data extends Schema.Top, Reply extends Schema.Top, By extends AnsweredBy>
  extends Rule {
  /** `d` of the command. */
  readonly data: Data
  /** `d` of the reply to an accepted command. */
  readonly reply: Reply
  readonly answeredBy: By
  /** Absent: the command acts on nothing that has a revision, and one that names `rev` is refused. */
  readonly revises?: RevisedEntity
  readonly rate?: RateClass
}

export type AnyCommand = CommandContract<Schema.Top, Schema.Top, AnsweredBy>

type Given<Data extends Schema.Top, Reply extends Schema.Top> = Omit<
  CommandContract<Data, Reply, AnsweredBy>,
  "answeredBy"
>

const answered =
  <By extends AnsweredBy>(answeredBy: By) =>
  <Data extends Schema.Top, Reply extends Schema.Top>(given: Given<Data, Reply>): CommandContract<Data, Reply, By> => ({
    ...given,
    answeredBy,
  })

export const agendaCommand = answered("agenda")
export const activityCommand = answered("activity")
export const gatewayCommand = answered("gateway")

/** Data of commands that take none. It is an object all the same, so that fields may be added. */
export const NoData = Schema.Record(Schema.String, Schema.Unknown)
/** The reply of a command that changes nothing to report to its sender. */
export const Done = Schema.Record(Schema.String, Schema.Never)
