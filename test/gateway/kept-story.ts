/** Events whose history is kept: a whole one that a live viewer has seen, sweeps of its publications, and its replays. */
import { expect, onTestFinished } from "vitest"
import { type EventState, GatewayClient } from "../../packages/client/src/entry.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import type { House, Stage } from "./house.ts"

const FEATURES = ["chat", "qa", "polls", "transcript"] as const
export const SECOND = 1000

/** The state that the audience sees; counts of people are not kept. */
export const seenIn = (state: EventState | undefined) =>
  state && {
    event: state.event,
    phases: state.phases,
    timers: state.timers,
    chat: state.chat,
    questions: state.questions.all,
    polls: state.polls.all,
    stage: "staff" in state.presence ? state.presence.staff : undefined,
    captions: state.transcript,
    capture: state.capture,
  }

export interface Moment {
  /** Milliseconds since the start of the event. */
  readonly at: number
  /** The state of a viewer who was there. */
  readonly seen: ReturnType<typeof seenIn>
}

export interface Told {
  readonly stage: Stage
  readonly moments: ReadonlyArray<Moment>
  readonly withdrawn: string
  /** The dispatches that a live viewer received on the stream `event`. */
  readonly dispatches: ReadonlyArray<Frame>
}

export const heartbeat = async (client: Client): Promise<Frame> => {
  client.send({ op: 1, d: { t0: 1 } })
  return (await client.next(({ op }) => op === 11, "an answer to a heartbeat")).d
}

export const storiesAt = (house: House) => {
  const sweep = (limit = 1000) => forgetPublications(house.actors.sql, toTimestamp(Date.now() + 3_600_000), limit)

  /** A public event that is about to start. */
  const prepare = async (history: "kept" | "brief" = "kept"): Promise<Stage> => {
    const phases = [
      { modality: "broadcast" as const, config: { durationSeconds: 600 }, featureSet: FEATURES },
      { modality: "meeting" as const, featureSet: FEATURES },
    ]
    const stage = await house.stage(phases, "scheduled")
    await house.actors.sql`update events set visibility = 'public', history = ${history} where id = ${stage.eventId}`
    return stage
  }

  /** An event that has ended, of which nothing is to be told. */
  const endedEvent = async (history: "kept" | "brief" = "kept"): Promise<Stage> => {
    const stage = await prepare(history)
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    await house.actors.execute(stage.eventId, { type: "event.end", d: {} })
    return stage
  }

  const tokenOf = (stage: Stage, who: string, replay: boolean) =>
    house.token(stage, who, "viewer", { kind: "anonymous", ...(replay && { replay }) })

  const openClient = (
    stage: Stage,
    more: Partial<ConstructorParameters<typeof GatewayClient>[0]> = {},
  ): GatewayClient => {
    const client = new GatewayClient({
      token: async () => ({
        token: await tokenOf(stage, "anon:viewer", more.replay !== undefined),
        url: house.url,
        expiresAt: toTimestamp(Date.now() + 60_000),
      }),
      transport: "websocket",
      ...more,
    })
    onTestFinished(() => client.close())
    return client
  }

  const startedAtOf = async ({ eventId }: Stage): Promise<number> => {
    const [row] = await house.actors.sql<{ startedAt: string }[]>`select started_at from events where id = ${eventId}`
    return Date.parse(row?.startedAt ?? "")
  }

  /** Tells a whole event of five minutes, with the states of a live viewer. Part of it is swept while it takes place. */
  const tellStory = async (): Promise<Told> => {
    const { actors } = house
    const stage = await prepare()
    const viewer = openClient(stage)
    await viewer.connect()
    const dispatches: Frame[] = []
    viewer.on("dispatch", (dispatch) => {
      if ("st" in dispatch && dispatch.st === "event" && "ts" in dispatch && dispatch.ts > 0) dispatches.push(dispatch)
    })
    await actors.execute(stage.eventId, { type: "event.start", d: {} })
    const began = await startedAtOf(stage)
    const host = await house.join(stage, "hana", "host")
    const guest = await house.join(stage, "gus", "participant")
    const moments: Moment[] = []
    const pass = async (what: (state: EventState) => boolean, seconds = 60) => {
      await eventually(() => viewer.state !== undefined && what(viewer.state), "the viewer having seen it")
      moments.push({ at: actors.clock.now() - began, seen: structuredClone(seenIn(viewer.state)) })
      actors.clock.jump(seconds * SECOND)
    }
    const done = async (client: Client, t: string, d: object): Promise<Frame> => {
      const reply = await client.command(t, d)
      expect(reply, t).toMatchObject({ ok: true })
      return reply.d
    }
    await done(guest, "chat.send", { to: "event", text: "Good morning" })
    await pass(({ chat, presence }) => chat.event.length === 1 && "staff" in presence && presence.staff.length === 1)
    const { question } = await done(guest, "question.ask", { text: "Is there a replay?" })
    await done(host, "question.answer", { id: question.id, mode: "text", text: "There is one." })
    await done(host, "transcript.push", {
      segments: [{ segment: "s1", t0: 0, t1: 900, text: "Welcome.", final: true, speaker: "Hana", lang: "en" }],
    })
    await pass(
      ({ questions, transcript }) => questions.all[0]?.answer === "There is one." && transcript.segments.length === 1,
    )
    expect(await sweep(3)).toBe(3)
    const { poll } = await done(host, "poll.create", {
      question: "Well?",
      kind: "single",
      options: ["Yes", "No"],
      results: "live",
    })
    await done(host, "poll.open", { id: poll.id })
    const { message } = await done(guest, "chat.send", { to: "event", text: "Taken back" })
    await pass(({ polls, chat }) => polls.all[0]?.status === "open" && chat.event.length === 2)
    await done(host, "chat.delete", { id: message.id })
    await done(host, "poll.close", { id: poll.id })
    await done(host, "chat.send", { to: "staff", text: "Nobody else reads this" })
    await actors.execute(stage.eventId, { type: "phase.next", d: {} })
    await pass(
      ({ polls, phases, chat }) =>
        polls.all[0]?.status === "closed" && phases[1]?.status === "active" && chat.event.length === 1,
    )
    await actors.execute(stage.eventId, { type: "event.end", d: {} })
    await eventually(() => viewer.status === "closed", "the end")
    moments.push({ at: actors.clock.now() - began, seen: structuredClone(seenIn(viewer.state)) })
    return { stage, moments, withdrawn: message.id, dispatches }
  }

  /** A socket that replays. */
  const openReplay = async (stage: Stage, replay: object, who = "anon:socket"): Promise<Client> => {
    const client = house.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await tokenOf(stage, who, true), replay } })
    return client
  }

  /** Replays that stand still at these moments show what was seen then. */
  const expectReplays = async (stage: Stage, moments: ReadonlyArray<Moment>): Promise<void> => {
    for (const { at, seen } of moments) {
      const client = openClient(stage, { replay: { from: at, speed: 0 } })
      const states: Array<ReturnType<typeof seenIn>> = []
      client.on("state", (state) => states.push(seenIn(state)))
      client.connect().catch(() => {})
      const isThere = () => JSON.stringify(states.at(-1)) === JSON.stringify(seen)
      await eventually(isThere, `the state at ${at}`).catch(() => expect(states.at(-1)).toEqual(seen))
      client.close()
    }
  }
  return { sweep, prepare, endedEvent, tokenOf, openClient, startedAtOf, tellStory, openReplay, expectReplays }
}
