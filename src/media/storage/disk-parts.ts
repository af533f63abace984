/**
 * Uploads in parts on the disk. The parts are ranges of one file, `<key>.parts`, and may arrive in any order. A part counts once its line
 * is in the journal, `<key>.parts.log`; the line is written after the bytes are on the disk, so that a crash leaves no line without them. A
 * part that counts is never written again: a repeat is compared with it, so the file cannot lose what was acknowledged.
 */
import { constants } from "node:fs"
import { mkdir, open, readFile, rm, truncate } from "node:fs/promises"
import { dirname } from "node:path"
import { crc32 } from "node:zlib"
import { Conflict } from "../../model/errors.ts"
import type { Part, StoredPart } from "../../model/media/upload-parts.ts"
import { orNull, syncFolder } from "./disk-files.ts"
import { DiskUpload, openForUpload } from "./disk-upload.ts"
import type { PartSink, UploadEvents } from "./storage.ts"
import { Turns } from "./turns.ts"

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants

/** Matches complete lines; a line cut off by a crash has no end. */
const LINE = /^(\d{1,5}) (\d{1,15}) (\d{1,15}) ([0-9a-f-]{1,40})\n/gm

type Kept = StoredPart & Part

const partsIn = (journal: string): Map<number, Kept> =>
  new Map(
    [...journal.matchAll(LINE)].map(([, number, position, sizeBytes, etag = ""]) => [
      Number(number),
      { number: Number(number), position: Number(position), sizeBytes: Number(sizeBytes), etag },
    ]),
  )

const endOf = ({ position, sizeBytes }: Part): number => position + sizeBytes

/** A cheap checksum, which finds accidents. Against forgery there is the SHA-256 of the whole. */
const etagOf = (crc: number, sizeBytes: number): string => `${crc.toString(16).padStart(8, "0")}-${sizeBytes}`

/** Node's function returns 0 for no bytes, regardless of the previous value; a chunked body ends with such a chunk. */
const checksumOf = (chunk: Uint8Array, before: number): number =>
  chunk.byteLength === 0 ? before : crc32(chunk, before)

interface State {
  readonly stored: Map<number, Kept>
  readonly writers: Map<number, PartWriter>
  readonly openings: Turns
  readonly journal: Turns
}

const partDiffers = ({ number }: Part): Conflict =>
  new Conflict({ detail: `Part ${number} is stored already, with other bytes.` })

class PartComparison implements PartSink {
  readonly #part: Part
  readonly #known: StoredPart
  #crc = 0
  #bytes = 0

  constructor(part: Part, known: StoredPart) {
    this.#part = part
    this.#known = known
  }

  write = (chunk: Uint8Array): boolean => {
    this.#crc = checksumOf(chunk, this.#crc)
    this.#bytes += chunk.byteLength
    return true
  }

