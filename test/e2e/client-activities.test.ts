/**
 * The reference client among people who ask, vote, chat, raise hands and change rooms: after all cuts and
 * repeats its state equals the snapshot of a newcomer.
 */
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { type Cable, layCable } from "../../demo/cable.ts"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { activePhase, type EventState } from "../../packages/client/src/state/event-state.ts"
import { pendingQuestions, shownQuestions } from "../../packages/client/src/state/question-state.ts"
import { call, createLiveEvent, createPerson, gatewayToken } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const FEATURES = ["qa", "chat", "polls"]
const PHASES = [
  { modality: "breakout", featureSet: FEATURES, config: { durationSeconds: 600 } },
  { modality: "meeting", featureSet: FEATURES, config: { lobby: "ask" } },
]

interface People {
  readonly host: GatewayClient
  readonly guest: GatewayClient
}

const stateOf = (client: GatewayClient): EventState => {
  if (client.state === undefined) throw new Error("not connected yet")
  return client.state
}

const someQuestion = (client: GatewayClient): string => shownQuestions(stateOf(client).questions)[0]?.id ?? ""
const anyQuestion = (client: GatewayClient): string => stateOf(client).questions.all[0]?.id ?? ""
const somePoll = (client: GatewayClient) => stateOf(client).polls.all.at(-1)

/** The possible actions; many of them are refused at that moment, which is intended. */
const DEEDS = {
  ask: ({ guest }) => guest.command("question.ask", { text: "Why?" }),
  askUnnamed: ({ guest }) => guest.command("question.ask", { text: "Who?", anonymous: true }),
  hostAsks: ({ host }) => host.command("question.ask", { text: "Where?" }),
  vote: ({ guest }) => guest.command("question.vote", { id: someQuestion(guest), on: true }),
  unvote: ({ guest }) => guest.command("question.vote", { id: someQuestion(guest), on: false }),
  withdraw: ({ guest }) =>
    guest.command("question.withdraw", { id: stateOf(guest).questions.mine[0] ?? someQuestion(guest) }),
  hide: ({ host }) => host.command("question.hide", { id: someQuestion(host) }),
  restore: ({ host }) => host.command("question.restore", { id: anyQuestion(host) }),
  pin: ({ host }) => host.command("question.pin", { id: someQuestion(host) }),
  answer: ({ host }) => host.command("question.answer", { id: someQuestion(host), mode: "text", text: "So." }),
  moderate: ({ host }) => host.command("qa.settings", { moderated: true }),
  say: ({ host }) => host.command("chat.send", { to: "event", text: "hello" }),
  whisper: ({ host }) => host.command("chat.send", { to: "staff", text: "psst" }),
  sayInRoom: ({ guest }) => guest.command("chat.send", { to: "room", text: "here" }),
  unsay: ({ host }) => host.command("chat.delete", { id: stateOf(host).chat.event[0]?.id ?? "" }),
  poll: async ({ host }) => {
    const { d } = await host.command("poll.create", {
      question: "Which?",
      kind: "single",
      options: ["this", "that"],
      results: "afterVote",
    })
    await host.command("poll.open", { id: d.poll.id, durationMs: 600_000 })
  },
  choose: ({ guest }) => guest.command("poll.vote", { id: somePoll(guest)?.id ?? "", optionIds: ["2"] }),
  closePoll: ({ host }) => host.command("poll.close", { id: somePoll(host)?.id ?? "" }),
  publish: ({ host }) => host.command("poll.publish", { id: somePoll(host)?.id ?? "" }),
  deletePoll: ({ host }) => host.command("poll.delete", { id: somePoll(host)?.id ?? "" }),
  raise: ({ guest }) => guest.command("hand.raise", { note: "me" }),
  lower: ({ guest }) => guest.command("hand.lower", {}),
  lowerAll: ({ host }) => host.command("hand.lowerFor", { all: true }),
  open: async ({ host }) => {
    const { d } = await host.command("breakout.plan", { rooms: 2, strategy: "balanced" })
    await host.command("breakout.open", { planId: d.plan.id })
  },
  move: ({ host, guest }) => {
    const { rooms, assignment } = stateOf(guest).rooms
    const other = rooms.find(({ id }) => id !== assignment?.roomId)
    return host.command("breakout.move", { id: stateOf(guest).me.participantId, roomId: other?.id ?? null })
  },
  goBack: ({ guest }) => guest.command("room.return", {}),
  close: ({ host }) => host.command("breakout.close", { graceMs: 0 }),
  mute: ({ host, guest }) => host.command("participant.mute", { id: stateOf(guest).me.participantId }),
  unmute: ({ host, guest }) => host.command("participant.mute", { id: stateOf(guest).me.participantId, on: false }),
  letIn: ({ host }) => host.command("lobby.policy", { mode: "open" }),
  next: ({ host }) => {
    const phase = activePhase(stateOf(host))
    if (phase?.modality !== "breakout") return Promise.resolve()
    return host.command("phase.next", { phaseId: phase.id })
  },
} as const satisfies { readonly [deed: string]: (people: People) => Promise<unknown> }

