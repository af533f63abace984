/** The steps that scenarios share. */
import type { Command } from "../../../src/actors/commands.ts"
import type { EventInMemory } from "./event-in-memory.ts"
import type { Step } from "./play.ts"

export const start: Step = [(event) => void event.start(), { life: "live" }]
export const next: Step = [(event) => event.do("phase.next"), {}]
export const send =
  (type: Command["type"], d: object = {}, rev?: number) =>
  (event: EventInMemory) =>
    event.do(type, d, rev)
export const pass = (seconds: number) => (event: EventInMemory) => void event.pass(seconds)
export const people =
  (...ids: ReadonlyArray<string>) =>
  (event: EventInMemory) =>
    void event.people(...ids)

/** Expects exactly these participants to be admitted. */
export const admitted =
  (...ids: ReadonlyArray<string>) =>
  (event: EventInMemory): void => {
    const found = [...event.records.all("admission")].flatMap(([id, { state }]) => (state === "admitted" ? id : []))
    if (found.toSorted().join() !== ids.join()) throw new Error(`admitted: ${found.join()}`)
  }
