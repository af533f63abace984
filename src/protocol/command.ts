/**
 * Contract of a gateway command, as one value. Permissions, decoders, replies, revisions, rate limits, the description, the guide's tables
 * and the client's types are derived from these values. To add a command, add its value to its file in `messages`; the compiler then
 * requires its handler.
 */
import { Schema } from "effect"
import type { ParticipantId } from "../model/live/live-values.ts"
import type { Rule } from "./rule.ts"

/** The entity whose revision a command may name in `rev`. A stale revision is refused with the current entity. */
type RevisedEntity = "phase" | "timer" | "question" | "message" | "poll" | "room" | "breakout" | "rotation"

/** A rate limit against which a command counts in addition to the limit of all commands (`docs/gateway.md`, Limits). */
export type RateClass = "chat" | "questions" | "votes" | "reactions" | "roster"

/**
 * `agenda`: the live event's statechart, in a turn of its actor. `activity`: an activity of the live event, in such a turn. `gateway`: the
 * gateway, from memory; nothing is stored. `connection`: the gateway, about the socket that sent the command, so that no HTTP request can
 * send it.
 */
export type AnsweredBy = "agenda" | "activity" | "gateway" | "connection"

export interface CommandContract<Data extends Schema.Top, Reply extends Schema.Top, By extends AnsweredBy>
  extends Rule {
  /** `d` of the command. */
  readonly data: Data
  /** `d` of the reply to an accepted command. */
  readonly reply: Reply
  readonly answeredBy: By
  /** Absent: the command acts on nothing that has a revision, and a command that names `rev` is refused. */
  readonly revises?: RevisedEntity
  readonly rate?: RateClass
  /** `signals`: the command counts against its connection's budget for signals, and not against the limit of all commands. */
  readonly budget?: "signals"
  /**
   * Members of `data` whose participants must not be owners or admins of the workspace, unless the sender is one. Present if `data` names
   * participants, and empty if the command may name anybody.
   */
  readonly managersExemptIn?: ReadonlyArray<string>
  /**
   * Requirement on the sender. `person`: the command is about the sender's own vote, so an API key cannot send it. `presence`: it is about the
   * sender's hand, seat or place on stage, which last as long as their presence, so that an HTTP request of somebody absent cannot send it.
   */
  readonly needs?: "person" | "presence"
}

export type AnyCommand = CommandContract<Schema.Top, Schema.Top, AnsweredBy>

type NamesParticipants<S> = S extends typeof ParticipantId
  ? true
  : S extends Schema.$Array<infer Item>
    ? NamesParticipants<Item>
    : S extends Schema.optionalKey<infer Inner>
      ? NamesParticipants<Inner>
      : S extends Schema.Union<infer Members>
        ? NamesParticipants<Members[number]>
        : false

/** Members of the data that name participants. */
type ParticipantsIn<Data> =
  Data extends Schema.Struct<infer Fields>
    ? { readonly [F in keyof Fields]: true extends NamesParticipants<Fields[F]> ? F : never }[keyof Fields]
    : Data extends Schema.Union<infer Members>
      ? ParticipantsIn<Members[number]>
      : never

/** A command that names participants has to state in which of its members managers are exempt. */
type Exemption<Data> = [ParticipantsIn<Data>] extends [never]
  ? { readonly managersExemptIn?: never }
  : { readonly managersExemptIn: ReadonlyArray<ParticipantsIn<Data>> }

type Given<Data extends Schema.Top, Reply extends Schema.Top> = Omit<
  CommandContract<Data, Reply, AnsweredBy>,
  "answeredBy" | "managersExemptIn" | "revises"
>

/** `E`: the entity whose revision the command may name; `never`: none. */
interface Revising<E extends RevisedEntity> {
  readonly revises?: E
}

const answered =
  <By extends AnsweredBy>(answeredBy: By) =>
  <Data extends Schema.Top, Reply extends Schema.Top, E extends RevisedEntity = never>(
    given: Given<Data, Reply> & Revising<E> & Exemption<Data>,
  ): CommandContract<Data, Reply, By> & Revising<E> => ({
    ...given,
    answeredBy,
  })

export const agendaCommand = answered("agenda")
export const activityCommand = answered("activity")
export const gatewayCommand = answered("gateway")
export const connectionCommand = answered("connection")

/** Data of commands without any. It is an object, so that fields may be added. */
export const NoData = Schema.Record(Schema.String, Schema.Unknown)
/** Reply of a command with nothing to report to its sender. */
export const Done = Schema.Record(Schema.String, Schema.Never)
