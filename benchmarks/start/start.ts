/**
 * From spawn to ready: the first start makes the embedded database (initdb, migrations), the second finds it. The peer is
 * the bare embedded PostgreSQL alone, which is what neither start can do without.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { startChild } from "../support/child.ts"
import { temporaryFolder } from "../support/database.ts"
import { printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { startServerProcess } from "../support/server-process.ts"

const OPTIONS = { rounds: { fallback: 5, quick: 1, doc: "First and second starts of each side, in turns." } }

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  )

/** Seconds from spawn until `/readyz` answers 200. */
const startOurs = async (dataDir: string, defer: Bench<typeof OPTIONS>["defer"]): Promise<number> => {
  const startedAt = performance.now()
  const server = await startServerProcess({ environment: { DATA_DIR: dataDir } }, defer)
  while (!(await isReady(server.url))) await sleep(5)
  const seconds = (performance.now() - startedAt) / 1000
  await server.stop()
  return seconds
}

/** The same for the bare database: a process that only starts it. */
const startPeer = async (dataDir: string, defer: Bench<typeof OPTIONS>["defer"]): Promise<number> => {
  const startedAt = performance.now()
  const child = await startChild(new URL("./postgres-peer.js", import.meta.url), defer)
  await child.call("start", dataDir)
  const seconds = (performance.now() - startedAt) / 1000
  await child.call("stop")
  await child.stop()
  return seconds
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const ours = { first: [] as number[], second: [] as number[] }
  const peer = { first: [] as number[], second: [] as number[] }
  for (let round = 0; round < options.rounds; round++) {
    for (const [side, startOnce] of [
      [ours, startOurs],
      [peer, startPeer],
    ] as const) {
      const dataDir = await temporaryFolder(defer)
      side.first.push(await startOnce(dataDir, defer))
      side.second.push(await startOnce(dataDir, defer))
    }
  }
  printRows([
    ["seconds to ready", "first start", "second start"],
    ["Gathercue", spread(ours.first), spread(ours.second)],
    ["bare embedded PostgreSQL", spread(peer.first), spread(peer.second)],
  ])
  console.log(`\n${options.rounds} rounds; median (min..max)`)
  return {
    peer: "the bare embedded PostgreSQL (time, so lower is better)",
    ratios: [ratio("first start", ours.first, peer.first).text, ratio("second start", ours.second, peer.second).text],
    goals: [
      atMost("first start", spreadOf(ours.first).median, 1.8, "s"),
      atMost("second start", spreadOf(ours.second).median, 1, "s"),
    ],
  }
}

export const start = defineBenchmark({
  summary: "Seconds from spawn to ready, first and second start, against the bare embedded PostgreSQL.",
  options: OPTIONS,
  limitSeconds: 240,
  run,
})
