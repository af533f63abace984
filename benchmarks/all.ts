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
import { installCommand, missingOf } from "./support/programs.ts"

/** A benchmark that takes longer in a quick run is ended; the table says so. */
const QUICK_SECONDS = 75

export const ALL_USAGE = `npm run bench -- all [--quick] [--only name,name] [--report FILE]

Runs every benchmark, one after the other, and prints one table. --quick takes small sizes and ends each after ${QUICK_SECONDS} s.
A benchmark whose programs are not installed is skipped.`

interface Result {
  readonly name: string
  readonly state: "measured" | "failed" | "skipped"
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
  if (code === 0) return { name, state: "measured", seconds, goals, ratios }
  const why = seconds >= limitSeconds ? `not done after ${limitSeconds} s` : "FAILED"
  return { name, state: "failed", seconds, goals, ratios: why }
}

/** Says before the first benchmark which programs are missing, how they are installed, and what is skipped without them. */
const printMissing = (chosen: ReadonlyArray<{ readonly name: string; readonly benchmark: Benchmark }>): void => {
  const lacking = chosen.flatMap(({ name, benchmark }) =>
    missingOf(benchmark.needs ?? []).map((program) => ({ name, program })),
  )
  if (lacking.length === 0) return
  for (const { name, program } of lacking) console.log(`${name} is skipped: ${program} is not installed.`)
  console.log(`To install (Debian): ${installCommand(lacking.map(({ program }) => program))}`)
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
  const chosen = await Promise.all(
    Object.entries(benchmarks)
      .filter(([name]) => wanted.only === undefined || wanted.only.includes(name))
      .map(async ([name, load]) => ({ name, benchmark: await load() })),
  )
  printMachine()
  printMissing(chosen)
  const results: Result[] = []
  for (const { name, benchmark } of chosen) {
    const missing = missingOf(benchmark.needs ?? [])
    if (missing.length > 0) {
      results.push({ name, state: "skipped", seconds: 0, goals: "", ratios: `skipped: no ${missing.join(", ")}` })
      continue
    }
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
  const count = (state: Result["state"]): number => results.filter((result) => result.state === state).length
  console.log(`\n${count("measured")} measured, ${count("failed")} failed, ${count("skipped")} skipped`)
  return count("failed") === 0 ? 0 : 1
}
