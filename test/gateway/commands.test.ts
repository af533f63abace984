import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { COMMAND_NAMES, commandContract } from "../../src/protocol/contract.ts"
import type { Frame } from "./client.ts"
import { refused, untilAnnounced } from "./crowd.ts"
import { sharedHouse } from "./house.ts"

const house = sharedHouse({ commandsInFlight: 8 })

const AGENDA = [{ modality: "meeting", config: { durationSeconds: 600 } }, { modality: "broadcast" }] as const

test("a host moves the agenda; reply and dispatch carry the phase", async () => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  const reply = await host.command("phase.next", { phaseId: stage.phaseIds[0] })
  expect(reply).toMatchObject({ ok: true, d: { phase: { id: stage.phaseIds[1], status: "active" } } })
  expect((await host.dispatch("phase.started")).v).toBe(reply.v)
  // The guard names a phase that is over: the retry moves nothing.
  expect((await host.command("phase.next", { phaseId: stage.phaseIds[0] })).d.phase.id).toBe(stage.phaseIds[1])
})

test("a host changes a phase, extends its timer, announces to all and lists the participants", async () => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  const guest = await house.join(stage, "guest")
  const [first, second] = stage.phaseIds
  const changed = await host.command("phase.update", { phaseId: second, featureSet: ["chat"], config: { a: 1 } })
  expect(changed.d.phase).toMatchObject({ featureSet: ["chat"], config: { a: 1 }, rev: 2 })
  const extended = await host.command("timer.extend", { timerId: first, seconds: 60 })
  expect(extended.d.timer).toMatchObject({ id: first, extendedMs: 60_000 })
  expect((await guest.dispatch("timer.updated")).d.timer).toEqual(extended.d.timer)
  await host.command("announce", { text: "Welcome", targets: "all" })
  expect((await guest.dispatch("announcement")).d).toMatchObject({ text: "Welcome", by: { participantId: "host" } })
  await untilAnnounced(house, stage, ["host", "guest"])
  const { d } = await guest.command("roster.list", { role: "host" })
  expect(d.participants).toMatchObject([{ participantId: "host", role: "host" }])
})

test("a state that does not allow a command refuses it, and the socket stays", async () => {
  const stage = await house.stage([{ modality: "meeting" }], "scheduled")
  const host = await house.join(stage, "host", "host")
  expect(await host.command("phase.next")).toMatchObject(refused("conflict"))
  expect(await host.command("timer.extend", { timerId: stage.phaseIds[0], seconds: 60 })).toMatchObject(
    refused("conflict"),
  )
  expect(await host.command("phase.update", { phaseId: newId() })).toMatchObject(refused("not_found"))
  expect(await host.command("event.end")).toMatchObject(refused("conflict"))
})

test("a body that does not fit is a bad request", async () => {
  const host = await house.join(await house.stage(AGENDA), "host", "host")
  for (const [t, d] of [
    ["timer.extend", { timerId: newId(), seconds: 9 }],
    ["timer.extend", { timerId: newId(), seconds: 3601 }],
    ["announce", { text: "x".repeat(1001) }],
    ["announce", { text: "x", targets: ["room"] }],
    ["announce", { text: "a\u0000b" }],
    ["announce", { text: "half a pair \ud800" }],
    ["phase.update", { phaseId: newId(), featureSet: ["nonsense"] }],
    ["phase.update", { phaseId: newId(), config: { durationSeconds: -1 } }],
    ["roster.list", { limit: 201 }],
  ] as const) {
    expect([t, d, await host.command(t, d)]).toMatchObject([t, d, refused("bad_request")])
  }
})

test("an unknown command is refused as unknown", async () => {
  const client = await house.join(await house.stage(), "a")
  expect(await client.command("chat.shout", { text: "x" })).toMatchObject({
    ok: false,
    e: { code: "unknown_command", message: 'There is no command "chat.shout": me.can has those that you may send.' },
  })
  expect(await client.command("toString")).toMatchObject(refused("unknown_command"))
})

