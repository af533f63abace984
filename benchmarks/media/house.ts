/** Our server with an event whose recordings are measured. */
import type { Defer } from "../benchmark.ts"
import { startDatabases } from "../support/database.ts"
import { sleep } from "../support/figures.ts"
import { call, createLiveEvent, createWorkspace } from "../support/rest-calls.ts"
import { type ServerProcess, startServerProcess } from "../support/server-process.ts"

export const MEBIBYTE = 1024 ** 2
const WAV_HEAD_BYTES = 44

/** Of sound without compression, so that any bytes behind it are a recording. */
export const wavHead = (bytes: number): Buffer => {
  const head = Buffer.alloc(WAV_HEAD_BYTES)
  head.write("RIFF", 0, "latin1")
  head.writeUInt32LE(bytes - 8, 4)
  head.write("WAVEfmt ", 8, "latin1")
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(48_000, 24)
  head.writeUInt32LE(192_000, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36, "latin1")
  head.writeUInt32LE(bytes - WAV_HEAD_BYTES, 40)
  return head
}

export interface House {
  readonly server: ServerProcess
  readonly key: string
  readonly eventId: string
}

export const openHouse = async (folder: string, profile: number, defer: Defer): Promise<House> => {
  const databases = await startDatabases(defer)
  const environment = {
    DATABASE_URL: await databases.create("migrated"),
    DATA_DIR: folder,
    MEDIA_UPLOADS: "16",
    MEDIA_MAX_BYTES: "0",
    MEDIA_QUOTA_BYTES: "0",
    // Pictures and waveforms of the recordings are not measured.
    FFMPEG_PATH: "/nowhere",
  }
  const server = await startServerProcess({ environment, profile }, defer)
  const { key } = await createWorkspace(server.url)
  return {
    server,
    key,
    eventId: await createLiveEvent(server.url, key, [{ modality: "broadcast", featureSet: ["transcript"] }]),
  }
}

export const begin = ({ server, key, eventId }: House, sizeBytes: number): Promise<{ id: string; uploadUrl: string }> =>
  call(server.url, "POST", `/v1/events/${eventId}/recordings`, { key, body: { sizeBytes } })

export const remove = ({ server, key }: House, id: string): Promise<unknown> =>
  call(server.url, "DELETE", `/v1/recordings/${id}`, { key })

/** Resolves to the seconds until it is ready. */
export const complete = async ({ server, key }: House, id: string): Promise<number> => {
  const startedAt = performance.now()
  await call(server.url, "POST", `/v1/recordings/${id}/complete`, { key, body: {} })
  await settled({ server, key }, `/v1/recordings/${id}`)
  return (performance.now() - startedAt) / 1000
}

export const settled = async (
  { server, key }: Pick<House, "server" | "key">,
  path: string,
): Promise<{ readonly status: string; readonly failure?: unknown }> => {
  while (true) {
    const found = await call(server.url, "GET", path, { key })
    if (found.status === "ready") return found
    if (found.status === "failed") throw new Error(JSON.stringify(found.failure))
    await sleep(5)
  }
}
