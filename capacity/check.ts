/** Predictions beside measurements. Each size is predicted by costs that are calibrated from the other sizes alone. */
import {
  commandCosts,
  fanOutCosts,
  isAlone,
  joinCosts,
  predictCommands,
  predictFanOut,
  predictJoins,
} from "./calibration.ts"
import type { Measured } from "./measured.ts"

export interface Comparison {
  readonly what: string
  /** CPU seconds. */
  readonly predicted: number
  readonly measured: number
}

/** 0.1: the prediction is off by a tenth of what was measured. */
export const errorOf = ({ predicted, measured }: Comparison): number => Math.abs(predicted - measured) / measured

const others = <A>(all: ReadonlyArray<A>, left: A): ReadonlyArray<A> => all.filter((one) => one !== left)

const count = (value: number): string => value.toLocaleString("en-US")

/** Without PostgreSQL: nine tenths of what it uses here is its rest, which no size explains. */
const compareFanOut = ({ fanOut, nodes }: Measured): ReadonlyArray<Comparison> =>
  fanOut.flatMap((run) => {
    const { all, owner } = predictFanOut(run, nodes, fanOutCosts(others(fanOut, run), nodes))
    const { cpu } = run.nodes
    const what = `${run.announcements} announcements to ${count(run.sockets)} sockets`
    return [
      { what: `${what}: all nodes`, predicted: all, measured: cpu.owner + cpu.host + cpu.other },
      { what: `${what}: owner`, predicted: owner, measured: cpu.owner },
    ]
  })

/** Storms of crowds. People who come one by one are measured at one pace alone, so that there is nothing to predict them from. */
const compareJoins = ({ joins, fanOut, standing, nodes }: Measured): ReadonlyArray<Comparison> => {
  const { frame } = fanOutCosts(fanOut, nodes)
  const known = { nodeRest: standing.processCpu, postgresNodeRest: standing.postgresPerNode, frame }
  return joins
    .filter((run) => !isAlone(run))
    .flatMap((run) => {
      const costs = { ...joinCosts(others(joins, run), nodes, known), ...known }
      const { owner, other } = predictJoins(run, nodes, costs)
      const { cpu } = run.nodes
      const what = `${count(run.joins)} newcomers, ${count(run.perSecond)}/s`
      return [
        { what: `${what}: owner`, predicted: owner, measured: cpu.owner },
        { what: `${what}: another node`, predicted: other, measured: (cpu.host + cpu.other) / 2 },
      ]
    })
}

const compareCommands = ({ commands }: Measured): ReadonlyArray<Comparison> =>
  commands
    .filter(({ hosts }) => hosts === "remote")
    .flatMap((run) => {
      const known = commands.filter(({ perSecond }) => perSecond !== run.perSecond)
      const { owner, host, postgres } = predictCommands(run, commandCosts(known))
      const what = `${run.perSecond} commands/s`
      return [
        { what: `${what}: owner`, predicted: owner, measured: run.cpu.owner },
        { what: `${what}: senders' node`, predicted: host, measured: run.cpu.host },
        { what: `${what}: PostgreSQL`, predicted: postgres, measured: run.cpu.postgres },
      ]
    })

export const compareAll = (measured: Measured): ReadonlyArray<Comparison> => [
  ...compareFanOut(measured),
  ...compareJoins(measured),
  ...compareCommands(measured),
]
