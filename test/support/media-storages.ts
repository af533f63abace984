/** A server on each kind of storage, for tests that run on all of them. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { type S3TestServer, startS3Server } from "./s3/s3-server.ts"
import { startMediaServer, type TestServer } from "./server.ts"

export const STORAGES = ["disk", "S3"] as const
export type StorageKind = (typeof STORAGES)[number]

export interface StorageHouse {
  /** A test that restarts it sets it. */
  server: TestServer
  /** The status of a `PUT` that succeeded. */
  readonly putStatus: number
  /** Names of all stored objects and parts of the recording. */
  readonly stored: (id: string) => Promise<ReadonlyArray<string>>
  /** Null on the disk. */
  readonly s3: S3TestServer | null
  readonly close: () => Promise<void>
}

const filesIn = async (folder: string, id: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.name.startsWith(id))
    .map(({ name }) => name)

export const openStorageHouse = async (
  kind: StorageKind,
  environment: { readonly [key: string]: string } = {},
): Promise<StorageHouse> => {
  const s3 = kind === "S3" ? await startS3Server() : null
  const house: StorageHouse = {
    server: await startMediaServer({ MEDIA_UPLOADS: "16", ...s3?.environment, ...environment }),
    putStatus: s3 === null ? 204 : 200,
    stored: async (id) => [...(await filesIn(house.server.folder, id)), ...(s3?.stored(id) ?? [])],
    s3,
    close: async () => {
      await house.server.stop()
      await s3?.close()
    },
  }
  return house
}
