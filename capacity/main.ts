/**
 * `npm run capacity -- --viewers 1000000`, `--events 100000 --people 20`, `--check`, `--costs`: what a deployment of some size needs,
 * from costs that `npm run bench -- nodes --save 1` measured.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { calibrate } from "./calibration.ts"
import { compareAll } from "./check.ts"
import { type InputsOf, type InputTable, MANY_EVENTS, ONE_EVENT, PLACE } from "./inputs.ts"
import { sizeManyEvents } from "./many-events.ts"
import type { Measured } from "./measured.ts"
import { sizeOneEvent } from "./one-event.ts"
import { printAnswer, printComparisons, printCosts, printInputs } from "./report.ts"

const MEASURED = new URL("../../capacity/measured.json", import.meta.url)

const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

const usage = (): string => {
  const rows = (table: InputTable) =>
    Object.entries(table).map(
      ([name, { fallback, unit, doc }]) => `  --${name.padEnd(20)} ${unit}, ${doc} (default ${fallback})`,
    )
  return [
    "npm run capacity -- --viewers 1000000      one event",
    ...rows(ONE_EVENT),
    "npm run capacity -- --events 100000        many events",
    ...rows(MANY_EVENTS),
    "both:",
    ...rows(PLACE),
    "npm run capacity -- --check                predictions beside measurements",
    "npm run capacity -- --costs                the unit costs",
  ].join("\n")
}

type Given = { readonly [name: string]: string | boolean | undefined }

const read = <Table extends InputTable>(table: Table, given: Given): InputsOf<Table> => {
  const entries = Object.entries(table).map(([name, { fallback }]) => {
    const value = Number(given[name] ?? fallback)
    if (!Number.isFinite(value) || value < 0) refuse(`--${name} must be a number of at least 0.`)
    return [name, value]
  })
  return Object.fromEntries(entries) as InputsOf<Table>
}

const TABLE: InputTable = { ...ONE_EVENT, ...MANY_EVENTS, ...PLACE }

const parse = (): Given => {
  const texts = Object.keys(TABLE).map((name) => [name, { type: "string" as const }])
  const flags = ["check", "costs", "help"].map((name) => [name, { type: "boolean" as const }])
  try {
    return parseArgs({ options: Object.fromEntries([...texts, ...flags]) }).values as Given
  } catch (cause) {
    return refuse((cause as Error).message)
  }
}

const given = parse()
const measured = JSON.parse(readFileSync(MEASURED, "utf8")) as Measured
const costs = calibrate(measured)
if (given["help"] === true) console.log(usage())
else {
  console.log(`Costs measured on ${measured.at.slice(0, 10)}, ${measured.machine}.\n`)
  if (given["check"] === true) printComparisons(compareAll(measured))
  else if (given["costs"] === true) printCosts(costs)
  else if (given["events"] !== undefined || given["people"] !== undefined) {
    const inputs = read({ ...MANY_EVENTS, ...PLACE }, given)
    printInputs({ ...MANY_EVENTS, ...PLACE }, inputs)
    printAnswer(sizeManyEvents(inputs, costs))
  } else {
    const inputs = read({ ...ONE_EVENT, ...PLACE }, given)
    printInputs({ ...ONE_EVENT, ...PLACE }, inputs)
    printAnswer(sizeOneEvent(inputs, costs))
  }
}
