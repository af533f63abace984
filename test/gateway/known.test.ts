/** `ready` means that the live event knows a newcomer: whatever is decided right after it sees them. */
import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { Client, type Frame } from "./client.ts"
import { readyOf } from "./crowd.ts"
import { type House, type Stage, sharedHouse } from "./house.ts"

/** Reports of comings and goings go out every four seconds here, so that nothing but the wait for `ready` can make a newcomer known. */
const house = sharedHouse({ presenceTickMs: 4000 })

/** Nothing but the wait for `ready` makes a newcomer known for seconds. */
const NAMES = Array.from({ length: 8 }, (_, n) => `guest ${n}`)

interface Crowd {
  readonly stage: Stage
  readonly host: Client
  readonly guests: ReadonlyArray<Client>
}

/** `prepare`: done by the host before the guests come. */
const gather = async (
  phases: Parameters<House["stage"]>[0],
  prepare: (host: Client) => Promise<unknown> = async () => {},
): Promise<Crowd> => {
  const stage = await house.stage(phases)
  const host = await house.join(stage, "host", "host", { kind: "user" })
  await prepare(host)
  const guests = await Promise.all(NAMES.map((who) => house.join(stage, who)))
  return { stage, host, guests }
}

const disperse = async ({ host, guests }: Crowd): Promise<void> => {
  for (const client of [host, ...guests]) await client.cut()
}

const BREAKOUT = [{ modality: "breakout", config: { durationSeconds: 600 } }] as const
const MEETING = [{ modality: "meeting", config: { lobby: "open" } }] as const
const ROTATION = [{ modality: "rotation" }] as const

/** Rooms that seat nobody by themselves. */
const openRooms = async (host: Client): Promise<void> => {
  const { d } = await host.command("breakout.plan", { rooms: 2, strategy: "balanced" })
  expect(await host.command("breakout.open", { planId: d.plan.id, late: "main" })).toMatchObject({ ok: true })
}

type Row = [
  what: string,
  phases: Parameters<House["stage"]>[0],
  seenBy: (crowd: Crowd) => Promise<ReadonlyArray<string>>,
  prepare?: (host: Client) => Promise<unknown>,
]

test.each<Row>([
  [
    "a breakout plan",
    BREAKOUT,
    async ({ host }) => {
      const { d } = await host.command("breakout.plan", { rooms: 4, strategy: "balanced" })
      return d.plan.rooms.flatMap(({ people }: Frame) => people)
    },
  ],
  [
    "the roster, a role, an invitation to the stage and a way back to the lobby",
    MEETING,
    async ({ host }) => {
      const { participants } = (await host.command("roster.list")).d
      const reached = async (t: string, who: ReadonlyArray<string>, more: object = {}) => {
        const replies = await Promise.all(who.map((id) => host.command(t, { id, ...more })))
        return replies.flatMap(({ ok, d }) => (ok ? [d.participantId] : []))
      }
      const invited = await reached("stage.invite", NAMES)
      const others = [
        ...(await reached("participant.toLobby", NAMES.slice(0, 4))),
        ...(await reached("role.set", NAMES.slice(4), { role: "host" })),
      ]
      const listed = participants.map(({ participantId }: Frame) => participantId)
      return NAMES.filter((who) => [listed, invited, others].every((list) => list.includes(who)))
    },
  ],
  [
    "a rotation",
    ROTATION,
    async ({ stage, host }) => {
      const { d } = await host.command("rotation.start", { roundSeconds: 600, rounds: 1 })
      expect(2 * d.rotation.pairs + d.rotation.byes).toBe(NAMES.length)
      const readies = await Promise.all(NAMES.map((who) => readyOf(house, stage, who)))
      return NAMES.filter((_, n) => readies[n].round !== null)
    },
  ],
  [
    "a move into a breakout room",
    BREAKOUT,
    async ({ host }) => {
      const { rooms } = (await host.dispatch("breakout.opened")).d
      const moved = await Promise.all(NAMES.map((id) => host.command("breakout.move", { id, roomId: rooms[0].id })))
      return moved.flatMap(({ ok, d }) => (ok ? [d.participantId] : []))
    },
    openRooms,
  ],
])("%s sees everybody who has had ready", async (_, phases, seenBy, prepare) => {
  const crowd = await gather(phases, prepare)
  const seen = await seenBy(crowd)
  expect(NAMES.filter((who) => !seen.includes(who))).toEqual([])
  await disperse(crowd)
})

test("an advance by REST into rooms seats everybody who has had ready", async () => {
  const server = await startTestServer()
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const enter = async (eventId: string, session: string): Promise<Client> => {
    const { token, url } = await gatewayToken(server.url, eventId, session)
    const client = new Client(url)
    await client.identify(token)
    return client
  }
  const sessions = await Promise.all(
    NAMES.map(async (name) => {
      const user = await call(server.url, "POST", "/v1/users", { key, body: { externalSub: randomUUID(), name } })
      const session = await call(server.url, "POST", `/v1/users/${user.body.id}/session`, { key })
      return session.body.sessionToken as string
    }),
  )
  const phases = [{ modality: "meeting" }, { modality: "breakout", config: { roomSize: 4 } }]
  const { id } = await createLiveEvent(server.url, key, { phases })
  const { session } = await createPerson(server.url, key, id, "host")
  const host = await enter(id, session)
  const guests = await Promise.all(sessions.map((guest) => enter(id, guest)))
  expect((await call(server.url, "POST", `/v1/events/${id}/advance`, { key })).status).toBe(200)
  const { rooms } = (await host.dispatch("breakout.opened")).d
  const seated = rooms.reduce((sum: number, { count }: Frame) => sum + count, 0)
  expect(seated).toBe(NAMES.length)
  for (const client of [host, ...guests]) await client.cut()
})

test("a guest who is removed right after ready has no place in a room, and is given none again", async () => {
  const crowd = await gather(BREAKOUT)
  const { host, stage } = crowd
  const { d } = await host.command("breakout.plan", { size: 4, strategy: "balanced" })
  await host.command("breakout.open", { planId: d.plan.id })
  expect((await host.command("participant.remove", { id: "guest 0", block: true })).ok).toBe(true)
  // The arrivals are reported now; the departure of the removed guest is reported seconds later.
  const ofArrivals = ({ t, d: { join = [] } }: Frame) =>
    t === "presence.diff" && join.some((one: Frame) => one.participantId === "guest 1")
  await host.next(ofArrivals, "the diff of the arrivals")
  expect((await host.command("breakout.move", { id: "guest 0", roomId: null })).e.code).toBe("not_found")
  // Staff have no place of their own: any other newcomer may be given one before their `ready` is read.
  const helper = await house.join(stage, "helper", "host", { kind: "user" })
  const { rooms } = helper.received.find(({ t }) => t === "ready").d
  expect(rooms.map(({ count }: Frame) => count).toSorted()).toEqual([3, 4])
  await disperse(crowd)
  await helper.cut()
})
