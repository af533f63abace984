/** Which faults come, in which order, how long each lasts and how long the pause before it is: all drawn from the seed. */
import { shuffled } from "../../src/model/pairing/seeded-random.ts"
import { Chance } from "../chance.ts"
import type { Fault } from "./fault.ts"
import { NETWORK_FAULTS } from "./network-faults.ts"
import { NODE_FAULTS } from "./node-faults.ts"
import { POSTGRES_FAULTS } from "./postgres-faults.ts"
import { SERVER_FAULTS } from "./server-faults.ts"

export const FAULTS: ReadonlyArray<Fault> = [...SERVER_FAULTS, ...NODE_FAULTS, ...POSTGRES_FAULTS, ...NETWORK_FAULTS]

export interface Strike {
  readonly fault: Fault
  readonly pauseMs: number
  readonly ms: number
  /** Of the draws that the fault itself makes. */
  readonly seed: number
}

const PAUSE_MS = [1000, 4000] as const
const MOST = 10_000

/** Those of the wanted faults that can be done with the database and so many nodes; all that can be, when none are named. */
export const faultsOf = (
  database: "external" | "embedded",
  wanted: ReadonlyArray<string>,
  count = 1,
): ReadonlyArray<Fault> =>
  FAULTS.filter(
    ({ name, on, nodes }) =>
      (on === "both" || on === database) &&
      (nodes === undefined || nodes === (count > 1 ? "several" : "one")) &&
      (wanted.length === 0 || wanted.includes(name)),
  )

/** Every fault comes once before any comes again. */
export function* schedule(
  seed: number,
  database: "external" | "embedded",
  wanted: ReadonlyArray<string>,
  nodes = 1,
): Generator<Strike> {
  const chance = new Chance(seed)
  const possible = faultsOf(database, wanted, nodes)
  for (let n = 0; possible.length > 0 && n < MOST; n++) {
    for (const fault of shuffled(possible, chance.random)) {
      const [least, most] = fault.seconds
      yield {
        fault,
        pauseMs: chance.between(...PAUSE_MS),
        ms: chance.between(least, most) * 1000,
        seed: chance.below(2 ** 31),
      }
    }
  }
}
