/** A server on each kind of storage, for tests that run on all of them. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { startMediaServer, type TestServer } from "./server.ts"

export const STORAGES = ["disk"] as const
export type StorageKind = (typeof STORAGES)[number]

export interface StorageHouse {
  /** A test that restarts it sets it. */
  server: TestServer
  /** The status of a `PUT` that succeeded. */
  readonly putStatus: number
  /** Names of all stored objects and parts of the recording. */
  readonly stored: (id: string) => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const filesIn = async (folder: string, id: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.name.startsWith(id))
    .map(({ name }) => name)

export const openStorageHouse = async (
  _kind: StorageKind,
  environment: { readonly [key: string]: string } = {},
): Promise<StorageHouse> => {
  const house: StorageHouse = {
    server: await startMediaServer({ MEDIA_UPLOADS: "16", ...environment }),
    putStatus: 204,
    stored: (id) => filesIn(house.server.folder, id),
    close: () => house.server.stop(),
  }
  return house
}
