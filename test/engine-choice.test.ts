/** The build of the engine for a machine, from a table written by hand. */
import { expect, test } from "vitest"
import { engineFor, type Machine, thisMachine } from "../src/engine/engine-choice.ts"

const linux = (node: number, glibc: string | undefined): Machine => ({ node, platform: "linux", glibc })

test.each([
  [linux(20, "2.28"), { isNext: false }],
  [linux(20, "2.41"), { isNext: false }],
  [linux(22, "2.36"), { isNext: false }],
  [linux(22, "2.41"), { isNext: false }],
  [linux(24, "2.38"), { isNext: true }],
  [linux(26, "2.41"), { isNext: true }],
  [{ node: 20, platform: "darwin", glibc: undefined }, { isNext: false }],
  [{ node: 24, platform: "darwin", glibc: undefined }, { isNext: true }],
] as const)("%j gets %j", (machine, build) => {
  expect(engineFor(machine)).toEqual(build)
})

test.each([
  [linux(24, "2.36"), "this is Node 24 with glibc 2.36."],
  [linux(20, "2.27"), "this is Node 20 with glibc 2.27."],
  [linux(22, undefined), "this is Node 22 with no glibc."],
  [linux(18, "2.41"), "this is Node 18 with glibc 2.41."],
  [{ node: 25, platform: "darwin", glibc: undefined }, "this is Node 25."],
] as const)("%j gets a sentence", (machine, end) => {
  const answer = engineFor(machine)
  expect(answer).toEqual({ refusal: expect.stringMatching(/^Gathercue runs on Node 20 and 22 .*; this is Node/) })
  expect("refusal" in answer && answer.refusal.endsWith(end)).toBe(true)
})

test("the machine that this runs on is known", () => {
  const { node, platform, glibc } = thisMachine()
  expect(process.version.startsWith(`v${node}.`)).toBe(true)
  if (platform === "linux") expect(glibc).toMatch(/^2\.\d+$/)
})
