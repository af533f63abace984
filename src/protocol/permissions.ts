/** Permissions of commands, derived from their contracts. REST calls of the audience are checked by the same rules. */
import { ChatTarget } from "../model/live/live-values.ts"
import { COMMAND_NAMES, COMMANDS, type CommandName, commandContract } from "./contract.ts"
import { CHAT_TARGETS } from "./messages/chat.ts"
import { type ActingRole, type Permission, type PhaseTraits, permit, permittedBy } from "./rule.ts"

/** Whether a participant with this stored role may send the command now. `permit` documents each refusal. */
export const can = (stored: ActingRole, traits: PhaseTraits, command: CommandName): Permission =>
  permit(COMMANDS[command], stored, traits)

const SENTENCES = {
  forbidden: (what: string) => `Your role does not allow ${what} now.`,
  wrong_phase: (what: string) => `The active phase has no ${what}.`,
  feature_disabled: (what: string, feature: string) =>
    `The active phase lacks the feature ${feature}, which ${what} needs.`,
} as const

/** The text of a refusal, for people, which names the missing condition. */
export const whyNot = (permission: Exclude<Permission, "allowed">, command: CommandName): string =>
  SENTENCES[permission](command, commandContract(command).feature ?? "")

/** Whether the participant may write to this chat target, if they may write at all. */
export const canChat = (stored: ActingRole, traits: PhaseTraits, to: ChatTarget): Permission =>
  permit(CHAT_TARGETS[to], stored, traits)

/** Every command that the participant may send now: `me.can`. */
export const allowedCommands = (stored: ActingRole, traits: PhaseTraits): ReadonlyArray<CommandName> =>
  permittedBy(COMMANDS, COMMAND_NAMES, stored, traits)

/** The chat targets to which the participant may write now: `me.chatTo`. */
export const allowedChatTargets = (stored: ActingRole, traits: PhaseTraits): ReadonlyArray<ChatTarget> =>
  permittedBy(CHAT_TARGETS, ChatTarget.literals, stored, traits)
