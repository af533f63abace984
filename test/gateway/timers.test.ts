/** Every kind of timer elapses at the end that was sent to clients, never before it. */
import { expect, test } from "vitest"
import type { PhaseInput } from "../../src/model/phase.ts"
import { toMillis } from "../../src/model/timestamp.ts"
import type { Client, Frame } from "./client.ts"
import { crowd } from "./crowd.ts"
import { type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

/** Timers of Node round to the millisecond, so that one may fire a moment before its end. */
const ROUNDING_MS = 10

/** Begins a timer of a second, or one of ten of which nine pass at once. */
type Begin = (stage: Stage, host: Client) => Promise<unknown>

const LONG: ReadonlyArray<readonly [scope: string, ReadonlyArray<PhaseInput>, Begin]> = [
  [
    "room",
    [{ modality: "breakout" }],
    async ({ eventId }) => {
      const plan = { type: "breakout.plan", d: { strategy: "balanced", size: 2 } } as const
      const { result } = await house.actors.execute(eventId, plan)
      const d = { planId: (result as Frame)["plan"].id, durationMs: 10_000 }
      await house.actors.execute(eventId, { type: "breakout.open", d })
    },
  ],
  [
    "round",
    [{ modality: "rotation" }],
    ({ eventId }) => house.actors.execute(eventId, { type: "rotation.start", d: { roundSeconds: 10, rounds: 1 } }),
  ],
]
const SHORT: typeof LONG = [
  [
    "phase",
    [{ modality: "meeting" }, { modality: "meeting", config: { durationSeconds: 1 } }],
    (_stage, host) => host.command("phase.next"),
  ],
  [
    "poll",
    [{ modality: "meeting", featureSet: ["polls"] }],
    async (_stage, host) => {
      const d = { question: "Which?", kind: "single", options: ["a", "b"] }
      const { poll } = (await host.command("poll.create", d)).d
      await host.command("poll.open", { id: poll.id, durationMs: 1000 })
    },
  ],
]

test("the timer of a phase, a poll, a room and a round elapses when it is due and not before", async () => {
  const begun = async ([scope, phases, begin]: (typeof LONG)[number]) => {
    const stage = await house.stage(phases)
    const host = await house.join(stage, "host", "host")
    const [ann] = await crowd(house, stage, ["ann", "bob"])
    await begin(stage, host)
    const elapsed = ann.dispatch("timer.elapsed").then((frame) => ({ ...frame, at: house.actors.clock.now() }))
    return { scope, elapsed }
  }
  const long = await Promise.all(LONG.map(begun))
  house.actors.clock.jump(9000)
  for (const { scope, elapsed } of [...long, ...(await Promise.all(SHORT.map(begun)))]) {
    const { ts, d, at } = await elapsed
    expect(d.timer).toMatchObject({ scope, state: "elapsed" })
    expect(ts, scope).toBeGreaterThanOrEqual(toMillis(d.timer.endsAt))
    // A timer that fires too early stamps the dispatch with the deadline all the same: only the time of receipt shows it.
    expect(at, scope).toBeGreaterThanOrEqual(toMillis(d.timer.endsAt) - ROUNDING_MS)
  }
})
