/** Every state of the chart and every transition, by scenarios that are written by hand. */
import { expect, test } from "vitest"
import { SCENARIOS } from "./all-scenarios.ts"
import { play } from "./play.ts"

test("each scenario goes as it is written", () => {
  for (const scenario of SCENARIOS) expect.soft(() => play(scenario), scenario.name).not.toThrow()
})
