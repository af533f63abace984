/** The gateway's contract: every command and every dispatch, by name. All other lists of them are derived from here. */

import type { StreamOf } from "../model/live/streams.ts"
import type { AnsweredBy, AnyCommand } from "./command.ts"
import type { AnyDispatch, OptOut } from "./dispatch.ts"
import type { ExpectNone } from "./expect-none.ts"
import { joined, type Repeated } from "./joined.ts"
import { AGENDA_COMMANDS, AGENDA_DISPATCHES } from "./messages/agenda.ts"
import { ANNOUNCEMENT_COMMANDS, ANNOUNCEMENT_DISPATCHES } from "./messages/announcements.ts"
import { BREAKOUT_COMMANDS, BREAKOUT_DISPATCHES } from "./messages/breakouts.ts"
import { CHAT_COMMANDS, CHAT_DISPATCHES } from "./messages/chat.ts"
import { HAND_COMMANDS, HAND_DISPATCHES } from "./messages/hands.ts"
import { MEDIA_COMMANDS, MEDIA_DISPATCHES } from "./messages/media.ts"
import { PARTICIPANT_COMMANDS, PARTICIPANT_DISPATCHES } from "./messages/participants.ts"
import { POLL_COMMANDS, POLL_DISPATCHES } from "./messages/polls.ts"
import { PRESENCE_COMMANDS, PRESENCE_DISPATCHES } from "./messages/presence.ts"
import { QUESTION_COMMANDS, QUESTION_DISPATCHES } from "./messages/questions.ts"
import { REACTION_COMMANDS, REACTION_DISPATCHES } from "./messages/reactions.ts"
import { ROTATION_COMMANDS, ROTATION_DISPATCHES } from "./messages/rotation.ts"
import { SESSION_COMMANDS, SESSION_DISPATCHES } from "./session.ts"

const COMMAND_FAMILIES = [
  AGENDA_COMMANDS,
  ANNOUNCEMENT_COMMANDS,
  PARTICIPANT_COMMANDS,
  PRESENCE_COMMANDS,
  QUESTION_COMMANDS,
  CHAT_COMMANDS,
  POLL_COMMANDS,
  REACTION_COMMANDS,
  HAND_COMMANDS,
  BREAKOUT_COMMANDS,
  ROTATION_COMMANDS,
  MEDIA_COMMANDS,
  SESSION_COMMANDS,
] as const satisfies ReadonlyArray<{ readonly [name: string]: AnyCommand }>

export const COMMANDS = joined(
  COMMAND_FAMILIES satisfies ExpectNone<"command in two files", Repeated<typeof COMMAND_FAMILIES>>,
)

export type CommandName = keyof typeof COMMANDS
/** Decoded `d` of a command. */
export type CommandData<T extends CommandName> = (typeof COMMANDS)[T]["data"]["Type"]
/** `d` of the reply to an accepted command. */
export type ReplyData<T extends CommandName> = (typeof COMMANDS)[T]["reply"]["Type"]

/** Commands that may name a revision. */
export type RevisingName = {
  readonly [T in CommandName]: [Exclude<(typeof COMMANDS)[T]["revises"], undefined>] extends [never] ? never : T
}[CommandName]

type AnsweredOnly<By extends AnsweredBy> = {
  readonly [T in CommandName]: (typeof COMMANDS)[T]["answeredBy"] extends By ? T : never
}[CommandName]
export type AgendaCommandName = AnsweredOnly<"agenda">
export type ActivityName = AnsweredOnly<"activity">
export type GatewayCommandName = AnsweredOnly<"gateway">
export type ConnectionCommandName = AnsweredOnly<"connection">
/** Commands that a live event receives. */
export type LiveCommandName = AgendaCommandName | ActivityName

/** The contract of a command in a wider type than the value's, for code that takes any command. */
export const commandContract = (name: CommandName): AnyCommand => COMMANDS[name]

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name)

