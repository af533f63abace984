/** Operations on a bucket. Each has a deadline; errors are distinguished by status, and never hold a request or its secrets. */
import { type FileHandle, open } from "node:fs/promises"
import { Redacted } from "effect"
import { S3mini, S3ServiceError } from "s3mini"
import type { StoredPart } from "../../../model/media/upload-parts.ts"
import type { S3Settings } from "./presign.ts"

/** The storage refused, or did not answer. */
export class S3Failed extends Error {
  override readonly name = "S3Failed"
  /** Status of the answer; 0 for none. */
  readonly status: number

  constructor(operation: string, status: number, code: string) {
    super(`${operation}: ${status === 0 ? "no answer" : `status ${status}`} (${code})`)
    this.status = status
  }
}

export interface S3Deadlines {
  /** Deadline of a request without many bytes, and of a short range. */
  readonly shortMs: number
  /** Deadline of one part, a range, or the joining of parts. */
  readonly longMs: number
}

export const DEADLINES: S3Deadlines = { shortMs: 15_000, longMs: 120_000 }

const TYPE = "application/octet-stream"
const REMOVED_AT_ONCE = 16
/** Size of a range that is read within the short deadline. */
const FEW_BYTES = 1024 ** 2
/** Part size for files of this server. */
const PART_BYTES = 16 * 1024 ** 2

const codeOf = (cause: unknown): string => {
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown }
  if (typeof code === "string") return code
  return typeof name === "string" ? name : "unknown"
}

const failedAs = (operation: string, cause: unknown): S3Failed => {
  if (cause instanceof S3Failed) return cause
  const found = cause instanceof Error && cause.cause instanceof S3ServiceError ? cause.cause : cause
  if (found instanceof S3ServiceError) return new S3Failed(operation, found.status, found.serviceCode ?? "")
  // The cause of a failed fetch has the reason.
  const inner = found instanceof Error && found.cause !== undefined ? found.cause : found
  return new S3Failed(operation, 0, codeOf(inner))
}

const attempt = async <A>(operation: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (cause) {
    throw failedAs(operation, cause)
  }
}

/** Null for a missing object or upload. */
const orNull = <A>(work: Promise<A>): Promise<A | null> =>
  work.catch((cause: unknown) => {
    if (cause instanceof S3Failed && cause.status === 404) return null
    throw cause
  })

const textOf = (xml: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ""

/** An ETag is quoted, and some servers escape the quotation marks. */
const etagIn = (xml: string): string => textOf(xml, "ETag").replaceAll(/&quot;|&#34;|"/g, "")

const partsIn = (xml: string): ReadonlyArray<StoredPart> =>
  [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
    number: Number(textOf(part, "PartNumber")),
    sizeBytes: Number(textOf(part, "Size")),
    etag: etagIn(part),
  }))

/** Newer releases of Node 20 refuse an explicit length beside the one derived from the body. */
const fetchWithoutLength: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete("content-length")
  return fetch(input, { ...init, headers })
}

type Read = (position: number, bytes: number) => Promise<Uint8Array>

export class S3Bucket {
  readonly #short: S3mini
  readonly #long: S3mini

  constructor({ url, region, accessKeyId, secretAccessKey }: S3Settings, { shortMs, longMs }: S3Deadlines) {
    const settings = {
      endpoint: url,
      region,
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      fetch: fetchWithoutLength,
    }
    this.#short = new S3mini({ ...settings, requestAbortTimeout: shortMs })
    this.#long = new S3mini({ ...settings, requestAbortTimeout: longMs })
  }