test("a frame that cannot be answered under an id is complained about", async () => {
  const client = await house.join(await house.stage(), "a")
  for (const id of ["", "x".repeat(65), 7]) {
    client.send({ op: 3, id, t: "roster.list", d: {} })
    expect((await client.next(({ op }) => op === 13)).d.code).toBe("bad_request")
  }
})

test("the same id again is answered with the first answer and runs nothing", async () => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  const first = await host.command("announce", { text: "once" }, { id: "the id" })
  const again = await host.command("announce", { text: "once" }, { id: "the id" })
  expect(first.dup).toBeUndefined()
  expect(again).toEqual({ ...first, dup: true })
  expect(await host.command("announce", { text: "twice" }, { id: "the id" })).toMatchObject(refused("conflict"))
  // Ids are a participant's own.
  const other = await house.join(stage, "other host", "host")
  expect(await other.command("announce", { text: "mine" }, { id: "the id" })).toMatchObject({ ok: true })
})

test("the same id with another revision, or with none, is another command and is refused", async () => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  const extend = (rev?: number) =>
    host.command(
      "timer.extend",
      { timerId: stage.phaseIds[0], seconds: 60 },
      { id: "plus one", ...(rev === undefined ? {} : { rev }) },
    )
  const first = await extend(1)
  expect(first).toMatchObject({ ok: true, d: { timer: { rev: 2, extendedMs: 60_000 } } })
  for (const rev of [2, undefined]) {
    const { ok, dup, e } = await extend(rev)
    expect([ok, dup, e?.code], String(rev)).toEqual([false, undefined, "conflict"])
  }
  expect(await extend(1)).toEqual({ ...first, dup: true })
})

const NOBODY = `reg:${newId()}`

test("the order of keys is no other body", async () => {
  const host = await house.join(await house.stage(AGENDA), "host", "host")
  await host.command("participant.remove", { id: NOBODY, block: true }, { id: "k" })
  expect(await host.command("participant.remove", { block: true, id: NOBODY }, { id: "k" })).toMatchObject({
    dup: true,
  })
})

test("a command repeated after a reconnect with resume is answered once more and has happened once", async () => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  const { d } = host.received.find(({ t }) => t === "ready")
  const body = { timerId: stage.phaseIds[0], seconds: 300 }
  const first = await host.command("timer.extend", body, { id: "plus five" })
  await host.cut()
  const back = house.connect()
  await back.identify(await house.token(stage, "host", "host"), { epoch: d.epoch, cursors: d.cursors })
  const again = await back.command("timer.extend", body, { id: "plus five" })
  expect(again).toMatchObject({ ok: true, dup: true, d: { timer: first.d.timer } })
  await back.command("announce", { text: "after" })
  await back.dispatch("announcement")
  expect(back.received.filter(({ t }) => t === "timer.updated")).toHaveLength(1)
})

test("two hosts who press next at once go on one phase: the stale revision gets the current entity", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting" }, { modality: "meeting" }])
  const [one, two] = [await house.join(stage, "one", "host"), await house.join(stage, "two", "host")]
  const { rev } = one.received.find(({ t }) => t === "ready").d.phase
  const replies = await Promise.all([one, two].map((host) => host.command("phase.next", {}, { rev })))
  const [done, late] = replies.toSorted((a, b) => Number(b.ok) - Number(a.ok))
  const [phaseId, second, third] = stage.phaseIds
  expect(done).toMatchObject({ ok: true, d: { phase: { id: second, status: "active" } } })
  expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { phase: { id: second } } } })
  expect(await one.command("phase.next", { phaseId }, { rev })).toMatchObject(refused("conflict"))
  expect(await one.command("phase.next", { phaseId })).toMatchObject({ ok: true, d: { phase: { id: second } } })
  const next = await one.command("phase.next", {}, { rev: late?.e.current.phase.rev })
  expect(next.d.phase.id).toBe(third)
})

