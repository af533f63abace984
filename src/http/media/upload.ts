/**
 * Bytes of a recording, put to its signed address. `PUT` without `Content-Range` begins anew; with it, the upload goes on where the
 * stored bytes end, which `HEAD` answers. An upload is refused by its head, with the connection closed: the client would send all of
 * its bytes before it read an answer.
 */
import { Effect, Exit } from "effect"
import type { MediaLinks } from "../../media/links.ts"
import { MediaStorage, type OffsetMismatch, type UploadSink } from "../../media/storage/storage.ts"
import { BadRequest, Conflict, type Failure, NotFound, PayloadTooLarge, Unavailable } from "../../model/errors.ts"
import type { Recording } from "../../model/media/recording.ts"
import { Database } from "../../store/database.ts"
import { bytesInUse, findRecording, noteUploaded } from "../../store/media/recordings.ts"
import { HttpSettings } from "../requests/settings.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import { type UploadRange, uploadRangeOf } from "./ranges.ts"
import { offsetHeader, refusalOf } from "./refusal.ts"
import { validLink } from "./valid-link.ts"

export type UploadServices = Database | MediaLinks | MediaStorage | HttpSettings

/** Runs an effect and calls back with its end. */
export type Run = <A, E>(effect: Effect.Effect<A, E, UploadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** Retries of a client that met too many uploads. */
const RETRY_SECONDS = 5

/** The recording that the address is for, if its bytes are still awaited. */
const awaited = (token: string): Effect.Effect<Recording, Failure, UploadServices> =>
  Effect.gen(function* () {
    const link = yield* validLink(token, ["upload"], "recording")
    const recording = yield* (yield* Database).run((sql) => findRecording(sql, link.id))
    if (recording === undefined) return yield* NotFound.of("recording")
    if (recording.status !== "uploading") {
      return yield* new Conflict({ detail: `The recording is ${recording.status}; it takes no more bytes.` })
    }
    return recording
  })

const full = new Unavailable({ detail: "The disk for media is full.", retryAfterSeconds: 60 })

/** The most bytes that the recording may have. */
const limitOf = ({ workspaceId, id, sizeBytes }: Recording): Effect.Effect<number, Failure, UploadServices> =>
  Effect.gen(function* () {
    const { mediaMaxBytes, mediaQuotaBytes } = yield* HttpSettings
    const others = mediaQuotaBytes === 0 ? 0 : yield* (yield* Database).run((sql) => bytesInUse(sql, workspaceId, id))
    const quota = mediaQuotaBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mediaQuotaBytes - others)
    const most = mediaMaxBytes === 0 ? Number.POSITIVE_INFINITY : mediaMaxBytes
    return Math.min(quota, most, sizeBytes ?? Number.POSITIVE_INFINITY)
  })

interface Opened {
  readonly sink: UploadSink
  readonly id: string
  /** Bytes that this request may still send, and the refusal of more. */
  readonly left: number
  readonly refusal: Failure
}

/** Null for an upload that begins anew. */
const rangeOf = (
  header: string | undefined,
  { sizeBytes }: Recording,
): Effect.Effect<UploadRange | null, BadRequest> => {
  if (header === undefined) return Effect.succeed(null)
  const range = uploadRangeOf(header)
  if (range === undefined) {
    return Effect.fail(new BadRequest({ detail: "Content-Range must be `bytes <first>-<last>/<size or *>`." }))
  }
  const isOther = sizeBytes !== null && range.size !== null && range.size !== sizeBytes
  return isOther
    ? Effect.fail(new BadRequest({ detail: `The recording was announced with ${sizeBytes} bytes.` }))
    : Effect.succeed(range)
}

const open = (
  { params, headers }: RequestHead,
  events: { readonly onDrain: () => void; readonly onCut: () => void },
): Effect.Effect<Opened, Failure | OffsetMismatch, UploadServices> =>
  Effect.gen(function* () {
    const recording = yield* awaited(params["token"] ?? "")
    const range = yield* rangeOf(headers["content-range"], recording)
    const limit = yield* limitOf(recording)
    const offset = range?.start ?? null
    const storage = yield* MediaStorage
    const free = yield* storage.free
    const allowed = limit - (offset ?? 0)
    const left = Math.min(allowed, free)
    const refusal = free < allowed ? full : new PayloadTooLarge({ limitBytes: limit })
    if (free === 0 || Number(headers["content-length"] ?? 0) > left) return yield* Effect.fail(refusal)
    const sink = yield* storage.upload(recording.storageKey, { offset, ...events })
    return { sink, id: recording.id, left, refusal }
  })

