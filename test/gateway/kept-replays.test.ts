/** The gateway replays the kept history of an ended event: as the audience saw it, in its order, and for nobody who may not see it. */
import { expect, test } from "vitest"
import { openJumpingClock } from "../support/jumping-clock.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { openHouse, sharedHouse } from "./house.ts"
import { heartbeat, type Moment, SECOND, storiesAt, type Told } from "./kept-story.ts"

const clock = openJumpingClock()
const house = sharedHouse({ clock: clock.clock })
const { sweep, prepare, endedEvent, tokenOf, openClient, startedAtOf, tellStory, openReplay, expectReplays } =
  storiesAt(house)

/** The story of the tests that change nothing of it. */
let story: Promise<Told> | undefined
const told = (): Promise<Told> => {
  story ??= tellStory()
  return story
}

const without =
  (withdrawn: string) =>
  (moment: Moment): Moment =>
    moment.seen === undefined
      ? moment
      : {
          ...moment,
          seen: {
            ...moment.seen,
            chat: { ...moment.seen.chat, event: moment.seen.chat.event.filter(({ id }) => id !== withdrawn) },
          },
        }

test("a replay that begins in the middle has the state that a live viewer had at that moment, before and after all sweeps", async () => {
  const { stage, moments, withdrawn } = await tellStory()
  expect(moments.map(({ seen }) => seen?.chat.event.length)).toEqual([1, 1, 2, 1, 1])
  // A message that a host deleted does not come back, also before the sweep deletes it.
  await expectReplays(stage, moments.map(without(withdrawn)))
  while ((await sweep()) > 0);
  expect(await house.actors.sql`select 1 from publications where event_id = ${stage.eventId}`).toHaveLength(0)
  await expectReplays(stage, moments.map(without(withdrawn)))
  const kept = await house.actors.sql<{ frame: string; stream: string }[]>`
    select frame, stream from kept_publications where event_id = ${stage.eventId}`
  const withIt = kept.filter(({ frame }) => frame.includes(withdrawn))
  expect(withIt.map(({ frame }) => JSON.parse(frame).t)).toEqual(["chat.deleted"])
  expect(new Set(kept.map(({ stream }) => stream))).toEqual(new Set(["event", "stage"]))
  expect(kept.some(({ frame }) => frame.includes("Nobody else reads this"))).toBe(false)
})

test("the client goes to a place that a player tells in fractions, or before the start", async () => {
  const { stage } = await told()
  const began = await startedAtOf(stage)
  const client = openClient(stage, { replay: { from: 1500.25, speed: 0 } })
  await client.connect()
  expect(client.clock.now()).toBeCloseTo(began + 1500, -2)
  await client.replay({ from: -20.5, speed: 0 })
  expect(client.clock.now()).toBeCloseTo(began, -2)
})

test("a participant has as many replays at once as connections to a live event, and the oldest makes room", async () => {
  const { stage } = await told()
  const open = async (who: string): Promise<Client> => {
    const client = await openReplay(stage, { from: 0, speed: 0 }, who)
    await client.dispatch("ready")
    return client
  }
  const other = await open("anon:patient")
  const own: Client[] = []
  for (let n = 0; n < 6; n++) own.push(await open("anon:hasty"))
  expect(await own[0]?.closeCode()).toBe(4305)
  for (const client of [other, ...own.slice(1)]) expect((await heartbeat(client)).t0).toBe(1)
  own[1]?.socket.close()
  await own[1]?.closed
  const next = await open("anon:hasty")
  for (const client of [...own.slice(2), next]) expect((await heartbeat(client)).t0).toBe(1)
})

