/** Input of the media process: a file, or an object at a signed address, of which it reads ranges. */
import { open } from "node:fs/promises"
import { CustomSource, FilePathSource, type Source } from "mediabunny"
import type { MediaSource } from "../storage/storage.ts"

/** Cache for ranges, because an index is read repeatedly. */
const CACHE_BYTES = 16 * 1024 ** 2
const RANGE_WITHIN_MS = 30_000
const TRIES = 3
/** Chunk sizes chosen for few reads and little memory. */
const CHUNK = 1_048_576
const REMOTE_CHUNK = 8 * CHUNK

const rangeOnce = async (url: string, start: number, end: number): Promise<Uint8Array> => {
  const answer = await fetch(url, {
    headers: { range: `bytes=${start}-${end - 1}` },
    signal: AbortSignal.timeout(RANGE_WITHIN_MS),
  })
  if (answer.status !== 206) {
    await answer.body?.cancel()
    // The message omits the address, which is a credential.
    throw new Error(`the storage answered ${answer.status} to a range`)
  }
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.byteLength !== end - start) throw new Error("the storage answered another range")
  return bytes
}

const range = async (url: string, start: number, end: number): Promise<Uint8Array> => {
  for (let tried = 1; ; tried++) {
    try {
      return await rangeOnce(url, start, end)
    } catch (cause) {
      if (tried === TRIES) throw new StorageAway(cause instanceof Error ? cause.message : String(cause))
    }
  }
}

/** The bytes could not be read, which says nothing about them. */
export class StorageAway extends Error {
  override readonly name = "StorageAway"
}

/** Whether a system operation failed, such as reading from a broken disk. */
export const isSystemError = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && "errno" in cause && "syscall" in cause

/** Failure to read a file: a broken disk counts as away. A missing file will not come back by waiting. */
export const readFault = (cause: unknown): unknown =>
  isSystemError(cause) && cause.code !== "ENOENT" ? new StorageAway(cause.message) : cause

export const sourceOf = (from: MediaSource, failed: (cause: StorageAway) => void): Source => {
  if ("path" in from) return new FilePathSource(from.path)
  const { url, sizeBytes } = from
  return new CustomSource({
    getSize: () => sizeBytes,
    read: async (start, end) => {
      try {
        return await range(url, start, end)
      } catch (cause) {
        if (cause instanceof StorageAway) failed(cause)
        throw cause
      }
    },
    maxCacheSize: CACHE_BYTES,
    prefetchProfile: "network",
    handleUnhandledError: () => {},
  })
}

/** Random access to the bytes of an open file. */
export interface BytesAt {
  readonly size: number
  /** Whether reading needs no request. */
  readonly isNear: boolean
  /** `end` is at most the size. A file that has become shorter gives fewer bytes. */
  readonly read: (start: number, end: number) => Promise<Buffer>
  readonly close: () => Promise<void>
}

export const openBytes = async (from: MediaSource): Promise<BytesAt> => {
  if ("url" in from) {
    const read = async (start: number, end: number) => Buffer.from(await range(from.url, start, end))
    return { size: from.sizeBytes, isNear: false, read, close: async () => {} }
  }
  const file = await open(from.path, "r")
  const read = async (start: number, end: number): Promise<Buffer> => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  }
  return { size: (await file.stat()).size, isNear: true, read, close: () => file.close() }
}

/** The first `count` bytes, or all of a shorter file. */
export const headOf = async (from: MediaSource, count: number): Promise<Uint8Array> => {
  const bytes = await openBytes(from)
  try {
    return await bytes.read(0, Math.min(count, bytes.size))
  } finally {
    await bytes.close()
  }
}

/** All bytes, in order. */
export async function* bytesOf(from: MediaSource): AsyncGenerator<Uint8Array> {
  if ("url" in from) {
    for (let at = 0; at < from.sizeBytes; at += REMOTE_CHUNK) {
      yield await range(from.url, at, Math.min(from.sizeBytes, at + REMOTE_CHUNK))
    }
    return
  }
  const file = await open(from.path, "r")
  try {
    for (let at = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
