/**
 * A broadcast at its viewers: playlist and segment by turns over many connections, against nginx that serves the same bytes as files; and
 * what a thousand viewers cost the gateway beside them, spread over a second and all at once; and how soon a viewer that joins can begin.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GatewayClient } from "../../packages/client/src/entry.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { temporaryFolder } from "../support/database.ts"
import { number, percentile, printRows, sleep } from "../support/figures.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { atLeast, atMost, type Report, ratio } from "../support/report.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import { type HttpSide, inTurns, rowsOf } from "../support/turns.ts"
import { joinTimes } from "./joining.ts"
import { startNginx } from "./nginx-peer.ts"
import { encoded, goLive, type OnAir } from "./on-air.ts"
import type { Viewed, Viewers } from "./viewers-process.ts"

const OPTIONS = {
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 5, quick: 2, doc: "Length of a round." },
  connections: { fallback: 1000, quick: 200, doc: "Viewers." },
  sockets: { fallback: 20, doc: "Gateway sockets whose round trips are measured." },
  joins: { fallback: 100, quick: 20, doc: "Viewers that join one after the other." },
  ...PROFILE_OPTION,
}

const KBPS = 1000
/** Players that wait for the same part ask for it together. */
const TOGETHER_MS = 50
const SECONDS_OF_MEDIA = 8

/** Round trips of gateway sockets, for as long as `work` lasts. */
const beside = async (onAir: OnAir, sockets: number, work: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const clients = Array.from(
    { length: sockets },
    () =>
      new GatewayClient({
        token: async () => {
          const answer = await fetch(`${onAir.server.url}/v1/auth/gateway-token`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ eventId: onAir.eventId }),
          })
          return (await answer.json()) as { readonly token: string; readonly url: string; readonly expiresAt: string }
        },
      }),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const times: number[] = []
  let isOver = false
  const ping = async (client: GatewayClient): Promise<void> => {
    while (!isOver) {
      const sentAt = performance.now()
      await client.command("roster.list", {}).catch(() => {})
      times.push(performance.now() - sentAt)
      await sleep(100)
    }
  }
  const pings = clients.map(ping)
  await work()
  isOver = true
  await Promise.all(pings)
  for (const client of clients) client.close()
  return times
}

interface Side extends HttpSide {
  readonly paths: ReadonlyArray<string>
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report | undefined> => {
  const folder = await temporaryFolder(defer)
  const onAir = await goLive(folder, { profile: options.profile }, defer)
  await onAir.push(encoded(folder, KBPS, SECONDS_OF_MEDIA))
  const playlist = new URL(onAir.playbackUrl).pathname
  const watched = [playlist, playlist.replace("index.m3u8", "s1.m4s")]
  const files = join(folder, "files")
  mkdirSync(files)
  const sizes: number[] = []
  for (const [index, path] of watched.entries()) {
    const bytes = Buffer.from(await (await fetch(onAir.server.url + path)).arrayBuffer())
    sizes.push(bytes.byteLength)
    writeFileSync(join(files, index === 0 ? "index.m3u8" : "s1.m4s"), bytes)
  }
  console.log(`playlist ${number(sizes[0] ?? 0)} bytes, segment ${number((sizes[1] ?? 0) / 1000)} kB\n`)
  const nginx = await startNginx(files, defer)
  const loader: Child = await startChild(new URL("./viewers-process.js", import.meta.url), defer)
  const sides: ReadonlyArray<Side> = [
    { name: "Gathercue", pid: onAir.server.pid, port: onAir.server.port, paths: watched },
    { name: "nginx", ...nginx, paths: ["/index.m3u8", "/s1.m4s"] },
  ]
  const { connections, seconds, rounds } = options
  const view = ({ port, paths }: Side, length: number, everyMs = 0, withinMs = everyMs) =>
    loader.call<Viewed>("run", { port, paths, connections, seconds: length, everyMs, withinMs } satisfies Viewers)
  for (const side of sides) await view(side, 1)
  const measured = await inTurns(sides, rounds, async (side) => {
    const before = cpuSeconds(side.pid)
    const viewed = await view(side, seconds)
    const cpu = cpuSeconds(side.pid) - before
    if (viewed.refused > 0) throw new Error(`${side.name} refused ${viewed.refused} of ${viewed.answered} requests`)
    return {
      perCpuSecond: viewed.answered / cpu,
      perSecond: viewed.answered / viewed.seconds,
      mbps: (viewed.bytes * 8) / viewed.seconds / 1e6,
    }
  })
  printRows([
    ["", "requests/s", "requests per CPU second", "Mbit/s"],
    ...rowsOf(sides, measured, ["perSecond", "perCpuSecond", "mbps"]),
  ])
  const ours = sides[0]
  if (ours === undefined) return undefined
  const quiet = await beside(onAir, options.sockets, () => sleep(seconds * 1000))
  const busy = await beside(onAir, options.sockets, () => view(ours, seconds, 1000))
  const together = await beside(onAir, options.sockets, () => view(ours, seconds, 1000, TOGETHER_MS))
  const joins = await joinTimes(onAir.playbackUrl, options.joins)
  console.log("")
  printRows([
    ["gateway beside viewers, one pair a second each", "p50 ms", "p99 ms"],
    ["without viewers", number(percentile(quiet, 0.5)), number(percentile(quiet, 0.99))],
    [`${connections} viewers`, number(percentile(busy, 0.5)), number(percentile(busy, 0.99))],
    [`within ${TOGETHER_MS} ms`, number(percentile(together, 0.5)), number(percentile(together, 0.99))],
  ])
  console.log("")
  printRows([
    ["a viewer that joins", "p50 ms", "p99 ms"],
    ["playlist, description, segment", number(percentile(joins, 0.5)), number(percentile(joins, 0.99))],
  ])
  const [first, second] = measured
  if (first === undefined || second === undefined) return undefined
  const cpu = ratio("per CPU second", first.perCpuSecond, second.perCpuSecond)
  const slowerBy = (times: ReadonlyArray<number>): number => percentile(times, 0.99) - percentile(quiet, 0.99)
  return {
    peer: "nginx",
    ratios: [cpu.text],
    goals: [
      atLeast("requests per CPU second", cpu.value, 0.75, "x"),
      atMost("gateway p99 beside viewers, more by", slowerBy(busy), 3, "ms"),
      atMost(`beside viewers within ${TOGETHER_MS} ms, more by`, slowerBy(together), 15, "ms"),
      atMost("a viewer joins", percentile(joins, 0.99), 700, "ms"),
    ],
  }
}

export const broadcast = defineBenchmark({
  summary: "Viewers of a broadcast: playlist and segment by turns, against nginx; and the gateway beside them.",
  options: OPTIONS,
  needs: ["nginx", "ffmpeg"],
  limitSeconds: 180,
  run,
})