/** A deed may also fail before it is asked for, like any caller's code. */
const attempt = async (deed: (people: People) => Promise<unknown>, people: People): Promise<unknown> => deed(people)

type Deed = keyof typeof DEEDS
type Act = Deed | "cut" | "tab" | "rest"

const byId = <E extends { readonly id: string }>(entities: ReadonlyArray<E>): ReadonlyArray<E> =>
  entities.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** All that two clients of one participant have in common, however long they have been here. */
const shared = (state: EventState) => {
  const { me, event, phases, timers, presence, questions, chat, polls, hands, rooms } = state
  const { asOf: _asOf, optedAsOf: _optedAsOf, rooms: all, ...place } = rooms
  const people = presence.mode === "list" ? presence.list : presence.staff
  return {
    me,
    event,
    phases,
    timers: byId(timers),
    people: people.toSorted((a, b) => (a.participantId < b.participantId ? -1 : 1)),
    questions: {
      shown: shownQuestions(questions),
      pending: pendingQuestions(questions).map(({ id }) => id),
      mine: questions.mine.toSorted(),
      voted: questions.voted.toSorted(),
      open: questions.open,
      moderated: questions.moderated,
    },
    chat: { event: chat.event, staff: chat.staff, slowMs: chat.slowMs },
    polls: { all: byId(polls.all), chosen: polls.chosen },
    hands: { count: hands.count, mine: hands.mine, queue: hands.queue },
    rooms: { ...place, all: byId(all) },
    stage: state.stage,
    muted: state.muted,
    lobby: { policy: state.lobby.policy, waiting: state.lobby.waiting },
    broadcast: state.broadcast,
    capture: state.capture,
  }
}

/** Counts are of the moment, and not sent again to who was away: one more of each, with nobody away, and all are current. */
const countOnceMore = async ({ host, guest }: People): Promise<void> => {
  const { questions, polls } = stateOf(host)
  const votes = shownQuestions(questions).map(({ id }) =>
    host.command("question.vote", { id, on: !questions.voted.includes(id) }),
  )
  const choices = polls.all.map(({ id }) =>
    host.command("poll.vote", { id, optionIds: polls.chosen[id] === undefined ? ["1"] : [] }),
  )
  const isUp = stateOf(guest).hands.mine !== null
  const hand = isUp ? guest.command("hand.lower", {}) : guest.command("hand.raise", {})
  await Promise.allSettled([...votes, ...choices, hand])
}

/** The participants of a room receive its messages, unless the sender may not write at the moment. */
const expectReceivedInRoom = async (guest: GatewayClient): Promise<void> => {
  if (stateOf(guest).rooms.assignment === null) return
  const said = await guest.command("chat.send", { to: "room", text: "is anybody here?" }).catch(() => undefined)
  const isReceived = () => stateOf(guest).chat.room.some(({ id }) => id === said?.d.message.id)
  if (said !== undefined) await eventually(isReceived, "hearing oneself in the room")
}

const expectSame = async (client: GatewayClient, fresh: GatewayClient, who: string): Promise<void> => {
  const both = () => [shared(stateOf(client)), shared(stateOf(fresh))] as const
  const isSame = () => client.status === "ready" && JSON.stringify(both()[0]) === JSON.stringify(both()[1])
  await eventually(isSame, `${who} having the state of a newcomer`).catch(() => {
    const [long, short] = both()
    expect(long).toEqual(short)
  })
  // A participant who enters a room does not receive its earlier messages.
  const { room } = stateOf(client).chat
  if (room.length > 0) expect(stateOf(fresh).chat.room.slice(-room.length)).toEqual(room)
}

const play = async (acts: ReadonlyArray<Act>, cable: Cable): Promise<void> => {
  const event = await createLiveEvent(server.url, acme.key, { type: "meeting", phases: PHASES })
  const sessions = {
    host: (await createPerson(server.url, acme.key, event.id, "host")).session,
    guest: (await createPerson(server.url, acme.key, event.id, "participant")).session,
  }
  const clients: GatewayClient[] = []
  const join = async (who: keyof typeof sessions): Promise<GatewayClient> => {
    const client = new GatewayClient({
      token: async () => {
        const grant = await gatewayToken(server.url, event.id, sessions[who])
        return { ...grant, url: cable.through(grant.url) }
      },
      backoff: { firstMs: 20, longestMs: 100 },
    })
    clients.push(client)
    await client.connect()
    return client
  }
  try {
    const people = { host: await join("host"), guest: await join("guest") }
    const doing: Promise<unknown>[] = []
    const act = async (one: Act): Promise<void> => {
      if (one === "cut") cable.pull()
      // Cuts land in the middle of what was begun before; what comes after a rest has seen what came of it.
      else if (one === "rest") await Promise.allSettled(doing)
      else if (one === "tab") doing.push(join("guest").then((tab) => tab.close()))
      else doing.push(attempt(DEEDS[one], people))
    }
    for (const one of acts) await act(one)
    await Promise.allSettled(doing)
    await eventually(() => [people.host, people.guest].every(({ status }) => status === "ready"), "everyone's return")
    await countOnceMore(people)
    await expectReceivedInRoom(people.guest)
    await expectSame(people.guest, await join("guest"), "the guest")
    await expectSame(people.host, await join("host"), "the host")
  } finally {
    for (const client of clients) client.close()
    await call(server.url, "POST", `/v1/events/${event.id}/end`, { key: acme.key })
  }
}