/** Bytes that are stored count against the quota. */
const noted = (id: string, size: number) =>
  Effect.flatMap(Database, (database) => database.run((sql) => noteUploaded(sql, id, size)))

const notNoted = new Unavailable({ detail: "The bytes are stored, and could not be counted.", retryAfterSeconds: 5 })

export class Uploads {
  readonly #run: Run
  readonly #problems: Problems
  readonly #most: number
  #open = 0

  /** `most`: uploads at once. */
  constructor(run: Run, problems: Problems, most: number) {
    this.#run = run
    this.#problems = problems
    this.#most = most
  }

  /** `HEAD`: where the upload goes on. */
  look = (exchange: Exchange, { params, requestId }: RequestHead): void => {
    const offset = Effect.gen(function* () {
      const recording = yield* awaited(params["token"] ?? "")
      return (yield* (yield* MediaStorage).uploaded(recording.storageKey)) ?? 0
    })
    this.#run(offset, (exit) => {
      if (Exit.isSuccess(exit)) exchange.sendHead(200, [...offsetHeader(exit.value), NO_STORE], 0)
      else exchange.send(refusalOf(exit, this.#problems, requestId))
    })
  }

  /** `PUT`. */
  take = (exchange: Exchange, head: RequestHead): void => {
    if (this.#open >= this.#most) {
      const busy = new Unavailable({ detail: "Too many uploads at once.", retryAfterSeconds: RETRY_SECONDS })
      // Delayed, as any answer that closes the connection: the engine takes no other request from it meanwhile.
      setImmediate(() => exchange.send(this.#problems.of(busy), true))
      return
    }
    this.#open += 1
    const upload = new Upload(exchange, this.#run, this.#problems, () => {
      this.#open -= 1
    })
    this.#run(open(head, upload), (exit) => {
      if (Exit.isSuccess(exit)) upload.begin(exit.value)
      else upload.refuse(refusalOf(exit, this.#problems, head.requestId))
    })
  }
}

const NO_STORE = ["cache-control", "no-store"] as const

/** One `PUT` under way. Bytes that come before the storage is open are few, because the connection is paused. */
class Upload {
  readonly #exchange: Exchange
  readonly #run: Run
  readonly #problems: Problems
  readonly #onEnd: () => void
  readonly #early: Uint8Array[] = []
  #opened: Opened | undefined
  #received = 0
  #isWhole = false
  #isOver = false

  constructor(exchange: Exchange, run: Run, problems: Problems, onEnd: () => void) {
    this.#exchange = exchange
    this.#run = run
    this.#problems = problems
    this.#onEnd = onEnd
    exchange.receive((chunk, isLast) => {
      this.#isWhole = isLast
      if (this.#opened === undefined) {
        this.#early.push(chunk)
        return
      }
      this.#write(this.#opened, chunk)
      if (isLast) this.#finish(this.#opened)
    })
    exchange.pause()
    exchange.whenAborted(() => this.#abandon())
  }

  onDrain = (): void => this.#exchange.resume()

  /** A newer request has the upload now, or the disk refuses bytes. */
  onCut = (): void => {
    const detail = "The upload went on in another request, or its bytes cannot be stored."
    this.refuse(this.#problems.of(new Unavailable({ detail, retryAfterSeconds: RETRY_SECONDS })))
  }

  begin(opened: Opened): void {
    if (this.#isOver) {
      this.#keep(opened)
      return
    }
    this.#opened = opened
    this.#exchange.resume()
    for (const chunk of this.#early.splice(0)) this.#write(opened, chunk)
    if (this.#isWhole) this.#finish(opened)
  }

  refuse(response: HttpResponse): void {
    this.#exchange.send(response, true)
    this.#abandon()
  }

  #write(opened: Opened, chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#received += chunk.byteLength
    if (this.#received > opened.left) {
      this.refuse(this.#problems.of(opened.refusal))
      return
    }
    if (!opened.sink.write(chunk)) this.#exchange.pause()
  }

  #finish({ sink, id }: Opened): void {
    if (this.#isOver) return
    sink.finish().then(
      (size) =>
        this.#run(noted(id, size), (exit) => {
          if (Exit.isFailure(exit)) return this.refuse(this.#problems.of(notNoted))
          this.#exchange.send({ status: 204, headers: [...offsetHeader(size), NO_STORE], body: "" })
          return this.#end()
        }),
      () => this.onCut(),
    )
  }

  /** The bytes that came are kept, so that another request can go on after them. */
  #abandon(): void {
    if (this.#isOver) return
    if (this.#opened !== undefined) this.#keep(this.#opened)
    this.#end()
  }

  #keep({ sink, id }: Opened): void {
    void sink.abandon().then((size) => this.#run(noted(id, size), () => {}))
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnd()
  }
}
