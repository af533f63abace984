/** Media files on the disk: their sizes, and growing files. */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open, opendir, stat } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import type { GrowingFile, StoredName } from "./storage.ts"

/** A symbolic link in place of a file is refused. */
const { O_CREAT, O_NOFOLLOW, O_WRONLY } = constants

/** System error code, such as `ENOSPC`. */
export const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? ""

/** Null for a missing file. */
export const orNull = <A>(work: Promise<A>): Promise<A | null> =>
  work.catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return null
    throw cause
  })

export const sizeOf = async (path: string): Promise<number | null> => (await orNull(stat(path)))?.size ?? null

/** Flushes the folder that records a rename, which must be on the disk before the caller is answered. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Writes all chunks; the system may accept fewer bytes at once. */
const writeAt = async (file: FileHandle, chunks: ReadonlyArray<Uint8Array>, position: number): Promise<number> => {
  const bytes = Buffer.concat(chunks)
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written)
    written += bytesWritten
  }
  await file.datasync()
  return position + bytes.byteLength
}

export const growingFile = async (path: string, keep: number): Promise<GrowingFile> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    const { size } = await file.stat()
    if (size < keep) throw new Error(`a file has ${size} bytes of the ${keep} that its rows name`)
    await file.truncate(keep)
    if (keep === 0) await syncFolder(path)
  } catch (cause) {
    await file.close()
    throw cause
  }
  let position = keep
  return {
    append: async (chunks) => {
      position = await writeAt(file, chunks, position)
    },
    close: () => file.close(),
  }
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
/** Names of our files, including those of an incomplete upload or cut. Other files in the folder are not ours. */
const STORED = new RegExp(
  `^((${UUID})/[0-9a-f]{2}/(${UUID})(?:-\\d+){0,2})(?:\\.part(?:\\.mp4)?|\\.parts(?:\\.log)?)?$`,
)

const nameOf = (path: string): StoredName | undefined => {
  const [, key, workspaceId, id] = STORED.exec(path) ?? []
  return key === undefined || workspaceId === undefined || id === undefined ? undefined : { key, workspaceId, id }
}

/** Stored files last written before a time, by their names. A key of several files is listed once. */
export const filesBefore = async (root: string, time: number): Promise<ReadonlyArray<StoredName>> => {
  const folder = await orNull(opendir(root, { recursive: true }))
  const found = new Map<string, StoredName>()
  for await (const entry of folder ?? []) {
    const path = join(entry.parentPath, entry.name)
    const name = entry.isFile() ? nameOf(relative(root, path).replaceAll(sep, "/")) : undefined
    if (name === undefined || found.has(name.key)) continue
    const status = await orNull(stat(path))
    if (status !== null && status.mtimeMs < time) found.set(name.key, name)
  }
  return [...found.values()]
}
