/**
 * Bytes of a recording, put to its signed address. `PUT` without `Content-Range` begins anew; with it, the upload goes on where the
 * stored bytes end, which `HEAD` answers. An upload is refused by its head, with the connection closed: the client would send all of
 * its bytes before it read an answer.
 */
import { Effect, Exit } from "effect"
import type { MediaLinks } from "../../media/links.ts"
import { MediaStorage, OffsetMismatch, type UploadSink } from "../../media/storage/storage.ts"
import { BadRequest, Conflict, type Failure, NotFound, PayloadTooLarge, Unavailable } from "../../model/errors.ts"
import type { Recording } from "../../model/media/recording.ts"
import { Database } from "../../store/database.ts"
import { bytesOfOthers, findRecording } from "../../store/media/recordings.ts"
import { HttpSettings } from "../requests/settings.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import { uploadRangeOf } from "./ranges.ts"
import { validLink } from "./valid-link.ts"

export type UploadServices = Database | MediaLinks | MediaStorage | HttpSettings

/** Runs an effect and calls back with its end. */
export type Run = <A, E>(effect: Effect.Effect<A, E, UploadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** The header that says at which byte an upload goes on. */
export const UPLOAD_OFFSET = "upload-offset"

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

/** The most bytes that the recording may have, and the sentence for more. */
const limitOf = (recording: Recording): Effect.Effect<number, Failure, UploadServices> =>
  Effect.gen(function* () {
    const { mediaMaxBytes, mediaQuotaBytes } = yield* HttpSettings
    const storage = yield* MediaStorage
    const free = yield* storage.free
    if (free === 0) return yield* new Unavailable({ detail: "The disk for media is full.", retryAfterSeconds: 60 })
    const others = mediaQuotaBytes === 0 ? 0 : yield* (yield* Database).run((sql) => bytesOfOthers(sql, recording))
    const quota = mediaQuotaBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mediaQuotaBytes - others)
    const most = mediaMaxBytes === 0 ? Number.POSITIVE_INFINITY : mediaMaxBytes
    return Math.min(quota, most, recording.sizeBytes ?? Number.POSITIVE_INFINITY)
  })

interface Opened {
  readonly sink: UploadSink
  /** Bytes that this request may still send. */
  readonly left: number
  readonly limit: number
}

const open = (
  { params, headers }: RequestHead,
  events: { readonly onDrain: () => void; readonly onCut: () => void },
): Effect.Effect<Opened, Failure | OffsetMismatch, UploadServices> =>
  Effect.gen(function* () {
    const recording = yield* awaited(params["token"] ?? "")
    const given = headers["content-range"]
    const range = given === undefined ? null : uploadRangeOf(given)
    if (range === undefined) {
      return yield* new BadRequest({ detail: "Content-Range must be `bytes <first>-<last>/<size or *>`." })
    }
    const { sizeBytes } = recording
    if (sizeBytes !== null && range !== null && range.size !== null && range.size !== sizeBytes) {
      return yield* new BadRequest({ detail: `The recording was announced with ${sizeBytes} bytes.` })
    }
    const limit = yield* limitOf(recording)
    const offset = range?.start ?? null
    const left = limit - (offset ?? 0)
    if (Number(headers["content-length"] ?? 0) > left) return yield* new PayloadTooLarge({ limitBytes: limit })
    const storage = yield* MediaStorage
    const sink = yield* storage.upload(recording.storageKey, { offset, ...events })
    return { sink, left, limit }
  })

const offsetHeader = (offset: number): HttpResponse["headers"] => [[UPLOAD_OFFSET, String(offset)]]

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
    const upload = new Upload(exchange, this.#problems, () => {
      this.#open -= 1
    })
    this.#run(open(head, upload), (exit) => {
      if (Exit.isSuccess(exit)) upload.begin(exit.value)
      else upload.refuse(refusalOf(exit, this.#problems, head.requestId))
    })
  }
}

const NO_STORE = ["cache-control", "no-store"] as const

const refusalOf = (
  exit: Exit.Failure<unknown, Failure | OffsetMismatch>,
  problems: Problems,
  requestId: string,
): HttpResponse => {
  const failure = Exit.findErrorOption(exit)
  if (failure._tag === "None") return problems.internalError(requestId)
  if (!(failure.value instanceof OffsetMismatch)) return problems.of(failure.value)
  const { offset } = failure.value
  return problems.write("conflict", `The stored bytes end at ${offset}.`, offsetHeader(offset))
}

/** One `PUT` under way. Bytes that come before the storage is open are few, because the connection is paused. */
class Upload {
  readonly #exchange: Exchange
  readonly #problems: Problems
  readonly #onEnd: () => void
  readonly #early: Uint8Array[] = []
  #opened: Opened | undefined
  #received = 0
  #isWhole = false
  #isOver = false

  constructor(exchange: Exchange, problems: Problems, onEnd: () => void) {
    this.#exchange = exchange
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
      void opened.sink.abandon()
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
      this.refuse(this.#problems.of(new PayloadTooLarge({ limitBytes: opened.limit })))
      return
    }
    if (!opened.sink.write(chunk)) this.#exchange.pause()
  }

  #finish({ sink }: Opened): void {
    if (this.#isOver) return
    sink.finish().then(
      (size) => {
        this.#exchange.send({ status: 204, headers: [...offsetHeader(size), NO_STORE], body: "" })
        this.#end()
      },
      () => this.onCut(),
    )
  }

  /** The bytes that came are kept, so that another request can go on after them. */
  #abandon(): void {
    if (this.#isOver) return
    void this.#opened?.sink.abandon()
    this.#end()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnd()
  }
}
