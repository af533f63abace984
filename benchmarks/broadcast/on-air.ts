/** A broadcast that is live, and the streams that encoders push to it. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Defer } from "../benchmark.ts"
import { startDatabases } from "../support/database.ts"
import { call, createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import { type ServerProcess, startServerProcess } from "../support/server-process.ts"

const NO_FFMPEG = "This benchmark needs ffmpeg on the path."

export const FRAGMENTED: ReadonlyArray<string> = [
  ...["-f", "mp4", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"],
  ...["-frag_duration", "500000"],
]

/** Runs ffmpeg to its end. */
export const ffmpeg = (args: ReadonlyArray<string>): void => {
  const made = spawnSync("ffmpeg", ["-v", "error", ...args], { encoding: "utf8" })
  if (made.error !== undefined) throw new Error(NO_FFMPEG)
  if (made.status !== 0) throw new Error(`ffmpeg: ${made.stderr}`)
}

/** A stream as an encoder pushes it. Resolves to the file. */
export const encoded = (folder: string, kbps: number, seconds: number): string => {
  const file = join(folder, `talk-${kbps}.mp4`)
  ffmpeg([
    ...["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25", "-t", String(seconds)],
    ...["-vf", "noise=alls=20:allf=t", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50"],
    ...["-b:v", `${kbps}k`, "-minrate", `${kbps}k`, "-maxrate", `${kbps}k`, "-bufsize", `${kbps}k`],
    ...FRAGMENTED,
    file,
  ])
  return file
}

export interface OnAir {
  readonly server: ServerProcess
  readonly key: string
  readonly eventId: string
  readonly playbackUrl: string
  /** Pushes a whole file. */
  readonly push: (file: string) => Promise<void>
  readonly streamUrl: string
  readonly stop: () => Promise<unknown>
}

export const goLive = async (
  folder: string,
  given: { readonly profile: number; readonly environment?: Readonly<Record<string, string>> },
  defer: Defer,
): Promise<OnAir> => {
  const databases = await startDatabases(defer)
  const environment = { DATABASE_URL: await databases.create("migrated"), DATA_DIR: folder, ...given.environment }
  const server = await startServerProcess({ environment, profile: given.profile }, defer)
  const { key } = await createWorkspace(server.url)
  const eventId = await createLiveEvent(server.url, key, [{ modality: "broadcast" }])
  const { phases } = await call(server.url, "GET", `/v1/events/${eventId}`, { key })
  const phase = `/v1/phases/${phases[0].id}/broadcast`
  const { playbackUrl } = await call(server.url, "POST", `${phase}/start`, { key, body: {} })
  const { streamUrl } = await call(server.url, "POST", `${phase}/ingest`, { key })
  return {
    server,
    key,
    eventId,
    playbackUrl,
    streamUrl,
    push: async (file) => {
      const answer = await fetch(streamUrl, { method: "PUT", body: new Uint8Array(readFileSync(file)) })
      if (answer.status !== 204) throw new Error(`the stream was answered ${answer.status}: ${await answer.text()}`)
    },
    stop: () => call(server.url, "POST", `${phase}/stop`, { key }),
  }
}
