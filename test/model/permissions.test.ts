/** The rule that grants commands, against the hand-written table, in every situation that can decide a command. */
import { expect, test } from "vitest"
import { ChatTarget } from "../../src/model/live/live-values.ts"
import { COMMAND_NAMES } from "../../src/protocol/contract.ts"
import { allowedCommands, can, canChat } from "../../src/protocol/permissions.ts"
import {
  CHAT_TARGETS,
  COMMANDS,
  chatVerdict,
  commandsOf,
  FEATURES,
  ROLES,
  SETTINGS,
  type Situation,
  verdict,
} from "../gateway/permission-reader.ts"

/** Everything, nothing, each feature by itself, and everything but that one. */
const FEATURE_SETS = [FEATURES, [], ...FEATURES.flatMap((one) => [[one], FEATURES.filter((other) => other !== one)])]

const SITUATIONS: ReadonlyArray<Situation> = SETTINGS.flatMap((setting) =>
  FEATURE_SETS.flatMap((featureSet) =>
    [true, false].flatMap((questions) =>
      [true, false].map((voting) => ({ setting, featureSet, anonymous: { questions, voting } })),
    ),
  ),
)

const traitsOf = ({ setting, ...traits }: Situation) => ({ ...traits, modality: setting === "none" ? null : setting })

const names = COMMAND_NAMES

test("the table names every command and every place to write to, and no other", () => {
  expect(names.toSorted()).toEqual(COMMANDS.toSorted())
  expect(ChatTarget.literals).toEqual(CHAT_TARGETS)
})

test.each(ROLES)("the rule answers a %s as the table does", (role) => {
  for (const situation of SITUATIONS) {
    const traits = traitsOf(situation)
    const found = names.map((name) => [name, can(role, traits, name)])
    expect(found, JSON.stringify(situation)).toEqual(names.map((name) => [name, verdict(role, situation, name)]))
    expect(allowedCommands(role, traits).toSorted()).toEqual(commandsOf(role, situation).toSorted())
  }
})

test.each(ROLES)("the rule opens the places of the chat to a %s as the table does", (role) => {
  for (const situation of SITUATIONS.filter((one) => verdict(role, one, "chat.send") === "allowed")) {
    const found = ChatTarget.literals.map((to) => [to, canChat(role, traitsOf(situation), to)])
    expect(found, JSON.stringify(situation)).toEqual(
      ChatTarget.literals.map((to) => [to, chatVerdict(role, situation, to)]),
    )
  }
})
