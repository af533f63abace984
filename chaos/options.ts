/** The command line of `npm run chaos`. */
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"

export interface ChaosOptions {
  readonly minutes: number
  readonly seed: number
  /** Names of faults; empty for all. */
  readonly faults: ReadonlyArray<string>
  readonly database: "external" | "embedded" | "both"
  /** Servers on one database; more than one are a cluster. */
  readonly nodes: number
  /** A commit, tag or branch whose build runs beside this one. */
  readonly beside: string | undefined
  readonly sockets: number
  /** Commands and requests that the crowd sends per second, beside those of the probes. */
  readonly rate: number
  /** Sockets that lose their link without a word, per second. */
  readonly cuts: number
  /** Nodes go on for so long when they are asked to stop, and a load balancer with health checks is before them; 0 without. */
  readonly drainMs: number
  /** A file for the report, beside the terminal. */
  readonly report: string | undefined
}

export const USAGE = `npm run chaos -- --minutes N [--seed S] [--faults a,b,c] [--database external|embedded|both]
                [--nodes N] [--beside REF|previous] [--sockets N] [--rate N] [--cuts N] [--drain MS] [--report FILE]

Runs the server under load, breaks it and what it stands on, and checks from outside that it kept its promises.
The same seed gives the same sequence of faults. Exit codes: 0 every promise was kept, 1 one was broken, 2 not understood.
Faults:`

/** The command line cannot be used; the message says why. */
export class NotUnderstood extends Error {
  override readonly name = "NotUnderstood"
}

/** The run cannot be made on this machine; the message is one sentence that says why. */
export class NotPossible extends Error {
  override readonly name = "NotPossible"
}

const number = (name: string, text: string, minimum: number): number => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < minimum) {
    throw new NotUnderstood(`--${name} must be a number of at least ${minimum}.`)
  }
  return value
}

const MOST_NODES = 8

const nodesOf = (text: string): number => {
  const nodes = number("nodes", text, 1)
  if (!Number.isInteger(nodes) || nodes > MOST_NODES) {
    throw new NotUnderstood(`--nodes must be a whole number up to ${MOST_NODES}.`)
  }
  return nodes
}

const DATABASES = ["external", "embedded", "both"] as const

const OF_SEVERAL_NODES = ["beside", "drain"] as const

export const readOptions = (args: ReadonlyArray<string>, known: ReadonlyArray<string>): ChaosOptions => {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      seed: text,
      faults: text,
      database: text,
      nodes: text,
      beside: text,
      sockets: text,
      rate: text,
      cuts: text,
      drain: text,
      report: text,
    },
  })
  const faults = (values.faults ?? "").split(",").filter((name) => name !== "")
  const unknown = faults.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new NotUnderstood(`There is no fault "${unknown}".`)
  const nodes = nodesOf(values.nodes ?? "1")
  const database = DATABASES.find((name) => name === (values.database ?? (nodes > 1 ? "external" : "both")))
  if (database === undefined) throw new NotUnderstood(`--database must be one of ${DATABASES.join(", ")}.`)
  if (nodes > 1 && database !== "external") throw new NotUnderstood("Several nodes need --database external.")
  const alone = OF_SEVERAL_NODES.find((name) => nodes === 1 && values[name] !== undefined)
  if (alone !== undefined) throw new NotUnderstood(`--${alone} needs several nodes (--nodes).`)
  return {
    minutes: number("minutes", values.minutes ?? "5", 0.1),
    seed: number("seed", values.seed ?? String(randomInt(1_000_000)), 0),
    faults,
    database,
    nodes,
    beside: values.beside,
    sockets: number("sockets", values.sockets ?? "80", 8),
    rate: number("rate", values.rate ?? "40", 1),
    cuts: number("cuts", values.cuts ?? "0.5", 0),
    drainMs: number("drain", values.drain ?? "0", 0),
    report: values.report,
  }
}
