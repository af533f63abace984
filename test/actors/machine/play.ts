/** Scenarios at one live event: what each step answers, which states follow, and what is told. All expectations are written by hand. */
import assert from "node:assert/strict"
import type { RegionName } from "../../../src/actors/state/chart-snapshot.ts"
import { EventInMemory, type Given } from "./event-in-memory.ts"

interface Expected {
  /** How the code and the words of a refusal begin; absent: the command is accepted. */
  readonly refused?: string
  readonly life?: string
  readonly in?: { readonly [R in RegionName]?: string }
  /** Members of the reply. */
  readonly replies?: ReadonlyArray<string>
  /** What the step tells, in any order, besides other things. */
  readonly tells?: ReadonlyArray<string>
  /** What it tells only once. */
  readonly once?: ReadonlyArray<string>
  /** What it must not tell. */
  readonly hides?: ReadonlyArray<string>
}

export type Step = readonly [act: (event: EventInMemory) => unknown, expected: Expected]

export interface Scenario {
  readonly name: string
  readonly given: Given
  readonly steps: ReadonlyArray<Step>
}

const lifeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.keys(value)[0] : value

const isRecord = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === "object" && value !== null

const checkReply = (outcome: unknown, { refused, replies = [] }: Expected): void => {
  const said = typeof outcome === "string" ? outcome : ""
  assert.ok(
    refused === undefined ? said === "" : said.startsWith(refused),
    `refused: ${said}, not ${refused ?? "at all"}`,
  )
  for (const member of replies) assert.ok(isRecord(outcome) && outcome[member] !== undefined, `no ${member}`)
}

const checkState = (event: EventInMemory, expected: Expected): void => {
  if (expected.life !== undefined) {
    assert.equal(lifeOf(event.value), expected.life)
    if (expected.life !== "deleted") assert.equal(event.state.event.status, expected.life)
  }
  for (const [region, state] of Object.entries(expected.in ?? {})) {
    assert.equal(event.region(region as RegionName), state, `the region ${region}`)
  }
}

const checkTold = (told: ReadonlyArray<string>, { tells = [], hides = [], once = [] }: Expected): void => {
  const left = [...told]
  for (const one of tells) {
    const at = left.indexOf(one)
    assert.notEqual(at, -1, `${one} is missing in ${told.join(", ")}`)
    left.splice(at, 1)
  }
  for (const one of once) assert.equal(told.filter((other) => other === one).length, 1, `${one} is told once`)
  for (const one of hides) assert.equal(told.includes(one), false, `${one} is told`)
}

/** Throws at the first step that comes to something else. */
export const play = ({ given, steps }: Scenario): void => {
  const event = new EventInMemory(given)
  for (const [index, [act, expected]] of steps.entries()) {
    const before = event.told.length
    try {
      const outcome = act(event)
      checkReply(outcome, expected)
      checkState(event, expected)
      checkTold(event.told.slice(before), expected)
      // The rows alone tell what the chart has, but for how presence is shown.
      if (lifeOf(event.value) !== "deleted") assert.deepEqual(comparable(event.valueInRows), comparable(event.value))
    } catch (error) {
      throw new Error(`step ${index + 1}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}

const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('"summary"', '"list"')) as unknown
