/**
 * `npm run chaos -- --minutes N [--seed S] [--faults a,b,c] [--nodes N] [--beside REF]`. Everything it starts is on loopback and ends with it, also when
 * it is interrupted. Exit codes: 0 every promise was kept, 1 one was broken or the run failed, 2 not understood.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { NatsMissing, needNats } from "../test/support/nats-server.ts"
import { buildRef } from "./beside/build-ref.ts"
import { type Ref, refBeside } from "./beside/choose-ref.ts"
import { FAULTS, faultsOf } from "./faults/schedule.ts"
import { type ChaosOptions, NotPossible, NotUnderstood, readOptions, USAGE } from "./options.ts"
import { runPart } from "./part.ts"
import { type Part, reportOf } from "./report.ts"
import { type Build, buildIn, migrationsBeyond } from "./site/build.ts"
import { Undo } from "./undo.ts"

/** Of the time, when both kinds of database are asked for. */
const EMBEDDED_SHARE = 0.3
/** Beyond the minutes asked for: start, last answers, checks, end. */
const SPARE_MS = 600_000

/** From the compiled program. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const startedAt = Date.now()
const say = (line: string): void => {
  const at = ((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)
  console.log(`${at} s  ${line}`)
}

const partsOf = (options: ChaosOptions): ReadonlyArray<readonly ["external" | "embedded", number]> => {
  const { database, minutes } = options
  if (database !== "both") return [[database, minutes]]
  return [
    ["external", minutes * (1 - EMBEDDED_SHARE)],
    ["embedded", minutes * EMBEDDED_SHARE],
  ]
}

const undo = new Undo()

const buildBeside = async (ref: Ref, build: Build): Promise<Build> => {
  say(`building ${ref.name}`)
  const before = await buildRef(ROOT, ref, say, undo.defer)
  const unknown = migrationsBeyond(before, build)
  if (unknown.length === 0) return before
  throw new NotPossible(`This checkout cannot replace ${ref.name}: it lacks its migration ${unknown.join(", ")}.`)
}

const run = async (options: ChaosOptions, ref: Ref | undefined): Promise<number> => {
  console.log(`seed ${options.seed}: the same seed gives the same sequence of faults\n`)
  const parts: Array<Part> = []
  for (const [database] of partsOf(options)) {
    const setting = { nodes: options.nodes, isBeside: ref !== undefined }
    if (faultsOf(database, options.faults, setting).length > 0) continue
    throw new NotUnderstood(
      `None of these faults can be done with the ${database} database and ${options.nodes} nodes; choose by --database, --nodes and --beside.`,
    )
  }
  const build = buildIn(ROOT, "this checkout")
  const buildBefore = ref && (await buildBeside(ref, build))
  for (const [database, minutes] of partsOf(options)) {
    parts.push(await runPart({ ...options, database, minutes, build, buildBefore, say }, undo.defer))
    await undo.unwind()
  }
  const report = reportOf(
    `Seed ${options.seed}, ${options.minutes} minutes, ${options.sockets} sockets${options.nodes > 1 ? `, ${options.nodes} nodes` : ""}.`,
    parts,
  )
  console.log(`\n${report}`)
  if (options.report !== undefined) writeFileSync(options.report, `${report}\n`)
  return parts.every(({ ledger }) => ledger.violations.length === 0) ? 0 : 1
}

const giveUp = (why: string): void => {
  console.error(why)
  void undo.unwind().finally(() => process.exit(1))
}

const usage = (): string =>
  [
    USAGE,
    ...FAULTS.map(
      ({ name, on, nodes, summary }) => `  ${name.padEnd(20)} ${on.padEnd(9)} ${(nodes ?? "").padEnd(8)} ${summary}`,
    ),
  ].join("\n")

if (process.argv.includes("--help")) {
  console.log(usage())
  process.exit(0)
}

/** What is asked for, and the commit that runs beside this checkout. */
const understood = async (): Promise<readonly [ChaosOptions, Ref | undefined]> => {
  try {
    const options = readOptions(
      process.argv.slice(2),
      FAULTS.map(({ name }) => name),
    )
    if (options.nodes > 1) needNats()
    return [options, options.beside === undefined ? undefined : await refBeside(ROOT, options.beside)]
  } catch (cause) {
    if (cause instanceof NotPossible || cause instanceof NatsMissing) {
      console.error(cause.message)
      process.exit(2)
    }
    const why = cause instanceof NotUnderstood || cause instanceof TypeError ? cause.message : String(cause)
    console.error(`${why}\n\n${usage()}`)
    process.exit(2)
  }
}

const [options, ref] = await understood()

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => giveUp(`Interrupted (${signal}).`))
const limit = setTimeout(() => giveUp("Given up: the run takes too long."), options.minutes * 60_000 + SPARE_MS)

try {
  const code = await run(options, ref)
  clearTimeout(limit)
  process.exit(code)
} catch (cause) {
  const isPossible = !(cause instanceof NotPossible)
  console.error(isPossible ? cause : cause.message)
  await undo.unwind()
  process.exit(isPossible ? 1 : 2)
}
