/**
 * The scenarios notice a wrong chart: every target, guard and action is changed once, in place, and the
 * scenarios are played at each mutant. One that none of them notices survives.
 */
import { expect, test } from "vitest"
import type { AnyStateNode } from "xstate"
import { chart } from "../../../src/actors/machine/chart.ts"
import { pollChart } from "../../../src/actors/machine/poll-chart.ts"
import { SCENARIOS } from "./all-scenarios.ts"
import { play } from "./play.ts"

/** A transition of XState's, which is read at each step. */
interface Definition {
  target: ReadonlyArray<AnyStateNode> | undefined
  guard: unknown
  actions: ReadonlyArray<unknown>
}

interface Mutant {
  readonly name: string
  readonly apply: () => void
  readonly revert: () => void
}

function* nodesOf(node: AnyStateNode): IterableIterator<AnyStateNode> {
  yield node
  for (const inner of Object.values(node.states)) yield* nodesOf(inner)
}

const changeOf = <T extends object, K extends keyof T>(name: string, of: T, key: K, to: T[K]): Mutant => {
  const before = of[key]
  return {
    name,
    apply: () => {
      of[key] = to
    },
    revert: () => {
      of[key] = before
    },
  }
}

/** The other states beside a target, or none. */
const siblingsOf = (target: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  Object.values(target.parent?.states ?? {}).filter((other) => other !== target)

const never = (): boolean => false

const mutantsOfTransition = (node: AnyStateNode, where: string, definition: Definition): ReadonlyArray<Mutant> => {
  const [target] = definition.target ?? []
  const other = target === undefined ? undefined : siblingsOf(target)[0]
  return [
    // Without a target a state that leads to itself stays as well.
    ...(target === undefined || target === node
      ? []
      : [changeOf(`${where}: no target`, definition, "target", undefined)]),
    ...(other === undefined ? [] : [changeOf(`${where}: to ${other.id}`, definition, "target", [other])]),
    ...(definition.guard === undefined ? [] : [changeOf(`${where}: no guard`, definition, "guard", undefined)]),
    changeOf(`${where}: never`, definition, "guard", never),
    ...definition.actions.map((action, at) =>
      changeOf(`${where}: without ${String(action)}`, definition, "actions", definition.actions.toSpliced(at, 1)),
    ),
  ]
}

const mutantsOf = (root: AnyStateNode): ReadonlyArray<Mutant> =>
  [...nodesOf(root)].flatMap((node) =>
    [...node.transitions].flatMap(([event, definitions]) =>
      definitions.flatMap((definition, index) =>
        mutantsOfTransition(node, `${node.id} on ${event}, ${index + 1}`, definition as unknown as Definition),
      ),
    ),
  )

const isNoticed = ({ apply, revert }: Mutant): boolean => {
  apply()
  try {
    for (const scenario of SCENARIOS) play(scenario)
    return false
  } catch {
    return true
  } finally {
    revert()
  }
}

test("a chart that is wrong in one place is noticed, in 19 of 20 places at least", () => {
  const mutants = [chart, pollChart].flatMap(({ root }) => mutantsOf(root as unknown as AnyStateNode))
  const survivors = mutants.filter((mutant) => !isNoticed(mutant)).map(({ name }) => name)
  expect(
    survivors.length / mutants.length,
    `${survivors.length} of ${mutants.length}:\n${survivors.join("\n")}`,
  ).toBeLessThan(0.05)
})
