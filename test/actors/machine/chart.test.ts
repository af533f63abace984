/** Every state of the chart and every transition, by scenarios that are written by hand. */
import { expect, test } from "vitest"
import { ACTIVITIES } from "./activity-scenarios.ts"
import { play } from "./play.ts"
import { REGIONS } from "./region-scenarios.ts"
import { AGENDA } from "./scenarios.ts"

test.each([...AGENDA, ...REGIONS, ...ACTIVITIES])("$name", (scenario) => {
  expect(() => play(scenario)).not.toThrow()
})