test("after any mix of commands, cuts and tabs, host and guest have exactly the state that a newcomer receives", async () => {
  const deeds = Object.keys(DEEDS) as ReadonlyArray<Deed>
  const acts = fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom<Act>(...deeds) },
        fc.constantFrom<Act>("cut", "tab", "rest", "rest"),
      ),
      {
        minLength: 15,
        maxLength: 40,
        size: "max",
      },
    )
    // A participant has five places; a cut connection may hold its own until the server notices.
    .filter((chosen) => chosen.filter((act) => act === "tab").length <= 2)
  const cable = await layCable(server.url)
  try {
    const opening: ReadonlyArray<Act> = [
      "ask",
      "open",
      "poll",
      "say",
      "raise",
      "rest",
      "vote",
      "choose",
      "sayInRoom",
      "rest",
    ]
    await fc.assert(
      fc.asyncProperty(acts, (chosen) => play([...opening, ...chosen], cable)),
      { numRuns: 3, endOnFailure: true },
    )
  } finally {
    await cable.close()
  }
})

test("a waiting participant is in the lobby until a host admits them, or the client stops", async () => {
  const phases = [{ modality: "meeting", config: { lobby: "ask" } }, { modality: "broadcast" }]
  const event = await createLiveEvent(server.url, acme.key, { phases })
  const { session } = await createPerson(server.url, acme.key, event.id, "host")
  const clientOf = (of?: string) => new GatewayClient({ token: () => gatewayToken(server.url, event.id, of) })
  const [host, guest, other] = [clientOf(session), clientOf(), clientOf()]
  onTestFinished(() => {
    for (const client of [host, guest, other]) client.close()
  })
  await host.connect()
  const waitingId = (client: GatewayClient): string => {
    expect([client.status, client.state]).toEqual(["lobby", undefined])
    return stateOf(host).lobby.waiting[0]?.participantId ?? ""
  }
  const waits = (client: GatewayClient) =>
    eventually(() => client.status === "lobby" && stateOf(host).lobby.total === 1, "a participant in the lobby")
  const entering = guest.connect()
  await waits(guest)
  await host.command("lobby.admit", { ids: [waitingId(guest)] })
  expect((await entering).me.role).toBe("viewer")
  await eventually(() => stateOf(host).lobby.total === 0, "an empty lobby")
  const denied = expect(other.connect()).rejects.toThrow("4306")
  await waits(other)
  await host.command("lobby.deny", { ids: [waitingId(other)] })
  await denied
})

test("a participant who changes rooms receives the present room's stream, and resumes exactly there after a cut", async () => {
  const event = await createLiveEvent(server.url, acme.key, { type: "meeting", phases: PHASES })
  const cable = await layCable(server.url)
  const clientOf = async (role: string) => {
    const { session } = await createPerson(server.url, acme.key, event.id, role)
    const token = async () => {
      const grant = await gatewayToken(server.url, event.id, session)
      return { ...grant, url: cable.through(grant.url) }
    }
    const client = new GatewayClient({ token, backoff: { firstMs: 20, longestMs: 100 } })
    onTestFinished(() => client.close())
    await client.connect()
    return client
  }
  onTestFinished(() => cable.close())
  const people = { host: await clientOf("host"), guest: await clientOf("participant") }
  const { guest } = people
  const says = async (text: string) => {
    const { d } = await guest.command("chat.send", { to: "room", text })
    await eventually(() => stateOf(guest).chat.room.some(({ id }) => id === d.message.id), `hearing "${text}"`)
    return d.message.roomId
  }
  await DEEDS.open(people)
  await eventually(() => stateOf(guest).me.roomId !== null, "a place in a room")
  const first = await says("first room")
  await DEEDS.move(people)
  await eventually(() => ![null, first].includes(stateOf(guest).me.roomId), "a place in the other room")
  expect(stateOf(guest).chat.room).toEqual([])
  const second = await says("second room")
  const back = new Promise<boolean>((resolve) => guest.on("connected", ({ resumed }) => resolve(resumed)))
  cable.pull()
  expect(await back).toBe(true)
  expect(await says("after the cut")).toBe(second)
  expect(stateOf(guest).chat.room.map(({ text }) => text)).toEqual(["second room", "after the cut"])
})