test("with no phase active there is no revision to go on from", async () => {
  const host = await house.join(await house.stage([]), "host", "host")
  expect((await host.command("phase.next", {}, { rev: 1 })).e).toMatchObject({ code: "conflict" })
})

test("a command on an entity without a revision does not take one", async () => {
  const host = await house.join(await house.stage(), "host", "host")
  const unrevised = COMMAND_NAMES.filter((t) => commandContract(t).revises === undefined)
  expect(unrevised).toContain("event.end")
  for (const t of unrevised) {
    const { e } = await host.command(t, {}, { rev: 1 })
    expect(e, t).toMatchObject({ code: "bad_request", message: expect.stringContaining("no revision") })
  }
})

test("a phase that ends before its timer does has it cancelled", async () => {
  const stage = await house.stage([{ modality: "meeting", config: { durationSeconds: 600 } }, { modality: "meeting" }])
  const host = await house.join(stage, "host", "host")
  await host.command("phase.next")
  const ended = await host.dispatch("phase.ended")
  expect((await host.dispatch("timer.updated")).d).toMatchObject({
    timer: { id: stage.phaseIds[0], scope: "phase", state: "cancelled", rev: 2 },
    phase: ended.d.phase,
  })
})

test("two hosts who press +5 at once add five: the stale revision gets the current entity", async () => {
  const stage = await house.stage(AGENDA)
  const hosts = await Promise.all(["one", "two"].map((who) => house.join(stage, who, "host")))
  const replies = await Promise.all(
    hosts.map((host) => host.command("timer.extend", { timerId: stage.phaseIds[0], seconds: 300 }, { rev: 1 })),
  )
  const late = replies.find(({ ok }) => !ok)
  expect(replies.filter(({ ok }) => ok)).toHaveLength(1)
  expect(late).toMatchObject({ e: { code: "conflict", current: { timer: { rev: 2, extendedMs: 300_000 } } } })
})

test("too many commands are refused for a moment, over all tabs of a participant", async () => {
  const stage = await house.stage()
  // Each node counts alone.
  const [one, two] = [house.connect({ url: house.url }), house.connect({ url: house.url })]
  for (const tab of [one, two]) await tab.identify(await house.token(stage, "a"))
  // The bucket fills while a slow machine reads them.
  const replies = await Promise.all(Array.from({ length: 150 }, (_, n) => (n % 2 ? one : two).command("nothing")))
  const limited = replies.filter(({ e }) => e.code === "rate_limited")
  expect(limited.length).toBeGreaterThanOrEqual(8)
  expect(limited[0].e).toMatchObject({ temporary: true })
  expect(limited[0].e.retryAfterMs).toBeGreaterThan(0)
  // Somebody else has a bucket of their own, and staff a larger one.
  const host = await house.join(stage, "host", "host")
  const ok = await Promise.all(Array.from({ length: 100 }, () => host.command("nothing")))
  expect(ok.every(({ e }) => e.code === "unknown_command")).toBe(true)
})

test("more commands than may wait for an answer are refused for a moment", async () => {
  const host = await house.join(await house.stage(), "host", "host")
  const ids = Array.from({ length: 12 }, (_, n) => `flight ${n}`)
  host.send(...ids.map((id) => ({ op: 3, id, t: "announce", d: { text: id } })))
  const isReply = ({ op, id }: Frame) => op === 4 && ids.includes(id)
  for (const _ of ids) await host.next(isReply)
  const replies = host.received.filter(isReply)
  expect(replies.filter(({ ok }) => ok)).toHaveLength(8)
  expect(new Set(replies.filter(({ ok }) => !ok).map(({ e }) => e.code))).toEqual(new Set(["rate_limited"]))
})

test("a flood closes 4101", async () => {
  const client = await house.join(await house.stage(), "a")
  for (let n = 0; n < 20; n++) client.send(...Array.from({ length: 32 }, () => ({ op: 1, d: { t0: 1 } })))
  expect(await client.closeCode()).toBe(4101)
})
