/**
 * Bytes of recordings: uploads to the disk against nginx and the bare engine, downloads and ranges against nginx; clips and inspections
 * against processes of ffmpeg; the gateway beside an upload.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Defer, defineBenchmark } from "../benchmark.ts"
import { type NginxPeer, startNginx } from "../broadcast/nginx-peer.ts"
import { type Child, startChild } from "../support/child.ts"
import { temporaryFolder } from "../support/database.ts"
import { number, percentile, printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import { atMost, type Report } from "../support/report.ts"
import { call } from "../support/rest-calls.ts"
import { PROFILE_OPTION } from "../support/server-process.ts"
import { toldWhile } from "./beside.ts"
import { compareDownloads } from "./downloads.ts"
import { makeFilms, measureFilm } from "./films.ts"
import { begin, complete, type House, MEBIBYTE, openHouse, remove, wavHead } from "./house.ts"
import type { Put } from "./transfer-process.ts"
import { compareUploads, filesAsSide, oursAsSide, type Verdict } from "./uploads.ts"

const OPTIONS = {
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  mebibytes: { fallback: 1024, quick: 64, doc: "Size of one upload; eight at once have an eighth each." },
  ranges: { fallback: 1000, quick: 200, doc: "Ranges of a mebibyte in a round." },
  minutes: { fallback: 60, quick: 5, doc: "Length of the recording that is inspected and cut." },
  viewers: { fallback: 200, doc: "Gateway sockets beside an upload." },
  ...PROFILE_OPTION,
}

const BESIDE_MS = 5000

interface Running {
  readonly house: House
  readonly loader: Child
  readonly nginx: NginxPeer
  /** Of nginx. */
  readonly files: string
}

const uploadOne = async ({ house, loader }: Running, bytes: number): Promise<string> => {
  const { id, uploadUrl } = await begin(house, bytes)
  await loader.call("put", { urls: [uploadUrl], bytes, head: wavHead(bytes) } satisfies Put)
  return id
}

const uploads = async (
  running: Running,
  rounds: number,
  bytes: number,
  folder: string,
  defer: Defer,
): Promise<Verdict> => {
  const startEngine = async (isSynced: boolean) => {
    const engine = await startChild(new URL("./raw-uws-disk-peer.js", import.meta.url), defer)
    return { pid: engine.pid, port: await engine.call<number>("start", { folder, isSynced }) }
  }
  const { house, loader, nginx, files } = running
  const sides = [
    oursAsSide(house),
    filesAsSide("raw uWebSockets.js, synced", await startEngine(true), folder),
    filesAsSide("raw uWebSockets.js, not synced", await startEngine(false), folder),
    filesAsSide("nginx, dav, not synced", nginx, files),
  ]
  return compareUploads(loader, sides, rounds, bytes)
}

const downloads = async (running: Running, rounds: number, bytes: number, ranges: number): Promise<Verdict> => {
  const { house, loader, nginx, files } = running
  const id = await uploadOne(running, bytes)
  await complete(house, id)
  const { playbackUrl } = await call(house.server.url, "GET", `/v1/recordings/${id}`, { key: house.key })
  writeFileSync(join(files, "file.mp4"), Buffer.from(await (await fetch(playbackUrl)).arrayBuffer()))
  const readers = [
    { name: "Gathercue", pid: house.server.pid, url: String(playbackUrl) },
    { name: "nginx, sendfile", pid: nginx.pid, url: `http://127.0.0.1:${nginx.port}/file.mp4` },
  ]
  const whole = await compareDownloads(loader, readers, { rounds, bytes, ranges: 0 })
  const parts = await compareDownloads(loader, readers, { rounds, bytes, ranges })
  await remove(house, id)
  return { goals: [...whole.goals, ...parts.goals], ratios: [...whole.ratios, ...parts.ratios] }
}

const beside = async (running: Running, viewers: number, bytes: number): Promise<Verdict> => {
  const { house } = running
  const quiet = await toldWhile(house, viewers, () => sleep(BESIDE_MS))
  const busy = await toldWhile(house, viewers, async () => {
    const until = performance.now() + BESIDE_MS
    while (performance.now() < until) await remove(house, await uploadOne(running, bytes))
  })
  console.log("")
  printRows([
    [`from a command to ${viewers} sockets`, "p50 ms", "p99 ms"],
    ["without uploads", number(percentile(quiet, 0.5)), number(percentile(quiet, 0.99))],
    ["beside one after the other", number(percentile(busy, 0.5)), number(percentile(busy, 0.99))],
  ])
  const value = percentile(busy, 0.99) - percentile(quiet, 0.99)
  return {
    goals: [atMost("p99 beside an upload, more by", value, 25, "ms")],
    ratios: [],
  }
}

const films = async (
  house: House,
  folder: string,
  given: { readonly rounds: number; readonly minutes: number },
): Promise<Verdict> => {
  const rows = [[`${given.minutes} minutes`, "inspected s", "ffprobe s", "clip of 30 s, s", "ffmpeg -c copy s"]]
  const verdicts: Verdict[] = []
  const made = makeFilms(folder, given.minutes)
  // That took a minute without a turn of the loop: connections that the server has closed are noticed now.
  await sleep(100)
  for (const film of made) {
    const { inspected, probed, cut, copied } = await measureFilm(house, film, folder, given)
    rows.push([film.name, spread(inspected), spread(probed), spread(cut), spread(copied)])
    const inspection = spreadOf(inspected).median / spreadOf(probed).median
    const clip = spreadOf(cut).median / spreadOf(copied).median
    verdicts.push({
      goals: [atMost(`${film.name} inspected`, inspection, 1, "x"), atMost(`${film.name} clip`, clip, 3, "x")],
      ratios: [`${film.name} inspected ${inspection.toFixed(2)}x ffprobe, clip ${clip.toFixed(2)}x ffmpeg`],
    })
  }
  console.log("")
  printRows(rows)
  return { goals: verdicts.flatMap(({ goals }) => goals), ratios: verdicts.flatMap(({ ratios }) => ratios) }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const folder = await temporaryFolder(defer)
  const inside = (name: string): string => {
    const made = join(folder, name)
    mkdirSync(made)
    return made
  }
  const files = inside("nginx")
  const running: Running = {
    house: await openHouse(inside("data"), options.profile, defer),
    loader: await startChild(new URL("./transfer-process.js", import.meta.url), defer),
    nginx: await startNginx(files, defer, "dav_methods PUT; client_max_body_size 0; client_body_buffer_size 256k;"),
    files,
  }
  const bytes = options.mebibytes * MEBIBYTE
  const verdicts = [
    await uploads(running, options.rounds, bytes, inside("raw"), defer),
    await downloads(running, options.rounds, bytes, options.ranges),
    await beside(running, options.viewers, bytes),
    await films(running.house, inside("films"), options),
  ]
  return {
    peer: "nginx, raw uWebSockets.js, ffprobe and ffmpeg",
    ratios: verdicts.flatMap(({ ratios }) => ratios),
    goals: verdicts.flatMap(({ goals }) => goals),
  }
}

export const media = defineBenchmark({
  summary: "Uploads, downloads, clips and inspections, against nginx, the bare engine, and ffmpeg.",
  options: OPTIONS,
  needs: ["nginx", "ffmpeg", "ffprobe"],
  limitSeconds: 900,
  run,
})