test("dispatches come in their order when their time has come, at the speed of the replay, under numbers without a gap", async () => {
  const { stage, dispatches, withdrawn } = await told()
  while ((await sweep()) > 0);
  const began = await startedAtOf(stage)
  const client = await openReplay(stage, { from: 30 * SECOND, speed: 2 })
  const { d: ready } = await client.dispatch("ready")
  expect(ready).toMatchObject({ resumed: false, v: 0, cursors: { event: 0, stage: 0 } })
  expect(ready.serverTime).toBeGreaterThanOrEqual(began + 30 * SECOND)
  expect(ready.me).toMatchObject({ role: "viewer", can: [], chatTo: [] })
  const isKept = ({ d }: Frame) => d.message?.id !== withdrawn
  const expected = dispatches.filter(isKept).map(({ t, ts }) => [t, ts])
  for (let round = 0; round < 4; round++) {
    const { t2 } = await heartbeat(client)
    const received = client.ordered("event")
    const due = expected.filter(([, ts]) => ts <= t2 - 2 * SECOND)
    await eventually(() => client.ordered("event").length >= due.length, "everything that was due")
    // The time that is told is that of the answer, which came after these.
    expect(received.every(({ ts }) => ts <= t2)).toBe(true)
    expect(client.ordered("event").map(({ t, ts }) => [t, ts])).toEqual(
      expected.slice(0, client.ordered("event").length),
    )
    clock.jump(30 * SECOND)
  }
  expect(await client.closeCode()).toBe(4307)
  expect(client.ordered("event").map(({ t, ts }) => [t, ts])).toEqual(expected)
  for (const stream of ["event", "stage"]) {
    expect(client.ordered(stream).map(({ s }) => s)).toEqual(client.ordered(stream).map((_, n) => n + 1))
  }
})

test("a socket that replays takes no commands, gets nothing else, and is nobody at the event", async () => {
  const stage = await endedEvent()
  const client = await openReplay(stage, { from: 0, speed: 0 })
  await client.dispatch("ready")
  for (const command of ["chat.send", "sync", "roster.list", "leave", "no.such"]) {
    expect(await client.command(command, {})).toMatchObject({ ok: false, e: { code: "event_ended" } })
  }
  const before = client.received.length
  await house.actors.execute(stage.eventId, { type: "event.patch", d: { title: "Renamed" } })
  const { t1, t2, heads } = await heartbeat(client)
  expect([t1, t2, heads]).toEqual([await startedAtOf(stage), await startedAtOf(stage), {}])
  expect(client.received.slice(before).map(({ op }) => op)).toEqual([11])
  client.send({ op: 12, id: "new", d: { token: await tokenOf(stage, "anon:socket", true) } })
  expect(await client.next(({ op }) => op === 4, "the answer to a token")).toMatchObject({
    ok: true,
    d: { role: "viewer" },
  })
  client.send({ op: 12, id: "other", d: { token: await tokenOf(stage, "anon:socket", false) } })
  expect(await client.next(({ id }) => id === "other", "the answer to a token")).toMatchObject({
    e: { code: "forbidden" },
  })
})

test("nothing is replayed of an event that is brief, live, private or unknown, or without the token for it", async () => {
  const stage = await endedEvent()
  const { actors } = house
  const place = { from: 0 }
  const brief = await prepare("brief")
  await actors.execute(brief.eventId, { type: "event.start", d: {} })
  expect(await (await openReplay(brief, place)).closeCode()).toBe(4303)
  await actors.execute(brief.eventId, { type: "event.end", d: {} })
  const closed = await (await openReplay(brief, place)).closed
  expect(closed).toEqual({ code: 4303, reason: "The history of the event is not kept, or not any more." })
  const live = await prepare()
  await actors.execute(live.eventId, { type: "event.start", d: {} })
  expect(await (await openReplay(live, place)).closed).toEqual({ code: 4303, reason: "The event has not ended." })
  const unknown = { ...stage, eventId: "01a228bc-0000-7240-bb49-947484f0b972" }
  expect(await (await openReplay(unknown, place)).closeCode()).toBe(4308)
  const watched = await openReplay(stage, { ...place, speed: 0 })
  await watched.dispatch("ready")
  await actors.execute(stage.eventId, { type: "event.patch", d: { visibility: "private" } })
  expect(await (await openReplay(stage, place)).closeCode()).toBe(4203)
  // An open replay looks again every minute.
  clock.jump(61 * SECOND)
  expect(await watched.closeCode()).toBe(4203)
  await actors.execute(stage.eventId, { type: "event.patch", d: { visibility: "public" } })
  for (const [isReplay, given] of [
    [false, { replay: place }],
    [true, {}],
  ] as const) {
    const client = house.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await tokenOf(stage, "anon:other", isReplay), ...given } })
    expect(await client.closeCode()).toBe(4303)
  }
})

