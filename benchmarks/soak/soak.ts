/**
 * Everything at once for a long time: thousands of people who chat, ask, vote, react and are moved through phases, rooms and
 * rounds, whose links break and who come and go. Nothing ordered may be lost or told twice, memory has to stay flat, and the
 * server must not log an error. There is no peer: it is a test of endurance, not of speed.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { cpuSeconds, residentBytes } from "../support/process-usage.ts"
import { createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import { startServerProcess } from "../support/server-process.ts"
import type { CrowdOptions, LiveOptions, Settled } from "./crowd-process.ts"
import { keptRows } from "./kept-rows.ts"

const OPTIONS = {
  minutes: { fallback: 10, quick: 0.25, doc: "How long the crowd lives." },
  people: { fallback: 2000, quick: 200, doc: "People, each over a socket." },
  acts: { fallback: 100, doc: "Things they do per second." },
  cuts: { fallback: 10, doc: "Links that break per second." },
  leaves: { fallback: 3, doc: "People per second who go for good and are replaced." },
  young: {
    fallback: 3,
    quick: 0.2,
    doc: "Minutes the crowd lives on with a server that starts anew on the same database.",
  },
}

const JOINS_PER_SECOND = 400
const FEATURES = ["qa", "chat", "polls", "reactions", "capture"]
/** A show, talk, small rooms and speed networking, over and over. */
const CYCLE = [
  { modality: "broadcast", featureSet: FEATURES },
  { modality: "meeting", featureSet: FEATURES },
  { modality: "breakout", config: { roomSize: 5 }, featureSet: FEATURES },
  { modality: "rotation", config: { rounds: 3, roundSeconds: 8 }, featureSet: FEATURES },
]
const MAX_PHASES = 48
const SAMPLES = 10
const MIB = 1_048_576
/** The old server's heap against the heap of a new one that read the same event: more of it is not kept on purpose. */
const FLAT = 1.05
/** Of the server. It is below the ports that the system gives to clients, one of which may take it between two servers. */
const PORT = 18_400
/** The samples, of ten, that the goal's growth is between: the second tenth and the last. */
const EARLY_SAMPLE = 2

/** The server's heap after a full garbage collection. */
class HeapProbe {
  static readonly nodeOptions = ["--expose-gc", "--import", new URL("./heap-probe.js", import.meta.url).href]
  #received: ((bytes: number) => void) | undefined

  /** Is it a line of the probe's? */
  reads(line: string): boolean {
    if (!line.startsWith('{"heapUsed":')) return false
    this.#received?.((JSON.parse(line) as { readonly heapUsed: number }).heapUsed)
    return true
  }

  after(pid: number): Promise<number> {
    return new Promise((resolve) => {
      this.#received = resolve
      process.kill(pid, "SIGUSR2")
    })
  }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<undefined> => {
  const databases = await startDatabases(defer)
  const errors: string[] = []
  const databaseUrl = await databases.create("migrated")
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: "error", PORT: `${PORT}` }
  const heap = new HeapProbe()
  const said = (line: string): void => {
    if (!heap.reads(line)) errors.push(line)
  }
  const server = await startServerProcess({ environment, said, nodeOptions: HeapProbe.nodeOptions }, defer)
  const workspace = await createWorkspace(server.url)
  const seconds = Math.round(options.minutes * 60)
  const youngSeconds = Math.round(options.young * 60)
  // One phase is left over: the event must not end before the crowd has settled.
  const phaseSeconds = Math.max(30, Math.ceil((seconds + youngSeconds) / (MAX_PHASES - 1)))
  const agenda = Array.from({ length: MAX_PHASES }, (_, n) => CYCLE[n % CYCLE.length])
  const eventId = await createLiveEvent(server.url, workspace.key, agenda)
  const crowd = await startChild(new URL("./crowd-process.js", import.meta.url), defer)
  const place = { eventId, workspaceId: workspace.id, port: server.port }
  const opening: CrowdOptions = { place, people: options.people, joinsPerSecond: JOINS_PER_SECOND }
  await crowd.call("open", opening)

  const { acts, cuts, leaves } = options
  const living: LiveOptions = { seconds, acts, cuts, leaves, phaseSeconds }
  const lived = crowd.call("live", living)
  const memory: number[] = [residentBytes(server.pid)]
  const kept: number[] = [await heap.after(server.pid)]
  const cpu: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    const before = cpuSeconds(server.pid)
    await sleep((seconds * 1000) / SAMPLES)
    memory.push(residentBytes(server.pid))
    kept.push(await heap.after(server.pid))
    cpu.push(((cpuSeconds(server.pid) - before) / (seconds / SAMPLES)) * 100)
  }
  await lived
  const rowsKept = await keptRows(databaseUrl, eventId)
  await server.stop()
  const young = await startServerProcess({ environment, said, nodeOptions: HeapProbe.nodeOptions }, defer)
  await crowd.call("live", { ...living, seconds: youngSeconds })
  const reread = await heap.after(young.pid)
  const seen = await crowd.call<Settled>("settle")
  await crowd.call("leave")

  printRows([
    ["", ...memory.map((_, n) => `${Math.round((n * 100) / SAMPLES)} %`)],
    ["kept on the heap, MiB", ...kept.map((bytes) => number(Math.round(bytes / MIB)))],
    ["resident memory, MiB", ...memory.map((bytes) => number(Math.round(bytes / MIB)))],
    ["server CPU, %", "", ...cpu.map((share) => share.toFixed(0))],
  ])
  const { ordered, ephemeral, holes, repeats, resumed, snapshots, accepted, refused, closes, connected, level } = seen
  console.log(`
ordered dispatches received ${number(ordered)}, others ${number(ephemeral)}; holes ${holes}, repeats ${repeats}
connections resumed ${number(resumed)}, with a snapshot ${number(snapshots)}; closed by the server ${JSON.stringify(closes)}
commands accepted ${number(accepted)}, refused ${JSON.stringify(refused)}
in the end ${level} of ${connected} people stand where the host stands
errors in the server's log: ${errors.length}${errors.slice(0, 3).map((line) => `\n  ${line.slice(0, 400)}`)}`)
  const last = kept.at(-1) ?? 0
  const mebibytes = (bytes: number): string => (bytes / MIB).toFixed(1)
  console.log(`
kept on purpose, as rows of the event: ${rowsKept.map(([name, rows]) => `${name} ${number(rows)}`).join(", ")}
heap at the second tenth ${mebibytes(kept[EARLY_SAMPLE] ?? 0)} MiB, at the end ${mebibytes(last)} MiB; a new server that reads the same event holds ${mebibytes(reread)} MiB after ${options.young} minutes`)
  const growth = last / reread
  const isClean = holes + repeats + errors.length + (refused["internal_error"] ?? 0) === 0 && level === connected
  console.log(
    `heap of the old server against that of the new one: ${growth.toFixed(2)}x (nothing else is kept: at most ${FLAT}x)`,
  )
  if (!isClean || growth > FLAT) throw new Error("the soak was not clean")
}

export const soak = defineBenchmark({
  summary: "Thousands of people doing everything for minutes while links break: nothing lost, memory flat, no errors.",
  options: OPTIONS,
  limitSeconds: 3600,
  run,
})
