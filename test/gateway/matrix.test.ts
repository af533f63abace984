/** Every command by every role in every modality, with all features and with none: over real sockets, against the one table. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { newId } from "../../src/model/ids.ts"
import { ChatTarget } from "../../src/model/live-values.ts"
import { Feature, Modality } from "../../src/model/phase.ts"
import { EventRole } from "../../src/model/roles.ts"
import { COMMAND_NAMES, type CommandName } from "../../src/protocol/contract.ts"
import { allowedCommands, can, canChat } from "../../src/protocol/permissions.ts"
import type { ActingRole, PhaseTraits } from "../../src/protocol/rule.ts"
import type { Client } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House

const free = { perSecond: 1e6, burst: 1e6 }

beforeAll(async () => {
  const budgets = { commands: free, chat: free, questions: free, votes: free, reactions: free, roster: free }
  house = await openHouse({ budgets, identifiesPerSecond: 1e6 })
})
afterAll(() => house.stop())

const NOWHERE = newId()
const SEGMENT = { segment: "s", final: true, speaker: "A", lang: "en", t0: 0, t1: 1, text: "x" }

/** A valid body of each command; what it is about is mostly not there, so that a great many can be sent to one event. */
const BODIES: { readonly [T in CommandName]: object } = {
  "phase.next": { phaseId: NOWHERE },
  "phase.update": { phaseId: NOWHERE },
  "event.end": {},
  "timer.extend": { timerId: NOWHERE, seconds: 60 },
  announce: { text: "x" },
  "participant.remove": { id: "nobody" },
  "participant.mute": { id: "nobody" },
  "participant.toLobby": { id: "nobody" },
  "participant.unblock": { id: "nobody" },
  "role.set": { id: "nobody", role: "host" },
  "broadcast.start": {},
  "broadcast.pause": {},
  "broadcast.resume": {},
  "broadcast.stop": { phaseId: NOWHERE },
  "lobby.admit": { all: true },
  "lobby.deny": { ids: ["nobody"] },
  "lobby.policy": { mode: "open" },
  "question.ask": { text: "Why?" },
  "question.withdraw": { id: NOWHERE },
  "question.vote": { id: NOWHERE, on: true },
  "question.approve": { id: NOWHERE },
  "question.hide": { id: NOWHERE },
  "question.restore": { id: NOWHERE },
  "question.pin": { id: NOWHERE },
  "question.answer": { id: NOWHERE, mode: "live" },
  "qa.settings": { open: true },
  "chat.send": { to: "event", text: "x" },
  "chat.delete": { id: NOWHERE },
  "chat.slow": { perMs: 0 },
  "poll.create": { question: "Which?", kind: "single", options: ["a", "b"] },
  "poll.open": { id: NOWHERE },
  "poll.close": { id: NOWHERE },
  "poll.publish": { id: NOWHERE },
  "poll.delete": { id: NOWHERE },
  "poll.vote": { id: NOWHERE, optionIds: [] },
  "reaction.send": { kind: "clap" },
  "hand.raise": {},
  "hand.lower": {},
  "hand.lowerFor": { all: true },
  "stage.invite": { id: "nobody" },
  "stage.accept": {},
  "stage.leave": {},
  "breakout.plan": { size: 2, strategy: "balanced" },
  "breakout.open": { planId: NOWHERE },
  "breakout.move": { id: "nobody", roomId: null },
  "breakout.close": {},
  "room.choose": { roomId: NOWHERE },
  "room.return": {},
  "room.help": {},
  "rotation.start": { roundSeconds: 600, rounds: 1 },
  "rotation.skip": {},
  "rotation.pause": {},
  "rotation.resume": {},
  "rotation.stop": {},
  "rotation.opt": { in: true },
  "capture.start": { kinds: ["recording"] },
  "capture.stop": {},
  "transcript.push": { segments: [SEGMENT] },
  "roster.list": {},
  leave: {},
  sync: { cursors: {} },
}

const ROLES: ReadonlyArray<ActingRole> = [...EventRole.literals, "anonymous"]
/** These end the event or the connection when they are allowed: each is given one of its own. */
const FINAL: ReadonlySet<CommandName> = new Set<CommandName>(["event.end", "leave"])
const REFUSALS = ["forbidden", "wrong_phase", "feature_disabled"]

