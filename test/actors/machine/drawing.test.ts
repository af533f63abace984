/** The drawings of the charts in the documents are those of the charts: `npx vitest run test/actors/machine/drawing.test.ts -u` draws them anew. */
import { expect, test } from "vitest"
import type { AnyStateNode } from "xstate"
import { chart } from "../../../src/actors/machine/chart.ts"
import { pollChart } from "../../../src/actors/machine/poll-chart.ts"
import { drawingOf } from "./drawing.ts"

test.each([
  ["machine.svg", chart.root],
  ["poll.svg", pollChart.root],
])("%s shows the chart", async (name, root) => {
  await expect(drawingOf(root as unknown as AnyStateNode)).toMatchFileSnapshot(`../../../docs/internals/${name}`)
})
