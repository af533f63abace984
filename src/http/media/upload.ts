/**
 * Upload of a recording, whole or in parts, to a signed address. `PUT` of the whole without `Content-Range` starts over; with it, the
 * upload resumes where the stored bytes end, which `HEAD` answers. A refusal comes right after the request's head and closes the
 * connection, because the client would otherwise send all bytes before it reads an answer.
 */
import { Effect, Exit } from "effect"
import { type BearerLinks, LINK_ENDED } from "../../identity/links/bearer-links.ts"
import type { FairPlaces, PlaceHolder } from "../../media/fair-places.ts"
import type { CutReason, OffsetMismatch, UploadEvents } from "../../media/storage/storage.ts"
import { type Failure, Unavailable } from "../../model/errors.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import {
  CUTS,
  type OpenUpload,
  openPart,
  openWhole,
  RETRY_SECONDS,
  storedOffset,
  type UploadServices,
  workspaceOf,
} from "./open-upload.ts"
import { offsetHeader, refusalResponse } from "./refusal.ts"

type Run = <A, E>(effect: Effect.Effect<A, E, UploadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

const BUSY = new Unavailable({ detail: "Too many uploads at once.", retryAfterSeconds: RETRY_SECONDS })
const GAVE_WAY = new Unavailable({
  detail: "The upload was cut for another workspace; go on where the stored bytes end.",
  retryAfterSeconds: RETRY_SECONDS,
})

export class Uploads {
  readonly #run: Run
  readonly #problems: Problems
  readonly #places: FairPlaces
  readonly #links: BearerLinks["Service"]

  /** `places` holds the capacity for concurrent uploads. */
  constructor(run: Run, problems: Problems, places: FairPlaces, links: BearerLinks["Service"]) {
    this.#run = run
    this.#problems = problems
    this.#places = places
    this.#links = links
  }

  /** Handles `HEAD`: answers the offset at which to resume the upload. */
  look = (exchange: Exchange, { params, requestId }: RequestHead): void => {
    this.#run(storedOffset(params["token"] ?? ""), (exit) => {
      if (Exit.isSuccess(exit)) exchange.sendHead(200, [...offsetHeader(exit.value), NO_STORE], 0)
      else exchange.send(refusalResponse(exit, this.#problems, requestId))
    })
  }

  /** Handles `PUT` of the whole. */
  take = (exchange: Exchange, head: RequestHead): void =>
    this.#take(exchange, head, (events) => openWhole(head, events))

  /** Handles `PUT` of a part. */
  takePart = (exchange: Exchange, head: RequestHead): void =>
    this.#take(exchange, head, (events) => openPart(head, events))

  #take(
    exchange: Exchange,
    head: RequestHead,
    open: (events: UploadEvents) => Effect.Effect<OpenUpload, Failure | OffsetMismatch, UploadServices>,
  ): void {
    const { requestId } = head
    const upload = new Upload(exchange, requestId, this.#run, this.#problems, this.#places)
    const begin = (): void =>
      this.#run(open(upload), (exit) => {
        if (Exit.isSuccess(exit)) upload.begin(exit.value, this.#links)
        else upload.refuse(refusalResponse(exit, this.#problems, requestId))
      })
    this.#run(workspaceOf(head), (exit) => {
      if (Exit.isSuccess(exit)) upload.wait(exit.value, begin)
      else upload.refuse(refusalResponse(exit, this.#problems, requestId))
    })
  }
}

const NO_STORE = ["cache-control", "no-store"] as const

/** One active `PUT`. Few bytes arrive before the storage is open, because the connection is paused. */
class Upload implements UploadEvents {
  readonly #exchange: Exchange
  readonly #requestId: string
  readonly #run: Run
  readonly #problems: Problems
  readonly #places: FairPlaces
  readonly #early: Uint8Array[] = []
  #opened: OpenUpload | undefined
  #confirmLink: Effect.Effect<void, Failure> = Effect.void
  #release: (() => void) | undefined
  #received = 0
  #isWhole = false
  #isOver = false
  #place: PlaceHolder | undefined

  constructor(exchange: Exchange, requestId: string, run: Run, problems: Problems, places: FairPlaces) {
    this.#exchange = exchange
    this.#requestId = requestId
    this.#run = run
    this.#problems = problems
    this.#places = places
    exchange.receiveBorrowed((chunk, isLast) => {
      this.#isWhole = isLast
      if (this.#opened === undefined) {
        this.#early.push(chunk.slice())
        return
      }
      this.#write(this.#opened, chunk)
      if (isLast) this.#finish(this.#opened)
    })
    exchange.pause()
    exchange.whenAborted(() => this.#abandon())
  }

  /** Calls `begin` when the upload gets capacity, shared fairly between workspaces. */
  wait(workspaceId: string, begin: () => void): void {
    if (this.#isOver) return
    const cut = (): void => this.refuse(this.#problems.of(GAVE_WAY))
    this.#place = { workspaceId, cut, bytes: () => this.#received }
    this.#places.take(this.#place, (isMine) => {
      if (isMine) begin()
      else this.refuse(this.#problems.of(BUSY))
    })
  }

  onDrain = (): void => this.#exchange.resume()

  /** Called when a newer request took over the upload, or the disk refuses bytes. */
  onCut = (reason: CutReason): void => this.refuse(this.#problems.of(CUTS[reason]))

  begin(opened: OpenUpload, links: BearerLinks["Service"]): void {
    if (this.#isOver) {
      this.#keep(opened)
      return
    }
    this.#opened = opened
    if (opened.link !== undefined) {
      this.#release = links.open(opened.link, () => this.refuse(this.#problems.of(LINK_ENDED)))
      this.#confirmLink = links.confirm(opened.link)
    }
    // The engine would close a connection that is resumed and silent while a slow disk writes a body that has already arrived.
    if (!this.#isWhole) this.#exchange.resume()
    for (const chunk of this.#early.splice(0)) this.#write(opened, chunk)
    if (this.#isWhole) this.#finish(opened)
  }

  refuse(response: HttpResponse): void {
    this.#exchange.refuse(response)
    this.#abandon()
  }

  #write(opened: OpenUpload, chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#received += chunk.byteLength
    if (this.#received > opened.left) {
      this.#exchange.refuse(this.#problems.of(opened.refusal))
      this.#run(opened.overflow, () => {})
      this.#end()
      return
    }
    if (!opened.write(chunk)) this.#exchange.pause()
  }

  #finish({ finish }: OpenUpload): void {
    if (this.#isOver) return
    this.#run(this.#confirmLink, (confirmed) => {
      if (this.#isOver) return
      if (Exit.isFailure(confirmed)) this.refuse(refusalResponse(confirmed, this.#problems, this.#requestId))
      else this.#complete(finish)
    })
  }

  #complete(finish: OpenUpload["finish"]): void {
    this.#run(finish, (exit) => {
      if (Exit.isFailure(exit)) return this.refuse(refusalResponse(exit, this.#problems, this.#requestId))
      this.#exchange.send({ status: 204, headers: [...exit.value, NO_STORE], body: "" })
      return this.#end()
    })
  }

  #abandon(): void {
    if (this.#isOver) return
    if (this.#opened !== undefined) this.#keep(this.#opened)
    this.#end()
  }

  #keep({ abandon }: OpenUpload): void {
    this.#run(abandon, () => {})
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release?.()
    if (this.#place !== undefined) this.#places.leave(this.#place)
  }
}
