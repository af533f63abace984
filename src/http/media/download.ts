/** Playback and download of media at signed addresses: ranges, validators, and one file handle for each response. */
import { Effect, Exit } from "effect"
import type { BearerLinks } from "../../identity/links/bearer-links.ts"
import type { LinkUse, MediaLinks } from "../../media/links.ts"
import { MediaStorage, type StoredFile } from "../../media/storage/storage.ts"
import { type Failure, NotFound, type Unavailable } from "../../model/errors.ts"
import type { StoredRecording } from "../../model/media/recording.ts"
import { percentEncoded } from "../../model/text/percent-encoded.ts"
import { toMillis } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { takesOf } from "../../store/media/broadcasts.ts"
import { findClip } from "../../store/media/clips.ts"
import { findDerivation } from "../../store/media/derivations.ts"
import { findRecording } from "../../store/media/recordings.ts"
import { namesTag } from "../transport/etag.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import { piecesOf } from "./pieces.ts"
import { rangeOf } from "./ranges.ts"
import { refusalResponse } from "./refusal.ts"
import { requireVisible, validLink } from "./valid-link.ts"

export type DownloadServices = BearerLinks | Database | MediaLinks | MediaStorage

type Run = <A, E>(effect: Effect.Effect<A, E, DownloadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** A recording or a clip. */
type Asset = Pick<StoredRecording, "id" | "eventId" | "title" | "contentType" | "sha256" | "createdAt"> & {
  readonly status: string
  readonly storageKey: string | null
}

type DownloadKind = "recording" | "clip" | "derivation"

interface Opened {
  readonly file: StoredFile
  readonly asset: Asset
  readonly use: LinkUse
}

const FIND: { readonly [K in DownloadKind]: (sql: Queryable, id: string) => Promise<Asset | undefined> } = {
  recording: findRecording,
  clip: findClip,
  derivation: findDerivation,
}

const open = (
  token: string,
  kind: DownloadKind,
  take: number | undefined,
): Effect.Effect<Opened, Failure, DownloadServices> =>
  Effect.gen(function* () {
    const { use, asset } = yield* readyAsset(token, ["play", "download"], kind)
    const key = take === undefined ? asset.storageKey : yield* keyOfTake(asset.id, take)
    const file = key === null ? null : yield* (yield* MediaStorage).open(key)
    if (file === null) return yield* NotFound.of(kind)
    return { file, asset: take === undefined ? asset : { ...asset, id: `${asset.id}-${take}`, sha256: null }, use }
  })

/** The asset of an address, if it is ready and visible to the caller. */
export const readyAsset = (
  token: string,
  uses: ReadonlyArray<LinkUse>,
  kind: DownloadKind,
): Effect.Effect<{ readonly use: LinkUse; readonly asset: Asset }, Failure, BearerLinks | Database | MediaLinks> =>
  Effect.gen(function* () {
    const { id, use, audience } = yield* validLink(token, uses, kind)
    const asset = yield* (yield* Database).run((sql) => FIND[kind](sql, id))
    if (asset === undefined || asset.status !== "ready") return yield* NotFound.of(kind)
    yield* requireVisible(audience, asset.eventId, kind)
    return { use, asset }
  })

/** Storage key of a take; null when the recording has no such take. */
const keyOfTake = (recordingId: string, number: number): Effect.Effect<string | null, Unavailable, Database> =>
  Effect.gen(function* () {
    const takes = yield* (yield* Database).run((sql) => takesOf(sql, recordingId))
    return takes.find((take) => take.number === number)?.storageKey ?? null
  })

/** The tag is constant, because the bytes of an asset never change. */
const etagOf = ({ sha256, id }: Asset): string =>
  `"${sha256 === null ? id : Buffer.from(sha256).toString("hex").slice(0, 32)}"`

const EXTENSIONS: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "audio/mp4": "m4a",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "audio/webm": "webm",
  "video/x-matroska": "mkv",
  "audio/x-matroska": "mka",
  "video/mp2t": "ts",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/aac": "aac",
  "image/jpeg": "jpg",
  "application/json": "json",
}

