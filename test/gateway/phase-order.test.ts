/** People who wait for an event see its agenda change. */
import { expect, test } from "vitest"
import { sharedHouse } from "./house.ts"

const house = sharedHouse()

const idsIn = (phases: unknown): ReadonlyArray<string> =>
  (phases as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)

test("a new order and a removal are told to everybody who waits, and a later participant finds them", async () => {
  const stage = await house.stage(
    [{ modality: "meeting" }, { modality: "breakout" }, { modality: "broadcast" }],
    "scheduled",
  )
  const [a = "", b = "", c = ""] = stage.phaseIds
  const ann = await house.join(stage, "ann")
  await house.actors.execute(stage.eventId, { type: "phases.order", d: { phaseIds: [c, a, b] } })
  const ordered = (await ann.dispatch("agenda.updated")).d
  expect(ordered).toMatchObject({
    phases: [
      { id: c, position: 0, rev: 2 },
      { id: a, position: 1, rev: 2 },
      { id: b, position: 2, rev: 2 },
    ],
  })
  await house.actors.execute(stage.eventId, { type: "phase.remove", d: { phaseId: c } })
  expect((await ann.dispatch("agenda.updated")).d).toMatchObject({
    phases: [
      { id: a, position: 0, rev: 3 },
      { id: b, position: 1, rev: 3 },
    ],
  })
  const bob = house.connect()
  const ready = await bob.identify(await house.token(stage, "bob"))
  expect(idsIn((ready as { readonly d: { readonly phases: unknown } }).d.phases)).toEqual([a, b])
  await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  expect((await ann.dispatch("phase.started")).d).toMatchObject({ phase: { id: a, rev: 4 } })
})

test("the features of a phase that is removed are no longer there before the start", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting", featureSet: ["qa"] }], "scheduled")
  const [, questions = ""] = stage.phaseIds
  const ann = await house.join(stage, "ann")
  expect(await ann.command("question.ask", { text: "Is it on?" })).toMatchObject({ ok: true })
  await house.actors.execute(stage.eventId, { type: "phase.remove", d: { phaseId: questions } })
  await ann.dispatch("agenda.updated")
  expect(await ann.command("question.ask", { text: "And now?" })).toMatchObject({
    ok: false,
    e: { code: "feature_disabled" },
  })
})
