/** Every command by every role in every modality and with every feature, over real sockets, against the hand-written table. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { newId } from "../../src/model/ids.ts"
import { Modality } from "../../src/model/modality.ts"
import { Feature } from "../../src/model/phase.ts"
import { EventRole } from "../../src/model/roles.ts"
import { COMMANDS as SERVED } from "../../src/protocol/contract.ts"
import type { Client } from "./client.ts"
import { chatProbe, type Probe, probeOf } from "./command-probes.ts"
import { NO_LIMITS, type Stage, sharedHouse } from "./house.ts"
import {
  CHAT_TARGETS,
  COMMANDS,
  chatTargetsOf,
  chatVerdict,
  commandsOf,
  FEATURES,
  ROLES,
  type Role,
  SETTINGS,
  type Situation,
  verdict,
} from "./permission-reader.ts"

const house = sharedHouse({ budgets: NO_LIMITS, identifiesPerSecond: 1e6, commandsInFlight: 1e6 })

/** A permitted sender ends the event or its own connection with these: they come last. */
const FINAL: ReadonlyArray<string> = ["leave", "event.end"]
/** The administrator comes last, and ends the event itself; a host ends one of its own. */
const IN_ORDER = ROLES.toReversed()

const join = (stage: Stage, role: Role): Promise<Client> =>
  role === "anonymous"
    ? house.join(stage, `anon:${newId()}`, "viewer", { kind: "anonymous" })
    : house.join(stage, `${role}-${newId()}`, role, { kind: "user" })

/** "allowed" for an answer that the probe lists, else the code of the refusal. */
const answer = async (client: Client, command: string, [d, ...answers]: Probe): Promise<string> => {
  const { ok, e } = await client.command(command, d)
  const given = ok ? "ok" : e.code
  return answers.includes(given) ? "allowed" : given
}

interface Given extends Situation {
  readonly status: "scheduled" | "live"
  /** Only what people are told that they can do is compared. */
  readonly isTold?: true
  /** Commands are sent by anonymous people alone: what they may do is all that differs. */
  readonly isOfAnonymous?: true
}

const BOTH = { questions: true, voting: true }
const ONLY_QUESTIONS = { questions: true, voting: false }
const ONLY_VOTING = { questions: false, voting: true }

/**
 * Everything in every modality, and nothing in one. The rule itself is compared in all situations by `test/model/permissions.test.ts`; here
 * are the facts that the live event gives to it: of the other situations only what people are told is compared.
 */
const inPhases = SETTINGS.filter((setting) => setting !== "none").flatMap((setting, n): ReadonlyArray<Given> => {
  const phase = { status: "live", setting, anonymous: BOTH } as const
  const told = { ...phase, isTold: true } as const
  return [
    { ...phase, featureSet: FEATURES, anonymous: ONLY_QUESTIONS },
    { ...phase, featureSet: FEATURES, anonymous: ONLY_VOTING, isOfAnonymous: true },
    n === 0 ? { ...phase, featureSet: [] } : { ...told, featureSet: [] },
    ...(n === 0 ? FEATURES.map((one) => ({ ...told, featureSet: [one] })) : []),
  ]
})

/** An announced event has the features of the phases to come; a live event without an active phase has none. */
const outsideOfPhases: ReadonlyArray<Given> = [
  { status: "scheduled", setting: "none", featureSet: FEATURES, anonymous: ONLY_QUESTIONS },
  { status: "scheduled", setting: "none", featureSet: FEATURES, anonymous: ONLY_VOTING, isOfAnonymous: true },
  { status: "scheduled", setting: "none", featureSet: [], anonymous: BOTH },
  { status: "live", setting: "none", featureSet: [], anonymous: BOTH },
]

const openEvent = async ({ status, setting, featureSet, anonymous }: Given): Promise<Stage> => {
  const phase = { modality: setting === "none" ? "broadcast" : setting, featureSet: [...featureSet] }
  const isWithoutPhases = status === "live" && setting === "none"
  const stage = await house.stage(isWithoutPhases ? [] : [phase], "scheduled")
  const allow = { allowAnonymousQuestions: anonymous.questions, allowAnonymousVoting: anonymous.voting }
  await house.actors.execute(stage.eventId, { type: "event.patch", d: allow })
  if (status === "live") await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  if (isWithoutPhases) {
    // A phase that waits for its turn lends its features to nobody.
    const later = { phaseId: newId(), config: {}, modality: "broadcast", featureSet: FEATURES } as const
    await house.actors.execute(stage.eventId, { type: "phase.append", d: later })
  }
  return stage
}

test("the table names every command, role, modality and feature of the server, and no other", () => {
  expect(COMMANDS.toSorted()).toEqual(Object.keys(SERVED).toSorted())
  expect(ROLES).toEqual([...EventRole.literals, "anonymous"])
  expect(SETTINGS).toEqual([...Modality.literals, "none"])
  expect(FEATURES).toEqual(Feature.literals)
})

const situations = [...inPhases, ...outsideOfPhases]
test.each(situations)("$status, phase $setting with $featureSet, anonymous: $anonymous", async (given) => {
  const open = () => openEvent(given)
  const stage = await open()
  const { phase } = (await house.actors.run(Effect.flatMap(LiveEvents, (live) => live.read(stage.eventId, [], true))))
    .snapshot
  expect(phase).toMatchObject({ modality: given.setting === "none" ? null : given.setting, anonymous: given.anonymous })
  expect(phase.featureSet.toSorted()).toEqual(given.featureSet.toSorted())
  const found: Array<Promise<string>> = []
  const wanted: string[] = []
  const compare = (client: Client, role: Role, command: string, probe: Probe, expected: string): void => {
    const line = `${role} ${command} ${JSON.stringify(probe[0])}: `
    wanted.push(line + expected)
    found.push(answer(client, command, probe).then((given) => line + given))
  }
  for (const role of IN_ORDER) {
    const client = await join(stage, role)
    const { me } = client.received.find(({ t }) => t === "ready").d
    expect(me.can.toSorted()).toEqual(commandsOf(role, given).toSorted())
    expect(me.chatTo.toSorted()).toEqual(chatTargetsOf(role, given).toSorted())
    if (given.isTold || (given.isOfAnonymous && role !== "anonymous")) {
      await client.cut()
      continue
    }
    for (const command of COMMANDS.filter((name) => !FINAL.includes(name) && name !== "chat.send")) {
      compare(client, role, command, probeOf(command), verdict(role, given, command))
    }
    for (const to of CHAT_TARGETS) {
      compare(client, role, "chat.send", chatProbe(to), chatVerdict(role, given, to))
    }
    // The commands of a role are sent without waiting for each reply, so that many are decided and committed together.
    await Promise.all(found)
    compare(client, role, "leave", probeOf("leave"), verdict(role, given, "leave"))
    await found.at(-1)
    const expected = verdict(role, given, "event.end")
    const isOwn = expected === "allowed" && role !== IN_ORDER.at(-1)
    const ending = await join(isOwn ? await open() : stage, role)
    compare(ending, role, "event.end", probeOf("event.end"), expected)
    await found.at(-1)
    for (const one of [client, ending]) await one.cut()
  }
  expect(await Promise.all(found)).toEqual(wanted)
})