const join = (stage: Stage, role: ActingRole): Promise<Client> =>
  role === "anonymous"
    ? house.join(stage, `anon:${newId()}`, "viewer", { kind: "anonymous" })
    : house.join(stage, `${role}-${newId()}`, role, { kind: "user" })

const answer = async (client: Client, t: CommandName, d: object): Promise<string> => {
  const { ok, e } = await client.command(t, d)
  return !ok && REFUSALS.includes(e.code) ? e.code : "allowed"
}

const bodiesOf = (t: CommandName): ReadonlyArray<object> =>
  t === "chat.send" ? ChatTarget.literals.map((to) => ({ to, text: "x" })) : [BODIES[t]]

const expected = (role: ActingRole, traits: PhaseTraits, t: CommandName, d: object): string => {
  const permission = can(role, traits, t)
  return t === "chat.send" && permission === "allowed"
    ? canChat(role, traits, (d as { to: ChatTarget }).to)
    : permission
}

const LENIENT = { questions: true, voting: true }
const STRICT = { questions: false, voting: false }
/** Everything and nothing, and each feature by itself: no command may take one for another. */
const FEATURE_SETS: ReadonlyArray<ReadonlyArray<Feature>> = [
  Feature.literals,
  [],
  ...Feature.literals.map((one) => [one]),
]

const situations = Modality.literals.flatMap((modality) =>
  FEATURE_SETS.flatMap((featureSet) =>
    (featureSet.length === 1 ? [LENIENT] : [LENIENT, STRICT]).map((anonymous) => ({ modality, featureSet, anonymous })),
  ),
)

/** An event in a situation; `modality: null` is one that is announced, with a phase that has the features. */
const openEvent = async ({ modality, featureSet, anonymous }: PhaseTraits): Promise<Stage> => {
  const phase = { modality: modality ?? "broadcast", featureSet: [...featureSet] }
  const stage = await house.stage([phase], "scheduled")
  const allow = { allowAnonymousQuestions: anonymous.questions, allowAnonymousVoting: anonymous.voting }
  await house.actors.execute(stage.eventId, { type: "event.patch", d: allow })
  if (modality !== null) await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  return stage
}

/** What decides before the start: the event's questions are open, the rest of its phases is not there yet. */
const announced = [Feature.literals, []].flatMap((featureSet) =>
  [LENIENT, STRICT].map((anonymous) => ({ modality: null, featureSet, anonymous })),
)

test.each([...situations, ...announced])("in $modality with $featureSet, anonymous: $anonymous", async (given) => {
  const open = () => openEvent(given)
  const stage = await open()
  const { phase: traits } = (
    await house.actors.run(Effect.flatMap(LiveEvents, (live) => live.read(stage.eventId, [], true)))
  ).snapshot
  expect(traits).toMatchObject({ modality: given.modality, anonymous: given.anonymous })
  if (given.modality !== null) expect([...traits.featureSet].sort()).toEqual([...given.featureSet].sort())
  const found: string[] = []
  const wanted: string[] = []
  const say = (role: ActingRole, t: CommandName, d: object, what: string): string =>
    `${role} ${t} ${JSON.stringify(d)}: ${what}`
  for (const role of ROLES) {
    const client = await join(stage, role)
    const [ready] = client.received.filter(({ t }) => t === "ready")
    expect(ready.d.me.can).toEqual(allowedCommands(role, traits))
    for (const t of COMMAND_NAMES.filter((name) => !FINAL.has(name))) {
      for (const d of bodiesOf(t)) {
        found.push(say(role, t, d, await answer(client, t, d)))
        wanted.push(say(role, t, d, expected(role, traits, t, d)))
      }
    }
    for (const t of FINAL) {
      const own = can(role, traits, t) === "allowed" ? await join(await open(), role) : client
      found.push(say(role, t, {}, await answer(own, t, {})))
      wanted.push(say(role, t, {}, can(role, traits, t)))
    }
    await client.cut()
  }
  expect(found).toEqual(wanted)
})
