/** The report of a run, as Markdown: a table by fault, what was checked, and every promise that was broken. */

import type { SideBySide } from "./beside/side-by-side.ts"
import { FAULTS } from "./faults/schedule.ts"
import type { Struck } from "./faults/strikes.ts"
import type { Ledger, Violation } from "./ledger/ledger.ts"

export interface Part {
  readonly database: "external" | "embedded"
  /** Servers; more than one are a cluster. */
  readonly nodes: number
  /** Of a run with two builds. */
  readonly sideBySide: SideBySide | undefined
  readonly ledger: Ledger
  /** Counts of the ledger before all servers were killed at the end. */
  readonly counted: ReadonlyMap<string, number>
  readonly struck: ReadonlyArray<Struck>
  /** Of the server's log: warnings and worse, by message. */
  readonly log: ReadonlyMap<string, number>
}

const percentile = (values: ReadonlyArray<number>, share: number): number | undefined => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}

const seconds = (ms: number | undefined): string => (ms === undefined ? "-" : (ms / 1000).toFixed(1))

const preciseSeconds = (ms: number | undefined): string => (ms === undefined ? "-" : (ms / 1000).toFixed(3))

const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const brokenBy = (violations: ReadonlyArray<Violation>, invariant: string): number =>
  violations.filter((one) => one.invariant === invariant).length

const faultRow = (part: Part, name: string): string => {
  const struck = part.struck.filter(({ fault }) => fault === name)
  const times = struck.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs]))
  const never = struck.length - times.length
  const violations = part.ledger.violations.filter(({ during }) => during === name)
  const [lost, doubled] = ["I1", "I3"].map((invariant) => brokenBy(violations, invariant))
  return row([
    FAULTS.find((fault) => fault.name === name)?.summary ?? name,
    struck.length,
    part.ledger.acknowledgedBy(name),
    lost ?? 0,
    doubled ?? 0,
    violations.length - (lost ?? 0) - (doubled ?? 0),
    seconds(percentile(times, 0.5)),
    seconds(percentile(times, 0.99)),
    never > 0 ? `never (${never})` : seconds(percentile(times, 1)),
  ])
}

/** Of faults that strike the owners of live events. */
const darkRows = ({ struck }: Part): ReadonlyArray<string> => {
  const names = [...new Set(struck.filter(({ darkMs }) => darkMs.length > 0).map(({ fault }) => fault))]
  if (names.length === 0) return []
  return [
    "Live events whose owner was struck: the longest time without an acknowledged command, from the fault on.",
    "",
    row(["fault", "events", "dark p50 s", "max s"]),
    row(["---", "---:", "---:", "---:"]),
    ...names.map((name) => {
      const dark = struck.filter(({ fault }) => fault === name).flatMap(({ darkMs }) => darkMs)
      const title = FAULTS.find((fault) => fault.name === name)?.summary ?? name
      return row([title, dark.length, seconds(percentile(dark, 0.5)), seconds(percentile(dark, 1))])
    }),
    "",
  ]
}

/** Who had which part in the commands and announcements of two builds. */
const sideBySideRows = (of: SideBySide | undefined): ReadonlyArray<string> => {
  if (of === undefined) return []
  const { before, after, migrations, starts, togetherMs, traffic, unattributed } = of
  const began = [...starts].map(([name, times]) => `${name} ${times}`).join(", ")
  return [
    `Builds: ${before}, and ${after}. Starts of nodes: ${began}. Both served side by side for ${seconds(togetherMs)} s.`,
    migrations.length === 0
      ? "Their migrations are the same, so nodes may go back."
      : `Migrations that ran while nodes of ${before} went on: ${migrations.join(", ")}.`,
    "",
    row(["owner", "gateway", "commands acknowledged", "announcements heard", "late p50 s", "p99 s", "max s"]),
    row(["---", "---", "---:", "---:", "---:", "---:", "---:"]),
    ...traffic.map(({ owner, gateway, acknowledged, lateMs }) => {
      const late = [0.5, 0.99, 1].map((share) => preciseSeconds(percentile(lateMs, share)))
      return row([owner, gateway, acknowledged, lateMs.length, ...late])
    }),
    "",
    `Commands whose owner changed meanwhile or is not known: ${unattributed}.`,
    "",
  ]
}

const HEAD = [
  row(["fault", "times", "acknowledged", "lost", "doubled", "other", "back p50 s", "p99 s", "max s"]),
  row(["---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:"]),
]

const grouped = (violations: ReadonlyArray<Violation>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { invariant, during, what } of violations) {
    const text = `${invariant} during ${during}: ${what}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].sort().map(([text, count]) => `- ${count} x ${text}`)
}

const figures = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join("; ")

const CLIENT_ERROR = /^REST: (5\d\d|no answer)|^commands: (internal|.*, asked again)$/

/** What a caller had to do again or could not do, although it asked for something that can be done. */
const clientErrors = (counts: Part["counted"]): string => {
  const errors = new Map([...counts].filter(([name]) => CLIENT_ERROR.test(name)))
  return figures(errors) || "none"
}

const partReport = (part: Part): ReadonlyArray<string> => {
  const names = [
    ...new Set([...part.struck.map(({ fault }) => fault), ...part.ledger.violations.map((one) => one.during)]),
  ]
  const total = part.struck.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs]))
  const { violations } = part.ledger
  return [
    `### With ${part.nodes > 1 ? `${part.nodes} nodes on ` : ""}the ${part.database} database`,
    "",
    ...HEAD,
    ...names.map((name) => faultRow(part, name)),
    row([
      "**all**",
      part.struck.length,
      names.reduce((sum, name) => sum + part.ledger.acknowledgedBy(name), 0),
      brokenBy(violations, "I1"),
      brokenBy(violations, "I3"),
      violations.length - brokenBy(violations, "I1") - brokenBy(violations, "I3"),
      seconds(percentile(total, 0.5)),
      seconds(percentile(total, 0.99)),
      seconds(percentile(total, 1)),
    ]),
    "",
    ...darkRows(part),
    ...sideBySideRows(part.sideBySide),
    `Client errors: ${clientErrors(part.counted)}.`,
    "",
    `Counted: ${figures(part.ledger.counts)}.`,
    "",
    `The server's log: ${figures(part.log) || "nothing"}.`,
    "",
    ...(violations.length === 0 ? ["Every promise was kept."] : ["Broken promises:", "", ...grouped(violations)]),
    "",
  ]
}

export const reportOf = (title: string, parts: ReadonlyArray<Part>): string =>
  [title, "", ...parts.flatMap(partReport)].join("\n")