export const COMMAND_NAMES = Object.keys(COMMANDS) as ReadonlyArray<CommandName>

export const isGatewayCommand = (name: CommandName): name is GatewayCommandName =>
  COMMANDS[name].answeredBy === "gateway"

export const isConnectionCommand = (name: CommandName): name is ConnectionCommandName =>
  COMMANDS[name].answeredBy === "connection"

export const isLiveCommand = (name: CommandName): name is LiveCommandName =>
  !isGatewayCommand(name) && !isConnectionCommand(name)

export const AGENDA_COMMAND_NAMES = COMMAND_NAMES.filter(
  (name): name is AgendaCommandName => COMMANDS[name].answeredBy === "agenda",
)
export const ACTIVITY_NAMES = COMMAND_NAMES.filter(
  (name): name is ActivityName => COMMANDS[name].answeredBy === "activity",
)

const DISPATCH_FAMILIES = [
  SESSION_DISPATCHES,
  AGENDA_DISPATCHES,
  ANNOUNCEMENT_DISPATCHES,
  PARTICIPANT_DISPATCHES,
  PRESENCE_DISPATCHES,
  QUESTION_DISPATCHES,
  CHAT_DISPATCHES,
  POLL_DISPATCHES,
  REACTION_DISPATCHES,
  HAND_DISPATCHES,
  BREAKOUT_DISPATCHES,
  ROTATION_DISPATCHES,
  MEDIA_DISPATCHES,
] as const satisfies ReadonlyArray<{ readonly [name: string]: AnyDispatch }>

export const DISPATCHES = joined(
  DISPATCH_FAMILIES satisfies ExpectNone<"dispatch in two files", Repeated<typeof DISPATCH_FAMILIES>>,
)

export type DispatchName = keyof typeof DISPATCHES
/** `d` of a dispatch. */
export type DispatchData<T extends DispatchName> = (typeof DISPATCHES)[T]["data"]["Type"]

type OfKind<Kind extends AnyDispatch["kind"]> = {
  readonly [T in DispatchName]: (typeof DISPATCHES)[T]["kind"] extends Kind ? T : never
}[DispatchName]
export type OrderedDispatchName = OfKind<"ordered">
export type EphemeralDispatchName = OfKind<"ephemeral">

/** Streams to which a dispatch may be published, by their internal names. */
export type StreamFor<T extends OrderedDispatchName | EphemeralDispatchName> = StreamOf<
  (typeof DISPATCHES)[T]["streams"][number]
>

/** An ordered dispatch without a stream position. */
export type Dispatch = {
  readonly [T in OrderedDispatchName]: { readonly t: T; readonly stream: StreamFor<T>; readonly d: DispatchData<T> }
}[OrderedDispatchName]

/** An ephemeral dispatch. It replaces an earlier unsent one with the same `key`. */
export type Ephemeral = {
  readonly [T in EphemeralDispatchName]: {
    readonly t: T
    readonly stream: StreamFor<T>
    readonly d: DispatchData<T>
    readonly key: string
  }
}[EphemeralDispatchName]

// The compiler cannot see that a name, its stream and its data together are one member of the union.
export const dispatchOf = <T extends OrderedDispatchName>(t: T, stream: StreamFor<T>, d: DispatchData<T>): Dispatch =>
  ({ t, stream, d }) as Dispatch

/** `about`: the entity concerned. A later dispatch with the same name about the same entity replaces this one. */
export const ephemeralOf = <T extends EphemeralDispatchName>(
  t: T,
  stream: StreamFor<T>,
  d: DispatchData<T>,
  about = "",
): Ephemeral => ({ t, stream, d, key: `${t}:${about}` }) as Ephemeral

/** Options of an ephemeral dispatch, sent with each of its publications. */
export const ephemeralOptions = (t: EphemeralDispatchName): { readonly optOut?: OptOut } => {
  const { optOut }: { readonly optOut?: OptOut } = DISPATCHES[t]
  return optOut === undefined ? {} : { optOut }
}
