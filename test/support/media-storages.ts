/** A server on each kind of storage, for tests that run on all of them. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { type S3TestServer, startS3Server } from "./s3/s3-server.ts"
import { startMediaServer, type TestServer } from "./server.ts"

export const STORAGES = ["disk", "S3"] as const
type StorageKind = (typeof STORAGES)[number]

export interface StorageHouse {
  /** A test that restarts it sets it. */
  server: TestServer
  /** The status of a `PUT` that succeeded. */
  readonly putStatus: number
  /** Names of all stored objects and parts of the recording. */
  readonly stored: (id: string) => Promise<ReadonlyArray<string>>
  /** A part of an upload that was completed is refused. Swift takes it, in the place of the stored one. */
  readonly endsAddresses: boolean
  /** The bucket of our own, if the storage is one. */
  readonly s3: S3TestServer | null
  readonly close: () => Promise<void>
}

const filesIn = async (folder: string, id: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.name.startsWith(id))
    .map(({ name }) => name)

type Environment = { readonly [key: string]: string }

/** A bucket and what is stored in it. */
interface Bucket {
  readonly environment: Environment
  readonly stored: (id: string) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

export const houseOn = async (bucket: Bucket | null, environment: Environment = {}): Promise<StorageHouse> => {
  const house: StorageHouse = {
    server: await startMediaServer({ MEDIA_UPLOADS: "16", ...bucket?.environment, ...environment }),
    putStatus: bucket === null ? 204 : 200,
    stored: async (id) => [...(await filesIn(house.server.folder, id)), ...((await bucket?.stored(id)) ?? [])],
    endsAddresses: true,
    s3: null,
    close: async () => {
      await house.server.stop()
      await bucket?.close()
    },
  }
  return house
}

export const openStorageHouse = async (kind: StorageKind, environment: Environment = {}): Promise<StorageHouse> => {
  if (kind === "disk") return houseOn(null, environment)
  const s3 = await startS3Server()
  // Not a copy: a test that restarts the server sets it.
  return Object.assign(await houseOn(s3, environment), { s3 })
}