test.each([[{}], [{ from: -1 }], [{ from: 1.5 }], [{ from: "0" }], [{ from: 0, speed: -1 }], [{ from: 0, speed: 17 }]])(
  "a place like %j is no place to replay from",
  async (place) => {
    const { stage } = await told()
    const { code, reason } = await (await openReplay(stage, place)).closed
    expect([code, reason.startsWith("identify: ")]).toEqual([4300, true])
  },
)

test("an event stream replays as a socket does, and takes its place from the address", async () => {
  const { stage, moments } = await told()
  const token = await tokenOf(stage, "anon:stream", true)
  const stream = house.connectStream({ token, query: `?from=${moments[0]?.at}&speed=0` })
  expect((await stream.dispatch("chat.message")).d.message.text).toBe("Good morning")
  expect(stream.received.some(({ t }) => t === "question.created")).toBe(false)
  for (const query of ["?from=soon", "?from=", "?from=0&speed="])
    expect(await house.connectStream({ token, query }).closeCode(), query).toBe(4300)
  const client = openClient(stage, { transport: "sse", replay: { from: moments[0]?.at ?? 0, speed: 0 } })
  await client.connect()
  await eventually(() => client.state?.chat.event[0]?.text === "Good morning", "the message over a stream")
  expect((await client.replay({ from: moments[1]?.at ?? 0, speed: 0 })).event.id).toBe(stage.eventId)
  await eventually(() => client.state?.questions.all[0]?.answer === "There is one.", "the answer over a stream")
  await client.replay({ from: moments[0]?.at ?? 0, speed: 0 })
  await eventually(() => client.state?.chat.event.length === 1, "the earlier place")
  expect([client.state?.questions.all, client.state?.transcript.segments]).toEqual([[], []])
  expect(client.clock.now()).toBeCloseTo((await startedAtOf(stage)) + (moments[0]?.at ?? 0), -3)
})

test("a slow client gets a long history whole and in order, and is not closed for it", async () => {
  const stage = await endedEvent()
  const { actors } = house
  while ((await sweep()) > 0);
  const many = 6000
  await actors.sql`
    insert into kept_publications (event_id, version, stream, s, frame, at)
    select ${stage.eventId}, 100 + n, 'event', 100 + n,
           '{"op":0,"st":"event","s":' || 100 + n || ',"v":1,"ts":1,"t":"announcement","d":{"id":"' || gen_random_uuid()
             || '","by":null,"at":"2026-01-01T00:00:00.000Z","text":"' || n || repeat('x', 2000) || '"}}', now() - interval '1 hour'
      from generate_series(1, ${many}::integer) as g(n)`
  const client = await openReplay(stage, { from: 0, speed: 1 })
  await client.dispatch("ready")
  client.socket.pause()
  client.socket.resume()
  expect(await client.closeCode()).toBe(4307)
  const told = client.ordered("event").filter(({ t }) => t === "announcement")
  expect(told.map(({ d }) => Number.parseInt(d.text, 10))).toEqual(Array.from({ length: many }, (_, n) => n + 1))
  expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
})

test("a replay is drained as every socket is", async () => {
  const other = await openHouse()
  try {
    const stage = await other.stage([{ modality: "meeting" }], "scheduled")
    const { actors } = other
    await actors.sql`update events set history = 'kept' where id = ${stage.eventId}`
    await actors.execute(stage.eventId, { type: "event.start", d: {} })
    await actors.execute(stage.eventId, { type: "event.end", d: {} })
    const client = other.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await tokenOf(stage, "anon:drained", true), replay: { from: 0, speed: 0 } } })
    await client.dispatch("ready")
    await other.gateway.drain(50, "drain")
    expect((await client.next(({ op }) => op === 7, "the notice")).d.reason).toBe("drain")
    expect(await client.closeCode()).toBe(1012)
  } finally {
    await other.stop()
  }
})
