/** What participants hold at an event: how each thing is taken, and whether its owner, who was away, has it still. */
import { newId } from "../../src/model/ids.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { pageAttendees } from "../../src/store/events/reports.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { received } from "./crowd.ts"
import type { House, Stage } from "./house.ts"
import { PICTURE, untilListed } from "./rtc/call.ts"

/** Who holds something, and others at the event. */
export interface At {
  readonly house: House
  readonly stage: Stage
  readonly host: Client
  readonly ann: Client
  readonly bob: Client
}
/** Ann is back. `first`: the first dispatch that she got. */
export interface Back extends Pick<At, "house" | "stage" | "host" | "ann" | "bob"> {
  readonly first: Frame
}

export interface Holding {
  readonly phase: Parameters<House["stage"]>[0]
  readonly role?: EventRole
  /** Ann waits in the waiting room. */
  readonly waits?: boolean
  /** What `isKept` needs of it. */
  readonly take: (at: At) => Promise<unknown>
  readonly isKept: (back: Back, taken: Frame) => Promise<boolean> | boolean
}

export const MEETING = [{ modality: "meeting", featureSet: ["chat", "polls", "qa"] }] as const
export const ASK = [{ modality: "meeting", config: { lobby: "ask" } }] as const
const ROTATION = [{ modality: "rotation" }] as const
const BROADCAST = [{ modality: "broadcast" }] as const

/** Ids of commands are remembered across sockets. While the event moves, a command is sent again under its id. */
export const send = async (client: Client, t: string, d: object = {}): Promise<Frame> => {
  const id = newId()
  let reply: Frame
  await eventually(async () => {
    reply = await client.command(t, d, { id })
    return reply.e?.code !== "unavailable"
  }, `an answer to ${t}`)
  return reply
}
const joinCall = (client: Client, { phaseIds: [roomId] }: Stage, resume?: string): Promise<Frame> =>
  send(client, "rtc.join", { roomId, have: PICTURE, ...(resume === undefined ? {} : { resume }) })

export const ok = async (reply: Promise<Frame>): Promise<Frame> => {
  const { ok: isOk, d, e } = await reply
  if (!isOk) throw new Error(`refused: ${e.code} ${e.message}`)
  return d
}
export const ready = async ({ house, stage }: Back, who: string, role?: EventRole): Promise<Frame> => {
  const client = house.connect()
  const { d } = await client.identify(await house.token(stage, who, role, { kind: "user" }))
  await client.cut()
  return d
}
const inRound = async ({ ann, bob, host }: At): Promise<void> => {
  const isOn = ann.received.some(({ t }) => t === "rotation.round")
  if (!isOn) await ok(send(host, "rotation.start", { roundSeconds: 600, rounds: 1 }))
  await Promise.all([received(ann, "rotation.round"), received(bob, "rotation.round")])
}
const invite = async ({ host, ann }: At): Promise<void> => {
  await ok(send(host, "stage.invite", { id: "ann" }))
  await received(ann, "stage.invited")
}