  begin(key: string): Promise<string> {
    return attempt("CreateMultipartUpload", () => this.#short.getMultipartUploadId(key, TYPE))
  }

  /** Null when there is no such upload, because it was completed or aborted. */
  parts(key: string, uploadId: string): Promise<ReadonlyArray<StoredPart> | null> {
    return orNull(attempt("ListParts", () => this.#allParts(key, uploadId)))
  }

  async #allParts(key: string, uploadId: string): Promise<ReadonlyArray<StoredPart>> {
    const found: StoredPart[] = []
    for (let marker = "0"; marker !== ""; ) {
      const query = { uploadId, "max-parts": "1000", "part-number-marker": marker }
      const xml = await (await this.#short.getObjectRaw(key, true, 0, undefined, query)).text()
      found.push(...partsIn(xml))
      const next = textOf(xml, "NextPartNumberMarker")
      const isMore = textOf(xml, "IsTruncated") === "true" && Number(next) > Number(marker)
      marker = isMore ? next : ""
    }
    return found
  }

  /** Returns false when the upload no longer exists. */
  async join(key: string, uploadId: string, parts: ReadonlyArray<StoredPart>): Promise<boolean> {
    const numbered = parts.map(({ number, etag }) => ({ partNumber: number, etag: `"${etag}"` }))
    const joined = await orNull(
      attempt("CompleteMultipartUpload", () => this.#long.completeMultipartUpload(key, uploadId, numbered)),
    )
    return joined !== null
  }

  /** Null when there is no such object. */
  size(key: string): Promise<number | null> {
    return orNull(attempt("HeadObject", () => this.#short.getContentLength(key)))
  }

  /** Reads the bytes from `start` to `end`. */
  read(key: string, start: number, end: number): Promise<Uint8Array> {
    return attempt("GetObject", async () => {
      const client = end - start > FEW_BYTES ? this.#long : this.#short
      const answer = await client.getObjectRaw(key, false, start, end)
      // A whole object instead of a range would fill the memory.
      if (answer.status !== 206) {
        await answer.body?.cancel()
        throw new S3Failed("GetObject", answer.status, "no range")
      }
      return new Uint8Array(await answer.arrayBuffer())
    })
  }

  /** Stores a file from this server's disk. */
  async store(key: string, path: string): Promise<void> {
    const file = await open(path, "r")
    try {
      const { size } = await file.stat()
      await this.storeFrom(key, size, (position, bytes) => readAll(file, position, bytes))
    } finally {
      await file.close()
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await attempt("PutObject", () => this.#long.putObject(key, bytes, TYPE))
  }

  /** Stores `size` bytes, which `read` provides from a position on. */
  async storeFrom(key: string, size: number, read: Read): Promise<void> {
    if (size > PART_BYTES) await this.#storeInParts(key, size, read)
    else await this.put(key, await read(0, size))
  }

  async #storeInParts(key: string, size: number, read: Read): Promise<void> {
    const uploadId = await this.begin(key)
    const parts: StoredPart[] = []
    // S3 accepts at most this many parts of an object.
    const partBytes = Math.max(PART_BYTES, Math.ceil(size / 10_000))
    for (let position = 0; position < size; position += partBytes) {
      const bytes = await read(position, Math.min(partBytes, size - position))
      const number = parts.length + 1
      const { etag } = await attempt("UploadPart", () => this.#long.uploadPart(key, uploadId, bytes, number))
      parts.push({ number, etag, sizeBytes: bytes.byteLength })
    }
    await this.join(key, uploadId, parts)
  }

  /** Aborts all incomplete uploads of the object, and removes it. */
  async remove(key: string): Promise<void> {
    for (const uploadId of await this.#uploadsOf(key)) {
      await orNull(attempt("AbortMultipartUpload", () => this.#short.abortMultipartUpload(key, uploadId)))
    }
    await orNull(attempt("DeleteObject", () => this.#short.deleteObject(key)))
  }

  /** Objects by key prefix, in order. `after` lists only those behind that key. */
  async list(prefix: string, after?: string): Promise<ReadonlyArray<{ readonly key: string; readonly bytes: number }>> {
    const options = after === undefined ? {} : { "start-after": after }
    const found = await attempt("ListObjectsV2", () => this.#long.listObjects("/", prefix, undefined, options))
    return (found ?? []).map(({ Key, Size }) => ({ key: Key, bytes: Number(Size) }))
  }

  /** Removes all objects with this key prefix. */
  async removeFolder(prefix: string): Promise<void> {
    await this.removeAll((await this.list(prefix)).map(({ key }) => key))
  }

  async removeAll(keys: ReadonlyArray<string>): Promise<void> {
    // Removed one by one, because not every storage accepts a list.
    for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE) {
      const some = keys.slice(from, from + REMOVED_AT_ONCE)
      await Promise.all(some.map((key) => orNull(attempt("DeleteObject", () => this.#short.deleteObject(key)))))
    }
  }

  async #uploadsOf(key: string): Promise<ReadonlyArray<string>> {
    const listed: unknown = await attempt("ListMultipartUploads", () =>
      this.#short.listMultipartUploads("/", key, "GET", { prefix: key }),
    )
    const result = field(listed, "ListMultipartUploadsResult")
    const uploads = field(result, "Upload") ?? []
    return (Array.isArray(uploads) ? uploads : [uploads])
      .filter((upload) => field(upload, "Key") === key)
      .map((upload) => field(upload, "UploadId"))
      .filter((id) => typeof id === "string")
  }
}

const field = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null && name in from ? (from as Record<string, unknown>)[name] : undefined

const readAll = async (file: FileHandle, position: number, size: number): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafe(size)
  for (let read = 0; read < size; ) {
    const { bytesRead } = await file.read(bytes, read, size - read, position + read)
    if (bytesRead === 0) throw new Error("a file became shorter while it was stored")
    read += bytesRead
  }
  return bytes
}
