/** The acts of people and hosts. Everything that is created has a mark of its own in its text. */
import type { Chance } from "../chance.ts"
import type { Kind, Ledger } from "../ledger/ledger.ts"
import type { Vote, Votes } from "../ledger/votes.ts"
import type { Client, Reply } from "./client.ts"
import type { EventUnderLoad } from "./crowd.ts"

export interface Committed {
  readonly eventId: string
  /** The text that it brought. */
  readonly mark: string
  /** The node that it came by. */
  readonly node: number
  /** When it was sent, the last time if there were several; Unix milliseconds. */
  readonly askedAt: number
}

export interface Stage {
  readonly chance: Chance
  readonly ledger: Ledger
  readonly votes: Votes
  /** Told of each acknowledged command that had an effect. */
  readonly committed: (done: Committed) => void
  /** A text that nobody has used. */
  readonly mark: () => string
}

type Act = (stage: Stage, scene: EventUnderLoad, client: Client) => void

/** A command that creates something with a mark in it. */
const create =
  (
    kind: Kind,
    t: string,
    data: (mark: string, scene: EventUnderLoad) => object,
    done?: (reply: Reply, client: Client) => void,
  ): Act =>
  ({ ledger, mark, committed }, scene, client) => {
    const text = mark()
    ledger.ask(kind, text, scene.eventId)
    client.command(t, data(text, scene), (reply, askedAt) => {
      if (!reply.ok) return
      ledger.acknowledge(kind, text)
      committed({ eventId: scene.eventId, mark: text, node: client.node, askedAt })
      done?.(reply, client)
    })
  }

const plain =
  (t: string, data: (stage: Stage, scene: EventUnderLoad) => object | undefined): Act =>
  (stage, scene, client) => {
    const d = data(stage, scene)
    if (d !== undefined) client.command(t, d)
  }

const vote =
  (of: Vote["of"], choose: (chance: Chance) => { readonly data: object; readonly choice: string }): Act =>
  ({ chance, ledger, votes }, scene, client) => {
    const id = chance.pick(of === "question" ? scene.questions : scene.polls)
    if (id === undefined) return
    const { data, choice } = choose(chance)
    const { during } = ledger
    votes.ask(of, id, client.participantId)
    client.command(`${of}.vote`, { id, ...data }, (reply) => {
      if (reply.ok) votes.acknowledge({ of, id, voter: client.participantId, choice, during })
    })
  }

const questionVote = vote("question", (chance) => {
  const on = chance.is(0.7)
  return { data: { on }, choice: String(on) }
})

const pollVote = vote("poll", (chance) => {
  const optionIds = chance.is(0.9) ? [String(1 + chance.below(3))] : []
  return { data: { optionIds }, choice: optionIds.join() }
})

const MAX_POLLS = 150
const OPTIONS = ["a", "b", "c"]

const poll: Act = (stage, scene, client) => {
  if (scene.pollsMade >= MAX_POLLS) return
  scene.pollsMade++
  const durationMs = 2000 + stage.chance.below(8000)
  create(
    "poll",
    "poll.create",
    (question) => ({ question, kind: "single", options: OPTIONS, results: "live" }),
    ({ d }) => client.command("poll.open", { id: d.poll.id, ...(stage.chance.is(0.7) && { durationMs }) }),
  )(stage, scene, client)
}

const PEOPLE: ReadonlyArray<readonly [weight: number, t: string, act: Act]> = [
  [6, "chat.send", create("chat", "chat.send", (text) => ({ to: "event", text }))],
  [2, "chat.send", create("chat", "chat.send", (text) => ({ to: "room", text }))],
  [2, "question.ask", create("question", "question.ask", (text) => ({ text }))],
  [5, "question.vote", questionVote],
  [6, "poll.vote", pollVote],
  [2, "hand.raise", plain("hand.raise", () => ({}))],
  [2, "hand.lower", plain("hand.lower", () => ({}))],
  [1, "room.help", plain("room.help", () => ({ text: "Could you come?" }))],
  [1, "room.return", plain("room.return", () => ({}))],
  [1, "reaction.send", plain("reaction.send", () => ({ kind: "clap", n: 2 }))],
  [1, "roster.list", plain("roster.list", () => ({ limit: 10 }))],
]

const HOSTS: ReadonlyArray<readonly [weight: number, t: string, act: Act]> = [
  [4, "chat.send", create("chat", "chat.send", (text) => ({ to: "staff", text }))],
  [3, "poll.create", poll],
  [
    2,
    "question.pin",
    plain("question.pin", ({ chance }, { questions }) => withId(chance, questions, { on: chance.is(0.5) })),
  ],
  [
    2,
    "question.answer",
    plain("question.answer", ({ chance }, { questions }) => withId(chance, questions, { mode: "live" })),
  ],
  [1, "poll.close", plain("poll.close", ({ chance }, { polls }) => withId(chance, polls, {}))],
  [1, "hand.lowerFor", plain("hand.lowerFor", () => ({ all: true }))],
  [1, "timer.extend", plain("timer.extend", (_, { activePhaseId }) => ({ timerId: activePhaseId, seconds: 10 }))],
  [2, "breakout.plan", (_, __, client) => openRooms(client)],
  [1, "breakout.close", plain("breakout.close", () => ({ graceMs: 500 }))],
  [1, "rotation.start", plain("rotation.start", () => ({ roundSeconds: 6, breakSeconds: 1, rounds: 400 }))],
  [2, "rotation.skip", plain("rotation.skip", () => ({}))],
]

const withId = (chance: Chance, ids: ReadonlyArray<string>, more: object): object | undefined => {
  const id = chance.pick(ids)
  return id === undefined ? undefined : { id, ...more }
}

const openRooms = (client: Client): void =>
  client.command("breakout.plan", { size: 4, strategy: "balanced" }, ({ ok, d }) => {
    if (ok) client.command("breakout.open", { planId: d.plan.id })
  })

/** One thing that the client may do now, if there is one. */
export const act = (stage: Stage, scene: EventUnderLoad, client: Client, isHost: boolean): void => {
  const acts = (isHost ? HOSTS : PEOPLE).filter(([, t]) => client.can.includes(t))
  let drawn = stage.chance.random() * acts.reduce((sum, [weight]) => sum + weight, 0)
  const chosen = acts.find(([weight]) => {
    drawn -= weight
    return drawn <= 0
  })
  chosen?.[2](stage, scene, client)
}

/** A probe: it always has an effect, so that its acknowledgement means a commit. */
export const announce = (stage: Stage, scene: EventUnderLoad, client: Client, done: () => void): void =>
  create("announcement", "announce", (text) => ({ text }), done)(stage, scene, client)
