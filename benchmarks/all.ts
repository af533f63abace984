/**
 * `npm run bench -- all`: one benchmark after the other, each in a process of its own, and one table of what they found. `--quick` takes
 * the small sizes that options name: a look at everything in ten minutes, whose figures are worth less.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Benchmark } from "./benchmark.ts"
import { printMachine } from "./support/figures.ts"

/** A benchmark that takes longer in a quick run is ended; the table says so. */
const QUICK_SECONDS = 75

export const ALL_USAGE = `npm run bench -- all [--quick] [--only name,name] [--report FILE]

Runs every benchmark, one after the other, and prints one table. --quick takes small sizes and ends each after ${QUICK_SECONDS} s.`

interface Result {
  readonly name: string
  readonly seconds: number
  readonly goals: string
  readonly ratios: string
}

/** Null: the command line is not understood. */
const readArguments = (args: ReadonlyArray<string>) => {
  try {
    const text = { type: "string" } as const
    const { values } = parseArgs({
      args: [...args],
      options: { quick: { type: "boolean" }, only: text, report: text },
      strict: true,
    })
    return { isQuick: values.quick === true, only: values.only?.split(","), report: values.report }
  } catch {
    return null
  }
}

const quickArguments = ({ options }: Benchmark): ReadonlyArray<string> =>
  Object.entries(options).flatMap(([option, { quick }]) => (quick === undefined ? [] : [`--${option}`, String(quick)]))

/** The present child: it ends what it started when it is asked to. */
let running: ChildProcess | undefined

const runOne = async (name: string, args: ReadonlyArray<string>, limitSeconds: number): Promise<Result> => {
  const startedAt = performance.now()
  const main = fileURLToPath(new URL("./main.js", import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, main, name, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  running = child
  const limit = setTimeout(() => child.kill("SIGTERM"), limitSeconds * 1000)
  let [goals, ratios] = ["", ""]
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    goals = /^Goals: (.*)$/.exec(line)?.[1] ?? goals
    ratios = /^Ratio to (.*)$/.exec(line)?.[1] ?? ratios
  }
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once("exit", resolve)))
  clearTimeout(limit)
  const seconds = (performance.now() - startedAt) / 1000
  if (code === 0) return { name, seconds, goals, ratios }
  return { name, seconds, goals, ratios: seconds >= limitSeconds ? `not done after ${limitSeconds} s` : "FAILED" }
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("MISSED", "**missed**")

const tableOf = (results: ReadonlyArray<Result>): string =>
  [
    "| benchmark | s | ratio to | goals |",
    "|---|---|---|---|",
    ...results.map(
      ({ name, seconds, ratios, goals }) =>
        `| \`${name}\` | ${seconds.toFixed(0)} | ${cell(ratios)} | ${cell(goals)} |`,
    ),
  ].join("\n")

/** Resolves to the exit code: 0 all were measured, 1 one failed or took too long, 2 not understood. */
export const runAll = async (
  benchmarks: { readonly [name: string]: () => Promise<Benchmark> },
  args: ReadonlyArray<string>,
): Promise<number> => {
  const wanted = readArguments(args)
  const unknown = wanted?.only?.find((name) => benchmarks[name] === undefined)
  if (wanted === null || unknown !== undefined) {
    console.error(unknown === undefined ? ALL_USAGE : `There is no benchmark "${unknown}".`)
    return 2
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      running?.kill("SIGTERM")
      running?.once("exit", () => process.exit(1))
    })
  }
  printMachine()
  const results: Result[] = []
  for (const [name, load] of Object.entries(benchmarks)) {
    if (wanted.only !== undefined && !wanted.only.includes(name)) continue
    const benchmark = await load()
    console.log(`\n== ${name}: ${benchmark.summary}\n`)
    results.push(
      wanted.isQuick
        ? await runOne(name, quickArguments(benchmark), Math.min(QUICK_SECONDS, benchmark.limitSeconds))
        : await runOne(name, [], benchmark.limitSeconds),
    )
  }
  const table = tableOf(results)
  console.log(`\n${table}`)
  if (wanted.report !== undefined) await writeFile(wanted.report, `${table}\n`)
  return results.every(({ ratios }) => ratios !== "FAILED" && !ratios.startsWith("not done")) ? 0 : 1
}
