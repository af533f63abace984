/** Inspections and clips of an hour's recording, against ffprobe and ffmpeg as processes. */
import { spawnSync } from "node:child_process"
import { createReadStream, statSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { call } from "../support/rest-calls.ts"
import { begin, complete, type House, remove, settled } from "./house.ts"

const run = (command: string, args: ReadonlyArray<string>): number => {
  const startedAt = performance.now()
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
  return (performance.now() - startedAt) / 1000
}

const QUIET = ["-v", "error", "-y"]

interface Film {
  readonly name: string
  readonly path: string
  readonly contentType: string
}

/** The same hour as MP4 and as Matroska. */
export const makeFilms = (folder: string, minutes: number): ReadonlyArray<Film> => {
  const seconds = String(minutes * 60)
  const mp4 = join(folder, "hour.mp4")
  const mkv = join(folder, "hour.mkv")
  run("ffmpeg", [
    ...QUIET,
    ...["-f", "lavfi", "-i", `testsrc2=size=640x360:rate=15:duration=${seconds}`],
    ...["-f", "lavfi", "-i", `sine=frequency=440:duration=${seconds}`],
    ...[
      "-c:v",
      "libx264",
      "-preset",
      "ultrafast",
      "-g",
      "30",
      "-c:a",
      "aac",
      "-b:a",
      "96k",
      "-movflags",
      "+faststart",
      mp4,
    ],
  ])
  run("ffmpeg", [...QUIET, "-i", mp4, "-c", "copy", mkv])
  return [
    { name: "MP4", path: mp4, contentType: "video/mp4" },
    { name: "Matroska", path: mkv, contentType: "video/x-matroska" },
  ]
}

/** Seconds that a process of ffmpeg takes to copy thirty seconds out of the middle. */
const cutByFfmpeg = ({ path }: Film, folder: string, atSeconds: number): number =>
  run("ffmpeg", [
    ...QUIET,
    "-ss",
    String(atSeconds),
    "-i",
    path,
    "-t",
    "30",
    "-c",
    "copy",
    join(folder, `cut.${path.split(".").at(-1)}`),
  ])

const probeByFfprobe = ({ path }: Film): number =>
  run("ffprobe", ["-v", "error", "-show_format", "-show_streams", path])

const putFile = (url: string, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "PUT", headers: { "content-length": statSync(path).size } })
    outgoing.once("error", reject)
    outgoing.once("response", (response) => {
      response.resume()
      if (response.statusCode === 204) response.once("end", resolve)
      else reject(new Error(`answered ${response.statusCode}`))
    })
    createReadStream(path).pipe(outgoing)
  })

export const measureFilm = async (
  house: House,
  film: Film,
  folder: string,
  { rounds, minutes }: { readonly rounds: number; readonly minutes: number },
) => {
  const { server, key } = house
  const inspected: number[] = []
  const probed: number[] = []
  const cut: number[] = []
  const copied: number[] = []
  let last = ""
  for (let round = 0; round < rounds; round++) {
    const { id, uploadUrl } = await begin(house, statSync(film.path).size)
    await putFile(uploadUrl, film.path)
    inspected.push(await complete(house, id))
    probed.push(probeByFfprobe(film))
    if (last !== "") await remove(house, last)
    last = id
  }
  for (let round = -1; round < rounds; round++) {
    const at = Math.floor((minutes * 60) / 2) + round
    const startedAt = performance.now()
    const body = { startMs: at * 1000, endMs: (at + 30) * 1000 }
    const { id } = await call(server.url, "POST", `/v1/recordings/${last}/clips`, { key, body })
    await settled(house, `/v1/clips/${id}`)
    const seconds = (performance.now() - startedAt) / 1000
    const peer = cutByFfmpeg(film, folder, at)
    if (round < 0) continue
    cut.push(seconds)
    copied.push(peer)
  }
  await remove(house, last)
  return { inspected, probed, cut, copied }
}
