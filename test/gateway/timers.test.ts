/** Every kind of timer elapses at the end that was sent to clients, never before it. */
import { expect, test } from "vitest"
import type { PhaseInput } from "../../src/model/phase.ts"
import { toMillis } from "../../src/model/timestamp.ts"
import { shared } from "../support/shared.ts"
import type { Client, Frame } from "./client.ts"
import { crowd } from "./crowd.ts"
import { openHouse, type Stage } from "./house.ts"

const house = shared(openHouse, (one) => one.stop())

/** Executes a command, and lets so many milliseconds pass, so that a timer of ten seconds is soon over. */
const execute = async (stage: Stage, command: Frame, ago = 0) => {
  const answer = await house.actors.execute(stage.eventId, command)
  house.actors.clock.jump(ago)
  return answer
}

/** Timers of Node round to the millisecond, so that one may fire a moment before its end. */
const ROUNDING_MS = 10

interface Case {
  readonly scope: string
  readonly phases: ReadonlyArray<PhaseInput>
  readonly begin: (stage: Stage, host: Client) => Promise<unknown>
}

const cases: ReadonlyArray<Case> = [
  {
    scope: "phase",
    phases: [{ modality: "meeting" }, { modality: "meeting", config: { durationSeconds: 1 } }],
    begin: (_stage, host) => host.command("phase.next"),
  },
  {
    scope: "poll",
    phases: [{ modality: "meeting", featureSet: ["polls"] }],
    begin: async (_stage, host) => {
      const d = { question: "Which?", kind: "single", options: ["a", "b"] }
      const { poll } = (await host.command("poll.create", d)).d
      await host.command("poll.open", { id: poll.id, durationMs: 1000 })
    },
  },
  {
    scope: "room",
    phases: [{ modality: "breakout" }],
    begin: async (stage) => {
      const { result } = await execute(stage, { type: "breakout.plan", d: { strategy: "balanced", size: 2 } })
      const d = { planId: (result as Frame).plan.id, durationMs: 10_000 }
      await execute(stage, { type: "breakout.open", d }, 9000)
    },
  },
  {
    scope: "round",
    phases: [{ modality: "rotation" }],
    begin: (stage) => execute(stage, { type: "rotation.start", d: { roundSeconds: 10, rounds: 1 } }, 9000),
  },
]

test.each(cases)("the timer of a $scope elapses when it is due and not before", async ({ scope, phases, begin }) => {
  const stage = await house.stage(phases)
  const host = await house.join(stage, "host", "host")
  const [ann] = await crowd(house, stage, ["ann", "bob"])
  await begin(stage, host)
  const { ts, d } = await ann.dispatch("timer.elapsed")
  const receivedAt = house.actors.clock.now()
  expect(d.timer).toMatchObject({ scope, state: "elapsed" })
  expect(ts).toBeGreaterThanOrEqual(toMillis(d.timer.endsAt))
  // A timer that fires too early stamps the dispatch with the deadline all the same: only the time of receipt shows it.
  expect(receivedAt).toBeGreaterThanOrEqual(toMillis(d.timer.endsAt) - ROUNDING_MS)
})
