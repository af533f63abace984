/**
 * `npm run bench -- <name> [--option value …]`. Runs one benchmark: everything it starts is on loopback, ends with it, and
 * ends too when it takes longer than its limit or is interrupted. Exit codes: 0 measured, 1 failed, 2 not understood.
 */
import { parseArgs } from "node:util"
import { ALL_USAGE, runAll } from "./all.ts"
import type { Benchmark, OptionTable } from "./benchmark.ts"
import { printMachine } from "./support/figures.ts"
import { printReport } from "./support/report.ts"

const BENCHMARKS: { readonly [name: string]: () => Promise<Benchmark> } = {
  rest: async () => (await import("./rest/rest.ts")).rest,
  age: async () => (await import("./age/age.ts")).age,
  actors: async () => (await import("./actors/actors.ts")).actors,
  webhooks: async () => (await import("./webhooks/webhooks.ts")).webhooks,
  start: async () => (await import("./start/start.ts")).start,
  fanout: async () => (await import("./fanout/fanout.ts")).fanout,
  votes: async () => (await import("./votes/votes.ts")).votes,
  reactions: async () => (await import("./reactions/reactions.ts")).reactions,
  joinstorm: async () => (await import("./joinstorm/joinstorm.ts")).joinstorm,
  soak: async () => (await import("./soak/soak.ts")).soak,
  breakout: async () => (await import("./breakout/breakout.ts")).breakout,
  rotation: async () => (await import("./rotation/rotation.ts")).rotation,
  recovery: async () => (await import("./recovery/recovery.ts")).recovery,
  connections: async () => (await import("./connections/connections.ts")).connections,
  broadcast: async () => (await import("./broadcast/broadcast.ts")).broadcast,
  media: async () => (await import("./media/media.ts")).media,
  ingest: async () => (await import("./broadcast/ingest.ts")).ingest,
  nodes: async () => (await import("./nodes/nodes.ts")).nodes,
  chat: async () => (await import("./chat/chat.ts")).chat,
  quiet: async () => (await import("./quiet/quiet.ts")).quiet,
  signins: async () => (await import("./signins/signins.ts")).signins,
  lists: async () => (await import("./lists/lists.ts")).lists,
  static: async () => (await import("./static/static.ts")).staticPages,
  growth: async () => (await import("./growth/growth.ts")).growth,
  departures: async () => (await import("./departures/departures.ts")).departures,
  flood: async () => (await import("./flood/flood.ts")).flood,
  sizes: async () => (await import("./sizes/sizes.ts")).sizes,
  pages: async () => (await import("./pages/pages.ts")).pages,
}

const usage = async (): Promise<string> => {
  const rows = await Promise.all(
    Object.entries(BENCHMARKS).map(async ([name, load]) => `  ${name.padEnd(12)} ${(await load()).summary}`),
  )
  return ["npm run bench -- <name> [--option value …] [--help]", "", ...rows, "  all          All of them."].join("\n")
}

const helpOf = (name: string, { summary, options, limitSeconds }: Benchmark): string => {
  const rows = Object.entries(options).map(
    ([option, { fallback, doc }]) => `  --${option.padEnd(14)} ${doc} (default ${fallback})`,
  )
  return [`npm run bench -- ${name}`, "", summary, `Ends within ${limitSeconds} s.`, "", ...rows].join("\n")
}

const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

const readOptions = (table: OptionTable, args: ReadonlyArray<string>): { readonly [name: string]: number } => {
  const options = Object.fromEntries(Object.keys(table).map((name) => [name, { type: "string" as const }]))
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false })
    return Object.fromEntries(
      Object.entries(table).map(([name, { fallback }]) => {
        const value = Number(values[name] ?? fallback)
        if (!Number.isFinite(value) || value < 0) refuse(`--${name} must be a number of at least 0.`)
        return [name, value]
      }),
    )
  } catch (cause) {
    return refuse((cause as Error).message)
  }
}

const runBenchmark = async (benchmark: Benchmark, args: ReadonlyArray<string>): Promise<void> => {
  const undo: Array<() => Promise<unknown> | unknown> = []
  const unwind = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await Promise.resolve(step()).catch((cause: unknown) => console.error(cause))
    }
  }
  const giveUp = (why: string) => {
    console.error(why)
    void unwind().finally(() => process.exit(1))
  }
  const limit = setTimeout(
    () => giveUp(`Given up: not done after ${benchmark.limitSeconds} s.`),
    benchmark.limitSeconds * 1000,
  )
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => giveUp(`Interrupted (${signal}).`))
  try {
    const options = readOptions(benchmark.options, args)
    printMachine()
    const report = await benchmark.run({ options, defer: (step) => undo.push(step) })
    if (report !== undefined) printReport(report)
  } finally {
    clearTimeout(limit)
    await unwind()
  }
}

const [name, ...args] = process.argv.slice(2)
const load = name === undefined ? undefined : BENCHMARKS[name]
if (name === undefined || name === "--help") console.log(await usage())
else if (name === "all" && args.includes("--help")) console.log(ALL_USAGE)
else if (name === "all") process.exit(await runAll(BENCHMARKS, args))
else if (load === undefined) refuse(`There is no benchmark "${name}".\n\n${await usage()}`)
else if (args.includes("--help")) console.log(helpOf(name, await load()))
else {
  await runBenchmark(await load(), args).then(
    () => process.exit(0),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    },
  )
}
