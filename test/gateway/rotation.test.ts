import { expect, onTestFinished, test } from "vitest"
import { toMillis } from "../../src/model/timestamp.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { crowd, depart, readyOf, received, untilGone } from "./crowd.ts"
import { type House, openHouse, sharedHouse } from "./house.ts"

const house = sharedHouse()

const ROTATION = [{ modality: "rotation" }] as const
const LONG = { roundSeconds: 600, rounds: 10 }

const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`)

const staged = async (people: number, of: House = house) => {
  const stage = await of.stage(ROTATION)
  const host = await of.join(stage, "host", "host")
  const clients = await crowd(of, stage, names(people))
  return { stage, host, clients }
}

const roundsOf = (client: Client) => client.received.filter(({ t }) => t === "rotation.round").map(({ d }) => d)

const inRound = (client: Client, n: number): Promise<Frame> =>
  received(client, "rotation.round", (d) => d.n === n).then(({ d }) => d)

/** The same of a participant who may have come after the round began, and was told of it by `ready`. Time passes until then. */
const toldOfRound = async (of: House, client: Client, n: number): Promise<Frame> => {
  const told = () =>
    client.received
      .filter(({ t }) => t === "rotation.round" || t === "ready")
      .map(({ t, d }) => (t === "ready" ? d.round : d))
      .find((round) => round?.n === n)
  await eventually(() => {
    const isTold = told() !== undefined
    if (!isTold) of.actors.clock.jump(1000)
    return isTold
  }, `round ${n}`)
  return told()
}

/** The groups of a round, as each participant received them; checks that all received the same. */
const groupsOf = async (clients: ReadonlyArray<Client>, n: number): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const groups = new Map<string, string[]>()
  for (const [index, client] of clients.entries()) {
    const { roomId, partners, bye } = await inRound(client, n)
    expect(bye).toBe(roomId === null)
    if (roomId !== null) groups.set(roomId, [...(groups.get(roomId) ?? []), `p${index}`])
    else expect(partners).toEqual([])
  }
  for (const [index, client] of clients.entries()) {
    const { roomId, partners } = await inRound(client, n)
    const others = (groups.get(roomId) ?? []).filter((id) => id !== `p${index}`)
    expect(partners.map(({ participantId }: Frame) => participantId).toSorted()).toEqual(others)
    for (const { participantId, name } of partners) expect(name).toBe(`Name of ${participantId}`)
  }
  return [...groups.values()]
}

const pairsIn = (groups: ReadonlyArray<ReadonlyArray<string>>) =>
  groups.flatMap((group) => group.flatMap((a) => group.filter((b) => a < b).map((b) => `${a} ${b}`)))

test("every pair meets once, every tab is notified, and newcomers read the same; then it is exhausted", async () => {
  const { stage, host, clients } = await staged(4)
  const tab = await house.join(stage, "p0")
  const { d } = await host.command("rotation.start", { roundSeconds: 600, rounds: "exhaust" })
  expect(d.rotation).toMatchObject({ status: "round", n: 1, pairs: 2, byes: 0 })
  const met: string[] = []
  for (const n of [1, 2, 3]) {
    met.push(...pairsIn(await groupsOf(clients, n)))
    const told = await inRound(clients[0], n)
    expect(told).toMatchObject({ repeat: false, leadMs: 0, bye: false })
    expect(await inRound(tab, n)).toEqual(told)
    const ready = await readyOf(house, stage, "p0")
    expect(ready).toMatchObject({ round: told, me: { roomId: told.roomId }, rotation: { n, status: "round" } })
    expect(ready.timers).toEqual([
      expect.objectContaining({ scope: "round", state: "running", endsAt: told.endsAt, ref: String(n) }),
    ])
    await host.command("rotation.skip")
  }
  expect(new Set(met).size).toBe(6)
  const { d: ended } = await received(clients[0], "rotation.state", ({ rotation }) => rotation.status === "ended")
  expect(ended.rotation).toMatchObject({ n: 3, startsAt: null, endsAt: null })
  expect(await readyOf(house, stage, "p0")).toMatchObject({ round: null, me: { roomId: null }, timers: [] })
  expect((await host.command("rotation.skip")).e.code).toBe("conflict")
})

test("it is exhausted only when a newcomer has met everybody too, for every choice of byes", async () => {
  const { stage, host, clients } = await staged(4)
  await host.command("rotation.start", { roundSeconds: 600, rounds: "exhaust" })
  for (const n of [1, 2, 3]) {
    await inRound(clients[0], n)
    if (n < 3) await host.command("rotation.skip")
  }
  const [newcomer] = await crowd(house, stage, ["p4"])
  const isOn = async () => (await host.command("rotation.skip")).d.rotation.status === "round"
  let rounds = 3
  while (rounds < 20 && (await isOn())) rounds++
  await received(newcomer, "rotation.state", ({ rotation }) => rotation.status === "ended")
  const met = roundsOf(newcomer).flatMap(({ partners }) => partners.map(({ participantId }: Frame) => participantId))
  expect([...new Set(met)].toSorted()).toEqual(names(4))
  expect(rounds).toBeLessThan(20)
})

test("the clock ends a round, breaks, leads into the next and ends after the last; its timer elapses, and one that is stopped is cancelled", async () => {
  const { stage, host, clients } = await staged(2)
  const { clock } = house.actors
  const { result } = await house.actors.execute(stage.eventId, {
    type: "rotation.start",
    d: { roundSeconds: 5, breakSeconds: 4, rounds: 2 },
  })
  const { id } = (result as Frame)["rotation"]
  const [client] = clients
  expect((await inRound(client, 1)).leadMs).toBe(3000)
  clock.jump(8000)
  const { d } = await received(client, "rotation.state", ({ rotation }) => rotation.status === "break")
  expect(toMillis(d.rotation.endsAt) - toMillis(d.rotation.startsAt)).toBe(1000)
  const over = await received(client, "timer.elapsed")
  expect(over.d).toMatchObject({ timerId: id, timer: { id, scope: "round", ref: "1", state: "elapsed" } })
  const next = await received(client, "timer.updated", ({ timer }) => timer.rev > over.d.timer.rev)
  expect(next.d.timer).toMatchObject({ id, state: "running" })
  clock.jump(1000)
  expect((await received(client, "timer.elapsed", ({ timer }) => timer.rev > next.d.timer.rev)).d.timerId).toBe(id)
  const second = await inRound(client, 2)
  expect(second).toMatchObject({ repeat: true })
  expect(toMillis(second.endsAt) - toMillis(second.startsAt)).toBe(5000)
  clock.jump(8000)
  await received(client, "rotation.state", ({ rotation }) => rotation.status === "ended" && rotation.n === 2)
  await host.command("rotation.start", LONG)
  await host.command("rotation.stop")
  await received(client, "timer.updated", ({ timer }) => timer.state === "cancelled")
})

test("a pause keeps the remaining time of the round, and a resumed round ends so much later", async () => {
  const { stage, host, clients } = await staged(2)
  await host.command("rotation.start", LONG)
  const told = await inRound(clients[0], 1)
  const { d } = await host.command("rotation.pause")
  expect(d.rotation).toMatchObject({ status: "paused", n: 1 })
  expect((await host.command("rotation.pause")).d).toEqual(d)
  const ready = await readyOf(house, stage, "p0")
  expect(ready.round).toEqual(told)
  expect(ready.timers).toMatchObject([{ state: "paused", remainingMs: d.rotation.remainingMs }])
  const { clock } = house.actors
  clock.jump(60_000, true)
  const from = clock.now()
  const { result } = await house.actors.execute(stage.eventId, { type: "rotation.resume", d: {} })
  const { rotation } = result as Frame
  expect(rotation).toMatchObject({ status: "round", n: 1, remainingMs: null })
  expect(toMillis(rotation.endsAt) - d.rotation.remainingMs).toBeGreaterThanOrEqual(from)
  expect(toMillis(rotation.endsAt) - d.rotation.remainingMs).toBeLessThanOrEqual(clock.now())
  expect((await readyOf(house, stage, "p0")).round.endsAt).toBe(rotation.endsAt)
})

test("two hosts who extend a round at once add one stretch, which holds for everything of the round", async () => {
  const { stage, host, clients } = await staged(2)
  const { rotation } = (await host.command("rotation.start", LONG)).d
  const told = await inRound(clients[0], 1)
  const extend = (by: Client, rev?: number) =>
    by.command("timer.extend", { timerId: rotation.id, seconds: 60 }, rev === undefined ? {} : { rev })
  const [done, late] = await Promise.all([extend(host, rotation.rev), extend(host, rotation.rev)])
  const { timer } = done.d
  expect(timer).toMatchObject({ id: rotation.id, scope: "round", state: "running", extendedMs: 60_000 })
  expect(toMillis(timer.endsAt) - toMillis(told.endsAt)).toBe(60_000)
  expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { timer } } })
  const said = await received(clients[0], "rotation.state", (d) => d.rotation.rev === timer.rev)
  expect(said.d.rotation).toMatchObject({ n: 1, status: "round", endsAt: timer.endsAt })
  expect((await received(clients[0], "timer.updated", (d) => d.timer.rev === timer.rev)).d).toEqual({ timer })
  const ready = await readyOf(house, stage, "p0")
  expect(ready).toMatchObject({ round: { n: 1, endsAt: timer.endsAt }, timers: [timer] })
  expect((await extend(clients[0] as Client)).e.code).toBe("forbidden")
  expect((await host.command("timer.extend", { timerId: stage.eventId, seconds: 60 })).e.code).toBe("not_found")
})

test("more time outlasts a pause, in which there is nothing to extend, and ends with the round", async () => {
  const { host } = await staged(2)
  const { rotation } = (await host.command("rotation.start", LONG)).d
  const extend = () => host.command("timer.extend", { timerId: rotation.id, seconds: 3600 })
  expect((await extend()).d.timer.extendedMs).toBe(3_600_000)
  const paused = (await host.command("rotation.pause")).d.rotation
  expect(paused.remainingMs).toBeGreaterThan(3_600_000)
  expect(await extend()).toMatchObject({ ok: false, e: { code: "conflict", current: { timer: { state: "paused" } } } })
  await host.command("rotation.resume")
  expect((await extend()).d.timer.extendedMs).toBe(7_200_000)
  await host.command("rotation.skip")
  expect((await extend()).d.timer.extendedMs).toBe(3_600_000)
  await host.command("rotation.stop")
  expect((await extend()).e.code).toBe("conflict")
})

test("a round warns ten seconds before its end, and one that is extended in time goes on after its old end and warns before the new one", async () => {
  const { stage, host, clients } = await staged(2)
  const { clock } = house.actors
  const { result } = await house.actors.execute(stage.eventId, {
    type: "rotation.start",
    d: { roundSeconds: 20, rounds: 2 },
  })
  const { rotation } = result as Frame
  const warning = { timerId: rotation.id, remainingMs: 10_000 }
  clock.jump(13_000)
  expect((await received(clients[0], "timer.warning")).d).toEqual(warning)
  await host.command("timer.extend", { timerId: rotation.id, seconds: 10 })
  const { timer } = (await received(clients[0], "timer.updated", (d) => d.timer.extendedMs === 10_000)).d
  expect(toMillis(timer.endsAt) - toMillis(rotation.endsAt)).toBe(10_000)
  // Ten seconds before the new end is when the round would have been over.
  clock.jump(10_000)
  const isLater = (_d: Frame, { ts }: Frame) => ts >= toMillis(rotation.endsAt)
  expect((await received(clients[0], "timer.warning", isLater)).d).toEqual(warning)
  expect((await readyOf(house, stage, "p0")).round.n).toBe(1)
})

test("a departure is sent to partners; a participant who comes back has the same round, and joiners one from the next", async () => {
  const { stage, host, clients } = await staged(2)
  await host.command("rotation.start", LONG)
  const [stays, leaves] = clients
  const told = await inRound(leaves as Client, 1)
  await depart(house, stage, "p1", leaves as Client)
  expect((await received(stays, "rotation.partnerLeft")).d).toEqual({ participantId: "p1", n: 1 })
  expect((await readyOf(house, stage, "p0")).round.partners).toMatchObject([{ participantId: "p1" }])
  const back = await house.join(stage, "p1")
  expect(back.received.find(({ t }) => t === "ready").d).toMatchObject({ round: told, me: { roomId: told.roomId } })
  await received(stays, "rotation.round", () => roundsOf(stays).length === 2)
  expect(roundsOf(stays)[1]).toEqual(roundsOf(stays)[0])
  const [joiner] = await crowd(house, stage, ["p2", "p3"])
  expect(await readyOf(house, stage, "p2")).toMatchObject({ round: null, me: { roomId: null } })
  await host.command("rotation.skip")
  expect((await inRound(joiner, 2)).bye).toBe(false)
})

test("a pair that both lost their links come back to each other, also within a moment", async () => {
  const { stage, host, clients } = await staged(2)
  await host.command("rotation.start", LONG)
  const told = await inRound(clients[0], 1)
  for (const client of clients) await client.cut()
  for (const who of names(2)) await untilGone(house, stage, who)
  const again = await crowd(house, stage, names(2))
  expect((await readyOf(house, stage, "p0")).round).toEqual(told)
  await again[0].cut()
  expect((await readyOf(house, stage, "p0")).round).toEqual(told)
})

test("one sits out at once and takes part again from the next round; staff may take part", async () => {
  const { stage, host, clients } = await staged(4)
  await host.command("rotation.start", LONG)
  const [client] = clients
  const { partners } = await inRound(client, 1)
  expect((await client.command("rotation.opt", { in: false })).d).toEqual({ in: false })
  const partner = clients[Number(partners[0].participantId.slice(1))] as Client
  expect((await received(partner, "rotation.partnerLeft")).d.participantId).toBe("p0")
  expect(await readyOf(house, stage, "p0")).toMatchObject({ round: null, optedOut: true, me: { roomId: null } })
  await host.command("rotation.opt", { in: true })
  await host.command("rotation.skip")
  expect((await inRound(host, 2)).bye).toBe(false)
  expect(roundsOf(client)).toHaveLength(1)
  await client.command("rotation.opt", { in: true })
  expect(await readyOf(house, stage, "p0")).toMatchObject({ round: null, optedOut: false })
  await host.command("rotation.skip")
  await inRound(client, 3)
  const viewer = await house.join(stage, "watcher", "viewer")
  expect((await viewer.command("rotation.opt", { in: true })).e.code).toBe("forbidden")
})

test("one sits out in all tabs", async () => {
  const { stage, clients } = await staged(1)
  const tab = await house.join(stage, "p0")
  for (const isIn of [false, false, true]) await clients[0].command("rotation.opt", { in: isIn })
  await received(tab, "me.opted", (d) => d.in)
  expect(tab.ordered("me").map(({ t, d }) => [t, d.in])).toEqual([
    ["me.opted", false],
    ["me.opted", true],
  ])
})

test("an odd one has the bye, each in turn, or makes a trio; larger groups sit together", async () => {
  const { stage, host, clients } = await staged(3)
  await host.command("rotation.start", { ...LONG, rounds: 3 })
  const byes: number[] = []
  for (const n of [1, 2, 3]) {
    const groups = await groupsOf(clients, n)
    expect(groups.map(({ length }) => length)).toEqual([2])
    for (const [index, client] of clients.entries()) if ((await inRound(client, n)).bye) byes.push(index)
    await host.command("rotation.skip")
  }
  expect(byes.toSorted()).toEqual([0, 1, 2])
  await host.command("rotation.start", { ...LONG, odd: "trio" })
  await received(clients[0], "rotation.round", ({ partners }) => partners.length === 2)
  await host.command("rotation.stop")
  const seven = [...clients, ...(await crowd(house, stage, ["p3", "p4", "p5", "p6"]))]
  const before = seven.map(({ received: frames }) => frames.length)
  const { d } = await host.command("rotation.start", { ...LONG, groupSize: 3 })
  expect(d.rotation).toMatchObject({ pairs: 2, byes: 0, groupSize: 3 })
  const isNew = (n: number) => (_d: Frame, frame: Frame) => (seven[n]?.received.indexOf(frame) ?? 0) >= (before[n] ?? 0)
  const rounds = await Promise.all(seven.map((client, n) => received(client, "rotation.round", isNew(n))))
  expect(rounds.map(({ d: round }) => round.partners.length).toSorted()).toEqual([2, 2, 2, 3, 3, 3, 3])
})

test("people who met before meet others, in later phases too; a kill loses neither that, nor the running round, nor an end that passed", async () => {
  let isOwner = true
  const first = await openHouse({}, { holds: () => isOwner })
  onTestFinished(() => first.stop())
  const stage = await first.stage([...ROTATION, ...ROTATION])
  const host = await first.join(stage, "host", "host")
  const clients = await crowd(first, stage, names(4))
  await host.command("rotation.start", LONG, { id: "one" })
  const met = pairsIn(await groupsOf(clients, 1))
  await host.command("phase.next", {}, { id: "two" })
  await host.command("rotation.start", { ...LONG, rounds: 2 }, { id: "three" })
  const isSecond = (d: Frame) => d.roomId !== roundsOf(clients[0])[0].roomId
  const told = (await received(clients[0], "rotation.round", isSecond)).d
  const before = await readyOf(first, stage, "p0")
  expect(before.round).toEqual(told)
  met.push(["p0", told.partners[0].participantId].toSorted().join(" "))
  const brief = (await staged(2, first)).stage
  const d = { roundSeconds: 20, rounds: 3 }
  await first.actors.execute(brief.eventId, { type: "rotation.start", d })
  isOwner = false
  const second = await openHouse({}, { node: "second" }, first.databaseUrl)
  onTestFinished(() => second.stop())
  const after = await readyOf(second, stage, "p0")
  for (const part of ["rotation", "round", "timers"]) expect(after[part]).toEqual(before[part])
  const again = await crowd(second, stage, names(4))
  const steering = await second.join(stage, "host", "host")
  await steering.command("rotation.skip", {}, { id: "four" })
  const last = await groupsOf(again, 2)
  for (const pair of pairsIn(last)) expect(met).not.toContain(pair)
  await steering.command("rotation.skip", {}, { id: "five" })
  await received(again[0], "rotation.state", ({ rotation }) => rotation.status === "ended")
  second.actors.clock.jump(23_000)
  const [client] = await crowd(second, brief, names(2))
  expect((await toldOfRound(second, client, 2)).partners).toMatchObject([{ participantId: "p1" }])
})
