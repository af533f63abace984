/**
 * A broadcast at its viewers: playlist and segment by turns over many connections, against nginx that serves the same bytes as files; and
 * what a thousand viewers cost the gateway beside them.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GatewayClient } from "../../src/client/entry.ts"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases, temporaryFolder } from "../support/database.ts"
import { number, percentile, printMachine, printRows, printVerdicts, ratio, sleep, spread } from "../support/figures.ts"
import { cpuSeconds } from "../support/process-usage.ts"
import { call, createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import { PROFILE_OPTION, type ServerProcess, startServerProcess } from "../support/server-process.ts"
import { startNginx } from "./nginx-peer.ts"
import type { Viewed, Viewers } from "./viewers-process.ts"

const OPTIONS = {
  rounds: { fallback: 3, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 5, doc: "Length of a round." },
  connections: { fallback: 1000, doc: "Viewers." },
  sockets: { fallback: 20, doc: "Gateway sockets whose round trips are measured." },
  ...PROFILE_OPTION,
}

const KBPS = 1000
const SECONDS_OF_MEDIA = 8

/** A stream as an encoder pushes it, of an hour's usual rate. */
const encoded = (folder: string): Buffer => {
  const file = join(folder, "talk.mp4")
  const made = spawnSync(
    "ffmpeg",
    [
      ...["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25", "-t", String(SECONDS_OF_MEDIA)],
      ...["-vf", "noise=alls=20:allf=t", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50"],
      ...["-b:v", `${KBPS}k`, "-minrate", `${KBPS}k`, "-maxrate", `${KBPS}k`, "-bufsize", `${KBPS}k`],
      ...["-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "500000", file],
    ],
    { encoding: "utf8" },
  )
  if (made.error !== undefined) throw new Error("This benchmark needs ffmpeg on the path.")
  if (made.status !== 0) throw new Error(`ffmpeg: ${made.stderr}`)
  return readFileSync(file)
}

interface OnAir {
  readonly server: ServerProcess
  readonly key: string
  readonly eventId: string
  /** Of the playlist and a segment. */
  readonly paths: ReadonlyArray<string>
}

const goLive = async (folder: string, profile: number, defer: Defer): Promise<OnAir> => {
  const databases = await startDatabases(defer)
  const environment = { DATABASE_URL: await databases.create("migrated"), DATA_DIR: folder }
  const server = await startServerProcess({ environment, profile }, defer)
  const { key } = await createWorkspace(server.url)
  const eventId = await createLiveEvent(server.url, key, [{ modality: "broadcast" }])
  const { phases } = await call(server.url, "GET", `/v1/events/${eventId}`, { key })
  const phase = `/v1/phases/${phases[0].id}/broadcast`
  const { playbackUrl } = await call(server.url, "POST", `${phase}/start`, { key, body: {} })
  const { streamUrl } = await call(server.url, "POST", `${phase}/ingest`, { key })
  const { status } = await fetch(streamUrl, { method: "PUT", body: new Uint8Array(encoded(folder)) })
  if (status !== 204) throw new Error(`the stream was answered ${status}`)
  const path = new URL(playbackUrl).pathname
  return { server, key, eventId, paths: [path, path.replace("index.m3u8", "s1.m4s")] }
}

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

interface Side {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly paths: ReadonlyArray<string>
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<void> => {
  printMachine()
  const folder = await temporaryFolder(defer)
  const onAir = await goLive(folder, options.profile, defer)
  const files = join(folder, "files")
  mkdirSync(files)
  const sizes: number[] = []
  for (const [index, path] of onAir.paths.entries()) {
    const bytes = Buffer.from(await (await fetch(onAir.server.url + path)).arrayBuffer())
    sizes.push(bytes.byteLength)
    writeFileSync(join(files, index === 0 ? "index.m3u8" : "s1.m4s"), bytes)
  }
  console.log(`playlist ${number(sizes[0] ?? 0)} bytes, segment ${number((sizes[1] ?? 0) / 1000)} kB\n`)
  const nginx = await startNginx(files, defer)
  const loader: Child = await startChild(new URL("./viewers-process.js", import.meta.url), defer)
  const sides: ReadonlyArray<Side> = [
    { name: "Gathercue", pid: onAir.server.pid, port: onAir.server.port, paths: onAir.paths },
    { name: "nginx", ...nginx, paths: ["/index.m3u8", "/s1.m4s"] },
  ]
  const { connections, seconds, rounds } = options
  const view = ({ port, paths }: Side, length: number, everyMs = 0) =>
    loader.call<Viewed>("run", { port, paths, connections, seconds: length, everyMs } satisfies Viewers)
  const measured = sides.map(() => ({ perCpuSecond: [] as number[], perSecond: [] as number[], mbps: [] as number[] }))
  for (const side of sides) await view(side, 1)
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const before = cpuSeconds(side.pid)
      const viewed = await view(side, seconds)
      const cpu = cpuSeconds(side.pid) - before
      if (viewed.refused > 0) throw new Error(`${side.name} refused ${viewed.refused} of ${viewed.answered} requests`)
      measured[index]?.perCpuSecond.push(viewed.answered / cpu)
      measured[index]?.perSecond.push(viewed.answered / viewed.seconds)
      measured[index]?.mbps.push((viewed.bytes * 8) / viewed.seconds / 1e6)
    }
  }
  printRows([
    ["", "requests/s", "requests per CPU second", "Mbit/s"],
    ...sides.map(({ name }, index) => {
      const { perSecond = [], perCpuSecond = [], mbps = [] } = measured[index] ?? {}
      return [name, spread(perSecond), spread(perCpuSecond), spread(mbps)]
    }),
  ])
  const ours = sides[0]
  if (ours === undefined) return
  const quiet = await beside(onAir, options.sockets, () => sleep(seconds * 1000))
  const busy = await beside(onAir, options.sockets, () => view(ours, seconds, 1000))
  console.log("")
  printRows([
    ["gateway beside viewers, one pair a second each", "p50 ms", "p99 ms"],
    ["without viewers", number(percentile(quiet, 0.5)), number(percentile(quiet, 0.99))],
    [`${connections} viewers`, number(percentile(busy, 0.5)), number(percentile(busy, 0.99))],
  ])
  const [first, second] = measured
  if (first === undefined || second === undefined) return
  const cpu = ratio("per CPU second", first.perCpuSecond, second.perCpuSecond)
  const slower = percentile(busy, 0.99) - percentile(quiet, 0.99)
  printVerdicts(
    "nginx",
    [cpu.text],
    [
      { what: "requests per CPU second", value: cpu.value, goal: 0.75, unit: "x", better: "higher" },
      { what: "gateway p99 beside viewers, more by", value: slower, goal: 3, unit: "ms", better: "lower" },
    ],
  )
}

export const broadcast = defineBenchmark({
  summary: "Viewers of a broadcast: playlist and segment by turns, against nginx; and the gateway beside them.",
  options: OPTIONS,
  limitSeconds: 180,
  run,
})