export const HOLDINGS: Readonly<Record<string, Holding>> = {
  "a hand and its place": {
    phase: MEETING,
    take: async ({ ann, bob }) => {
      await ok(send(ann, "hand.raise", { note: "First" }))
      await ok(send(bob, "hand.raise"))
    },
    isKept: async (back) => {
      const { handQueue } = await ready(back, "another host", "host")
      return back.first.d.hand?.note === "First" && handQueue.items[0]?.participantId === "ann"
    },
  },
  "a place in the waiting room": {
    phase: ASK,
    waits: true,
    take: async ({ house, stage, host }) => {
      await enter(house, stage, "cat")
      await received(host, "lobby.waiting", ({ add }) => add.some((p: Frame) => p.participantId === "cat"))
    },
    isKept: async (back) => {
      const waiting = async (): Promise<ReadonlyArray<Frame>> => (await ready(back, "host", "host")).lobby.waiting
      await eventually(async () => (await waiting()).length === 2, "both waiting")
      return (await waiting())[0]?.participantId === "ann"
    },
  },
  "a place in a call": {
    phase: MEETING,
    // Without another peer only Ann's own node remembers the call.
    take: async ({ ann, bob, stage }) => {
      const { connectionId } = await ok(joinCall(ann, stage))
      await ok(joinCall(bob, stage))
      await untilListed(bob, ["ann", "bob"])
      return connectionId
    },
    isKept: async ({ ann, stage }, id) => (await ok(joinCall(ann, stage, id))).connectionId === id,
  },
  "a partner in a round": {
    phase: ROTATION,
    take: inRound,
    isKept: ({ bob }) => bob.received.every(({ t }) => t !== "rotation.partnerLeft"),
  },
  "a seat in a round": { phase: ROTATION, take: inRound, isKept: ({ first }) => first.d.round?.n === 1 },
  "sitting out of rounds": {
    phase: ROTATION,
    take: ({ ann }) => ok(send(ann, "rotation.opt", { in: false })),
    isKept: ({ first }) => first.d.optedOut,
  },
  "a seat in a breakout room": {
    phase: [{ modality: "breakout" }],
    take: async ({ host, ann }) => {
      const { plan } = await ok(send(host, "breakout.plan", { strategy: "balanced", rooms: 1 }))
      await ok(send(host, "breakout.open", { planId: plan.id }))
      return (await received(ann, "assignment.updated")).d.roomId
    },
    isKept: ({ first }, roomId) => first.d.assignment?.roomId === roomId && first.d.me.roomId === roomId,
  },
  "an invitation onto the stage": {
    phase: BROADCAST,
    role: "viewer",
    take: invite,
    isKept: async ({ first, ann }) =>
      first.d.stage?.state === "invited" && (await ok(send(ann, "stage.accept"))).stage.state === "on",
  },
  "a place on the stage": {
    phase: BROADCAST,
    role: "viewer",
    take: async (at) => {
      await invite(at)
      await ok(send(at.ann, "stage.accept"))
    },
    isKept: ({ first }) => first.d.stage?.state === "on" && first.d.me.role === "speaker",
  },
  "an admission": {
    phase: ASK,
    waits: true,
    take: async ({ host, ann }) => {
      await ok(send(host, "lobby.admit", { ids: ["ann"] }))
      await received(ann, "lobby.status", ({ state }) => state === "admitted")
      await received(ann, "ready")
    },
    isKept: ({ first }) => first.t === "ready",
  },
  "the wait of slow mode": {
    phase: MEETING,
    take: async ({ host, ann }) => {
      await ok(send(host, "chat.slow", { perMs: 3_600_000 }))
      await ok(send(ann, "chat.send", { to: "event", text: "Once" }))
    },
    isKept: async ({ ann }) =>
      (await send(ann, "chat.send", { to: "event", text: "Twice" })).e?.code === "rate_limited",
  },
  "a mute": {
    phase: MEETING,
    take: ({ host }) => ok(send(host, "participant.mute", { id: "ann" })),
    isKept: async ({ ann }) => (await send(ann, "chat.send", { to: "event", text: "Hear" })).e?.code === "muted",
  },
  "a vote in a poll": {
    phase: MEETING,
    take: async ({ host, ann }) => {
      const { id } = (await ok(send(host, "poll.create", { question: "?", kind: "single", options: ["a", "b"] }))).poll
      await ok(send(host, "poll.open", { id }))
      await ok(send(ann, "poll.vote", { id, optionIds: ["1"] }))
      return id
    },
    isKept: ({ first }, id) => first.d.pollVotes[id]?.join() === "1",
  },
  "a vote for a question": {
    phase: MEETING,
    take: async ({ bob, ann }) => {
      const { id } = (await ok(send(bob, "question.ask", { text: "Why?" }))).question
      await ok(send(ann, "question.vote", { id, on: true }))
      return id
    },
    isKept: ({ first }, id) => first.d.mine.votes.includes(id),
  },
  "a stay": {
    phase: MEETING,
    take: ({ house, stage }) => untilStored(house, stage),
    isKept: async ({ house, stage }) => {
      await untilStored(house, stage)
      return (await attended(house, stage))?.stays === 1
    },
  },
}

const attended = async ({ actors }: House, { eventId }: Stage) => {
  const { rows } = await pageAttendees(actors.sql, eventId, toTimestamp(actors.clock.now()), {
    after: null,
    limit: 100,
  })
  return rows.find(({ participantId }) => participantId === "ann")
}
const untilStored = (house: House, stage: Stage): Promise<void> =>
  eventually(async () => (await attended(house, stage))?.present === true, "ann in the attendance")

/** Resolves when the participant is inside, or waits. */
export const enter = async (house: House, stage: Stage, who: string, role?: EventRole, url?: string) => {
  const client = house.connect(url === undefined ? {} : { url })
  await client.hello()
  client.send({ op: 2, d: { token: await house.token(stage, who, role) } })
  const isIn = ({ t, d }: Frame): boolean => t === "ready" || (t === "lobby.status" && d.state === "waiting")
  return { client, first: await client.next(isIn, "ready, or the waiting room") }
}
