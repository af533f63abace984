/** The model's answers as text. */
import { type Comparison, errorOf } from "./check.ts"
import { COST_NOTES, type Costs } from "./costs.ts"
import type { InputsOf, InputTable } from "./inputs.ts"
import { type Answer, binding, type Resource, shareOf } from "./resources.ts"

const number = (value: number): string =>
  value.toLocaleString("en-US", value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

const percent = (share: number): string => `${Math.round(share * 100)} %`

const printRows = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    console.log(`  ${cells.join("  ").trimEnd()}`)
  }
}

export const printInputs = <Table extends InputTable>(table: Table, inputs: InputsOf<Table>): void => {
  printRows([
    ["given", "", ""],
    ...Object.entries(table).map(([name, { unit, doc }]) => [
      `--${name}`,
      number(inputs[name] ?? 0),
      `${unit}, ${doc}`,
    ]),
  ])
  console.log("")
}

const rowOf = (resource: Resource) => {
  const { name, needs, limit, unit } = resource
  return [
    name,
    number(needs),
    limit === undefined ? "" : number(limit),
    unit,
    limit === undefined ? "" : percent(shareOf(resource)),
  ]
}

export const printAnswer = (answer: Answer): void => {
  printRows([["needed", "", "there is", "", "share"], ...answer.resources.map(rowOf)])
  const tight = answer.resources.filter((resource) => shareOf(resource) > 1)
  const first = binding(answer)
  console.log("")
  if (first !== undefined) console.log(`Binds first: ${first.name} (${percent(shareOf(first))}). ${first.change ?? ""}`)
  for (const resource of tight) {
    console.log(
      `DOES NOT FIT: ${resource.name}, ${percent(shareOf(resource))}. To change: ${resource.change ?? "nothing known"}`,
    )
  }
  console.log("\nAssumed:")
  for (const line of answer.assumptions) console.log(`  - ${line}`)
}

const TO_MICRO = 1e6

export const printCosts = (costs: Costs): void => {
  const names = Object.keys(COST_NOTES) as Array<keyof Costs>
  printRows([
    ["cost", "", "unit", "of", "measured by"],
    ...names.map((name) => {
      const { unit, of, from } = COST_NOTES[name]
      const isTime = unit !== "bytes"
      return [
        name,
        number(isTime ? costs[name] * TO_MICRO : costs[name]),
        isTime ? unit.replace("CPU s", "CPU us") : unit,
        of,
        `bench nodes, ${from}`,
      ]
    }),
  ])
}

export const printComparisons = (all: ReadonlyArray<Comparison>): void => {
  printRows([
    ["CPU seconds, each size predicted from the others", "predicted", "measured", "error"],
    ...all.map((one) => [one.what, number(one.predicted), number(one.measured), percent(errorOf(one))]),
  ])
  console.log(`\nLargest error: ${percent(Math.max(...all.map(errorOf)))}`)
}