  finish = async (): Promise<string> => {
    const { etag } = this.#known
    if (etagOf(this.#crc, this.#bytes) !== etag) throw partDiffers(this.#part)
    return etag
  }

  abandon = (): Promise<void> => Promise.resolve()
}

interface PartWriterGiven {
  readonly part: Part
  readonly upload: DiskUpload
  readonly events: UploadEvents
  /** Adds the part to the journal. */
  readonly keep: (part: Kept) => Promise<void>
  readonly onSettled: () => void
}

class PartWriter implements PartSink {
  readonly #given: PartWriterGiven
  #crc = 0
  #bytes = 0
  #settled: Promise<string | undefined> | undefined

  constructor(given: PartWriterGiven) {
    this.#given = given
  }

  get part(): Part {
    return this.#given.part
  }

  write = (chunk: Uint8Array): boolean => {
    const { part, upload } = this.#given
    // The bytes after the part belong to another one.
    if (this.#bytes + chunk.byteLength > part.sizeBytes) throw new Error("more bytes came than the part has")
    this.#crc = checksumOf(chunk, this.#crc)
    this.#bytes += chunk.byteLength
    return upload.write(chunk)
  }

  finish = async (): Promise<string> => {
    const { part } = this.#given
    const etag = await this.#settle(this.#bytes === part.sizeBytes)
    if (etag !== undefined) return etag
    throw new Conflict({ detail: `Part ${part.number} has ${part.sizeBytes} bytes, and ${this.#bytes} came.` })
  }

  abandon = (): Promise<void> =>
    this.#settle(false).then(
      () => {},
      () => {},
    )

  /** Called when another request takes over the part. A request whose bytes are complete is finished first. */
  cut(): Promise<void> {
    if (this.#settled === undefined) this.#given.events.onCut("taken")
    return this.abandon()
  }

  #settle(isWhole: boolean): Promise<string | undefined> {
    this.#settled ??= this.#end(isWhole).finally(this.#given.onSettled)
    return this.#settled
  }

  async #end(isWhole: boolean): Promise<string | undefined> {
    const { part, upload, keep } = this.#given
    if (!isWhole) {
      await upload.abandon()
      return undefined
    }
    await upload.finish()
    const etag = etagOf(this.#crc, this.#bytes)
    await keep({ ...part, etag })
    return etag
  }
}

export class DiskParts {
  readonly #pathOf: (key: string) => string
  readonly #onFailure: (cause: unknown) => void
  /** Uploads since the process began; `end` forgets them. */
  readonly #states = new Map<string, Promise<State>>()

  /** `onFailure` gets disk errors. */
  constructor(pathOf: (key: string) => string, onFailure: (cause: unknown) => void) {
    this.#pathOf = pathOf
    this.#onFailure = onFailure
  }

  dataPath(key: string): string {
    return `${this.#pathOf(key)}.parts`
  }

  #journalPath(key: string): string {
    return `${this.dataPath(key)}.log`
  }

  /** Null when no part arrived. */
  async stored(key: string): Promise<ReadonlyArray<StoredPart> | null> {
    const journal = await orNull(readFile(this.#journalPath(key), "latin1"))
    if (journal === null) return null
    return [...partsIn(journal).values()]
      .map(({ number, etag, sizeBytes }) => ({ number, etag, sizeBytes }))
      .toSorted((a, b) => a.number - b.number)
  }

  async open(key: string, part: Part, events: UploadEvents): Promise<PartSink> {
    const state = await this.#state(key)
    return state.openings.take(async () => {
      await state.writers.get(part.number)?.cut()
      const known = state.stored.get(part.number)
      if (known !== undefined) return new PartComparison(part, known)
      const file = await openForUpload(this.dataPath(key), false)
      const upload = new DiskUpload(file, part.position, events, {
        onClosed: () => {},
        onFailure: this.#onFailure,
        // `#trim` undoes it, when no other part is open.
        undo: () => Promise.resolve(),
      })
      const writer: PartWriter = new PartWriter({
        part,
        upload,
        events,
        keep: (kept) => this.#keep(key, state, kept),
        onSettled: () => {
          state.writers.delete(part.number)
          if (!state.stored.has(part.number)) this.#trim(key, state)
        },
      })
      state.writers.set(part.number, writer)
      return writer
    })
  }

  /** Cuts all requests, and forgets the upload. The files stay. */
  async end(key: string): Promise<void> {
    const state = await this.#states.get(key)
    this.#states.delete(key)
    if (state === undefined) return
    await state.openings.take(() => Promise.all([...state.writers.values()].map((writer) => writer.cut())))
  }

  async remove(key: string): Promise<void> {
    await this.end(key)
    // The journal is removed first, because it must not name parts whose bytes are gone.
    await rm(this.#journalPath(key), { force: true })
    await rm(this.dataPath(key), { force: true })
  }

  #state(key: string): Promise<State> {
    const known = this.#states.get(key)
    if (known !== undefined) return known
    const state = this.#load(key)
    this.#states.set(key, state)
    state.catch(() => this.#states.delete(key))
    return state
  }

  async #load(key: string): Promise<State> {
    const path = this.#journalPath(key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const journal = await orNull(readFile(path, "latin1"))
    const stored = partsIn(journal ?? "")
    if (journal === null) {
      for (const created of [this.dataPath(key), path]) await (await open(created, "a", 0o600)).close()
      // A line cut off by a crash would spoil the next one.
    } else await truncate(path, journal.lastIndexOf("\n") + 1)
    await syncFolder(path)
    return { stored, writers: new Map(), openings: new Turns(), journal: new Turns() }
  }

  /**
   * Frees the space of bytes that were not stored, after all other parts. It waits while a part is open, because that part may lie there.
   */
  #trim(key: string, state: State): void {
    const trimmed = state.openings.take(async () => {
      // The upload was sealed or removed meanwhile.
      if ((await this.#states.get(key)) !== state) return
      const parts = [...state.stored.values(), ...[...state.writers.values()].map((writer) => writer.part)]
      await orNull(truncate(this.dataPath(key), Math.max(0, ...parts.map(endOf))))
    })
    trimmed.catch(this.#onFailure)
  }

  #keep(key: string, state: State, part: Kept): Promise<void> {
    return state.journal.take(async () => {
      const file = await open(this.#journalPath(key), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
      try {
        const { size } = await file.stat()
        const line = `${part.number} ${part.position} ${part.sizeBytes} ${part.etag}\n`
        const { bytesWritten } = await file.write(line)
        if (bytesWritten < line.length) {
          await file.truncate(size)
          throw new Error("the journal of an upload could not be written")
        }
        await file.datasync()
      } finally {
        await file.close()
      }
      state.stored.set(part.number, part)
    })
  }
}