const typeOf = ({ contentType }: Asset): string => contentType ?? "application/octet-stream"

const dispositionOf = ({ asset, use }: Opened): string => {
  const name = `${asset.title ?? asset.id}.${EXTENSIONS[typeOf(asset)] ?? "bin"}`
  // Extended parameter value of RFC 8187.
  return `${use === "download" ? "attachment" : "inline"}; filename*=UTF-8''${percentEncoded(name)}`
}

const CACHED = ["cache-control", "private, max-age=3600"] as const

const headersOf = (opened: Opened): HttpResponse["headers"] => {
  const { asset } = opened
  return [
    ["content-type", typeOf(asset)],
    ["content-disposition", dispositionOf(opened)],
    ["content-security-policy", "sandbox"],
    ["accept-ranges", "bytes"],
    CACHED,
    ["etag", etagOf(asset)],
    ["last-modified", new Date(toMillis(asset.createdAt)).toUTCString()],
  ]
}

/** Redirects the client to the storage, which serves the bytes and their ranges. */
const redirection = (
  { method }: RequestHead,
  opened: Opened,
  addressFor: NonNullable<StoredFile["addressFor"]>,
): HttpResponse => {
  const location = addressFor({
    method: method === "HEAD" ? "HEAD" : "GET",
    contentType: typeOf(opened.asset),
    disposition: dispositionOf(opened),
  })
  return { status: 302, headers: [["location", location], CACHED], body: "" }
}

/** Returns no range when `If-Range` has another validator: the client has other bytes, and gets the whole. */
const wantedRange = ({ headers }: RequestHead, etag: string): string | undefined => {
  const condition = headers["if-range"]
  return condition === undefined || condition.trim() === etag ? headers["range"] : undefined
}

export class Downloads {
  readonly #run: Run
  readonly #problems: Problems

  readonly #failed: (cause: unknown) => void

  /** `failed` gets disk errors in the middle of an answer. */
  constructor(run: Run, problems: Problems, failed: (cause: unknown) => void) {
    this.#run = run
    this.#problems = problems
    this.#failed = failed
  }

  /** Handles `GET` and `HEAD`. */
  give =
    (kind: DownloadKind) =>
    (exchange: Exchange, head: RequestHead): void =>
      this.#give(exchange, head, kind, undefined)

  /** Sends a file of a broadcast's recording. */
  giveTake = (exchange: Exchange, head: RequestHead, take: number): void =>
    this.#give(exchange, head, "recording", take)

  #give(exchange: Exchange, head: RequestHead, kind: DownloadKind, take: number | undefined): void {
    this.#run(open(head.params["token"] ?? "", kind, take), (exit) => {
      if (Exit.isFailure(exit)) return exchange.send(refusalResponse(exit, this.#problems, head.requestId))
      const { close } = exit.value.file
      return void this.#answer(exchange, head, exit.value).finally(close).catch(this.#failed)
    })
  }

  async #answer(exchange: Exchange, head: RequestHead, opened: Opened): Promise<void> {
    const { size } = opened.file
    const headers = headersOf(opened)
    const etag = etagOf(opened.asset)
    if (head.headers["if-match"] !== undefined && !namesTag(head.headers["if-match"], etag)) {
      return exchange.send({ status: 412, headers, body: "" })
    }
    if (namesTag(head.headers["if-none-match"], etag)) return exchange.send({ status: 304, headers, body: "" })
    const { addressFor } = opened.file
    if (addressFor !== undefined) return exchange.send(redirection(head, opened, addressFor))
    const range = rangeOf(wantedRange(head, etag), size)
    if (range === "unsatisfiable") {
      return exchange.send({ status: 416, headers: [["content-range", `bytes */${size}`]], body: "" })
    }
    const { start, end } = range === "whole" ? { start: 0, end: size } : range
    const partial: HttpResponse["headers"] =
      range === "whole" ? [] : [["content-range", `bytes ${start}-${end - 1}/${size}`]]
    const status = range === "whole" ? 200 : 206
    const length = end - start
    return exchange.sendStream(status, [...headers, ...partial], length, piecesOf(opened.file, start, length))
  }
}
