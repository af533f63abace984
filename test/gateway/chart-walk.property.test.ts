/**
 * Random walks of a host over a running server beside a model that is written by hand: which commands are accepted in a state, and
 * which states follow. The server is read by its inspection, and once more after a restart.
 */
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken, type Workspace } from "../support/api.ts"
import { PLATFORM_KEY, startTestServer, type TestServer } from "../support/server.ts"
import { Client } from "./client.ts"

let server: TestServer
let house: Workspace
beforeAll(async () => {
  server = await startTestServer()
  house = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const PHASES = [
  { modality: "meeting" },
  { modality: "broadcast", config: { durationSeconds: 3600 } },
  { modality: "breakout" },
  { modality: "rotation" },
] as const

interface Model {
  isLive: boolean
  at: number
  door: "open" | "ask" | "shut"
  broadcast: "idle" | "live" | "paused" | "ended"
  planId: string | undefined
  rooms: "closed" | "open" | "closing"
  rotation: "idle" | "break.waiting" | "paused"
}

const BEGIN: Model = {
  isLive: true,
  at: 0,
  door: "open",
  broadcast: "idle",
  planId: undefined,
  rooms: "closed",
  rotation: "idle",
}

const modality = ({ at }: Model) => PHASES[at]?.modality

/** The states of the regions that hosts drive, as the inspection names them. */
const statesOf = (model: Model): ReadonlyArray<string> =>
  model.isLive
    ? [
        `phase.${modality(model) === "broadcast" ? "running" : "untimed"}`,
        `door.${modality(model) === "broadcast" ? "none" : model.door}`,
        `rooms.${model.rooms}`,
        `rotation.${model.rotation}`,
        `broadcast.${modality(model) === "broadcast" ? model.broadcast : "off"}`,
      ].map((state) => `live.${state}`)
    : ["ended"]

interface Act {
  readonly t: string
  readonly d: (model: Model) => object
  /** True: the command is accepted, and has changed the model. */
  readonly model: (model: Model) => boolean
}

const act = (t: string, model: Act["model"], d: Act["d"] = () => ({})): Act => ({ t, model, d })

const broadcast = (t: string, to: Model["broadcast"], from: ReadonlyArray<Model["broadcast"]>): Act =>
  act(t, (model) => {
    if (modality(model) !== "broadcast" || !from.includes(model.broadcast)) return false
    model.broadcast = to
    return true
  })

const rotation = (t: string, change: (model: Model) => boolean, d: object = {}): Act =>
  act(
    t,
    (model) => modality(model) === "rotation" && change(model),
    () => d,
  )

const isGoing = (model: Model): boolean => model.rotation !== "idle"

const MODES = { open: "open", ask: "ask", closed: "shut" } as const

/** An id of no plan. */
const NO_PLAN = "0196a1f0-0000-7000-8000-00000000dead"

const FORWARD = act("phase.next", (model) => {
  const hasNext = model.at + 1 < PHASES.length
  Object.assign(model, hasNext ? { at: model.at + 1 } : { isLive: false })
  Object.assign(model, {
    broadcast: "idle",
    rotation: "idle",
    rooms: "closed",
  })
  return true
})

const ACTS: ReadonlyArray<Act> = [
  FORWARD,
  ...Object.entries(MODES).map(([mode, door]) =>
    act(
      "lobby.policy",
      (model) => {
        if (modality(model) === "broadcast") return false
        model.door = door
        return true
      },
      () => ({ mode }),
    ),
  ),
  broadcast("broadcast.start", "live", ["idle", "live", "paused"]),
  broadcast("broadcast.pause", "paused", ["live", "paused"]),
  broadcast("broadcast.resume", "live", ["live", "paused"]),
  broadcast("broadcast.stop", "ended", ["live", "paused", "ended"]),
  act(
    "breakout.plan",
    // A meeting may prepare the rooms of a later phase.
    (model) => modality(model) === "breakout" || modality(model) === "meeting",
    () => ({ strategy: "balanced", rooms: 2 }),
  ),
  act(
    "breakout.open",
    (model) => {
      if (modality(model) !== "breakout" || model.rooms !== "closed" || model.planId === undefined) return false
      model.rooms = "open"
      return true
    },
    ({ planId = NO_PLAN }) => ({ planId }),
  ),
  ...[0, 600_000].map((graceMs) =>
    act(
      "breakout.close",
      (model) => {
        if (modality(model) !== "breakout" || (model.rooms !== "open" && model.rooms !== "closing")) return false
        model.rooms = graceMs === 0 ? "closed" : "closing"
        return true
      },
      () => ({ graceMs }),
    ),
  ),
  rotation(
    "rotation.start",
    (model) => {
      if (isGoing(model)) return false
      model.rotation = "break.waiting"
      return true
    },
    { roundSeconds: 600, rounds: 3 },
  ),
  rotation("rotation.stop", (model) => {
    if (!isGoing(model)) return false
    model.rotation = "idle"
    return true
  }),
  rotation("rotation.pause", (model) => {
    if (!isGoing(model)) return false
    model.rotation = "paused"
    return true
  }),
  rotation("rotation.resume", (model) => {
    if (!isGoing(model)) return false
    model.rotation = "break.waiting"
    return true
  }),
]

const inspected = async (eventId: string): Promise<ReadonlyArray<string>> => {
  const headers = { "x-platform-key": PLATFORM_KEY }
  const answer = await call(server.url, "GET", `/v1/platform/events/${eventId}/inspection`, { headers })
  return answer.body.states
}

/** An event of one host, who is connected. */
const begin = async (): Promise<{ readonly eventId: string; readonly host: Client }> => {
  const event = await createLiveEvent(server.url, house.key, { phases: PHASES })
  const { session } = await createPerson(server.url, house.key, event.id, "host")
  const { url, token } = await gatewayToken(server.url, event.id, session)
  const host = new Client(url)
  await host.identify(token)
  return { eventId: event.id, host }
}

const TOPICS = { meeting: "lobby.", broadcast: "broadcast.", breakout: "breakout.", rotation: "rotation." } as const

/** One step: forward, a command of the phase's own topic, or any other. */
const step = fc.record({
  kind: fc.oneof(
    { weight: 1, arbitrary: fc.constant("forward" as const) },
    { weight: 6, arbitrary: fc.constant("own" as const) },
    { weight: 2, arbitrary: fc.constant("any" as const) },
  ),
  pick: fc.nat({ max: 1000 }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const actOf = ({ kind, pick }: Step, model: Model): Act => {
  const own = ACTS.filter(({ t }) => t.startsWith(TOPICS[modality(model) ?? "meeting"]))
  const choice = { forward: [FORWARD], own, any: ACTS }[kind]
  return choice[pick % choice.length] ?? FORWARD
}

const WALKS = 12

test("every walk is accepted, refused and shown as by hand, and comes back from a restart as it was", async () => {
  const walks: { readonly eventId: string; readonly states: ReadonlyArray<string> }[] = []
  const walk = async (steps: ReadonlyArray<Step>): Promise<void> => {
    const { eventId, host } = await begin()
    const model = { ...BEGIN }
    for (const one of steps) {
      if (!model.isLive) break
      const { t, d, model: change } = actOf(one, model)
      const reply = await host.command(t, d(model))
      const isAccepted = change(model)
      expect(reply.ok, `${t}: ${JSON.stringify(reply)}`).toBe(isAccepted)
      if (isAccepted && t === "breakout.plan") model.planId = reply.d.plan.id
      expect(await inspected(eventId), t).toEqual(expect.arrayContaining([...statesOf(model)]))
    }
    walks.push({ eventId, states: statesOf(model) })
    host.socket.close()
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), walk), {
    numRuns: WALKS,
    endOnFailure: true,
  })
  expect(walks).toHaveLength(WALKS)
  server = await server.restart()
  for (const { eventId, states } of walks) {
    expect(await inspected(eventId)).toEqual(expect.arrayContaining([...states]))
  }
})
