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

interface Setting {
  /** Servers; one by default. */
  readonly nodes?: number
  /** There is a second build. */
  readonly isBeside?: boolean
}

/** Without names two builds are struck by their rollout alone. */
const isWanted = ({ name, beside }: Fault, wanted: ReadonlyArray<string>, isBeside: boolean): boolean =>
  wanted.includes(name) || (isBeside ? beside === true : wanted.length === 0)

/**
 * Those of the wanted faults that can be done with the database and so many nodes; all that can be, when none are named. The
 * rollout belongs to every run with two builds.
 */
export const faultsOf = (
  database: "external" | "embedded",
  wanted: ReadonlyArray<string>,
  { nodes: count = 1, isBeside = false }: Setting = {},
): ReadonlyArray<Fault> =>
  FAULTS.filter(
    (fault) =>
      (fault.on === "both" || fault.on === database) &&
      (fault.nodes === undefined || fault.nodes === (count > 1 ? "several" : "one")) &&
      (fault.beside !== true || isBeside) &&
      isWanted(fault, wanted, isBeside),
  )

/** The rollout goes on before each of the other faults, or comes alone. */
const withRollout = (faults: ReadonlyArray<Fault>, rollout: Fault | undefined): ReadonlyArray<Fault> => {
  if (rollout === undefined) return faults
  return faults.length === 0 ? [rollout] : faults.flatMap((fault) => [rollout, fault])
}

/** Every fault comes once before any comes again. */
export function* schedule(
  seed: number,
  database: "external" | "embedded",
  wanted: ReadonlyArray<string>,
  setting: Setting = {},
): Generator<Strike> {
  const chance = new Chance(seed)
  const possible = faultsOf(database, wanted, setting)
  const rollout = possible.find(({ beside }) => beside)
  const others = possible.filter((fault) => fault !== rollout)
  for (let n = 0; possible.length > 0 && n < MOST; n++) {
    for (const fault of withRollout(shuffled(others, chance.random), rollout)) {
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
