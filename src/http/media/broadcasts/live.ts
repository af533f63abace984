/**
 * A broadcast for its viewers: playlists and bytes of HLS. A playlist that is too short to begin with, or that the player wants to
 * have a certain part, is held until it is there. Requests for a broadcast that is in memory are answered without waiting for anything else.
 */
import { Effect, Exit } from "effect"
import type { Cancel, Timers } from "../../../clock/timers.ts"
import { writeRecordingPlaylist } from "../../../media/broadcast/playlist.ts"
import { answerReload, type ReloadQuery } from "../../../media/broadcast/reload.ts"
import type { MediaLinks } from "../../../media/links.ts"
import { LiveBroadcasts } from "../../../media/live/live-broadcasts.ts"
import { LIVE_NAMES, type LiveFile, liveFileOf, PART_MS, SEGMENTS_TO_START } from "../../../media/live/live-settings.ts"
import type { OpenBroadcast } from "../../../media/live/open-broadcasts.ts"
import type { MediaStorage } from "../../../media/storage/storage.ts"
import { BadRequest, type Failure, NotFound, Unauthorized, Unavailable } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { storedSegments } from "../../../store/media/broadcasts.ts"
import { namesTag } from "../../transport/etag.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { refusalOf } from "../refusal.ts"
import { segmentHeaders, storedBytes } from "./stored-segments.ts"

export type LiveServices = Database | LiveBroadcasts | MediaLinks | MediaStorage

type Run = <A, E>(effect: Effect.Effect<A, E, LiveServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** A request is held so long; players and proxies wait longer. */
const HOLD_MS = 15_000
/** A whole playlist is made anew after so long: its recording may have been deleted. */
const WHOLE_FOR_MS = 10_000
/** Requests that are held at once. */
const MOST_HELD = 20_000

const notFound = NotFound.of("file of a broadcast")
const early = new Unavailable({ detail: "The broadcast has not begun to arrive.", retryAfterSeconds: 2 })
const gone = new Unavailable({ detail: "The broadcast was closed; ask again.", retryAfterSeconds: 1 })
const tooMany = new Unavailable({ detail: "Too many players wait for this server.", retryAfterSeconds: 2 })
const badReload = new BadRequest({ detail: "_HLS_msn and _HLS_part name a segment or part that is not next." })

const PLAYLIST = "application/vnd.apple.mpegurl"
/** As the server writes it: the database reads other spellings of the same id, too. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const playlistHeaders = (etag: string, maxAge: number): HttpResponse["headers"] => [
  ["content-type", PLAYLIST],
  ["cache-control", `public, max-age=${maxAge}`],
  ["etag", etag],
]

const BYTES_HEADERS = segmentHeaders("public")

interface Given {
  readonly run: Run
  readonly problems: Problems
  readonly timers: Timers
  readonly broadcasts: LiveBroadcasts["Service"]
  readonly links: MediaLinks["Service"]
}

interface WholePlaylist {
  readonly madeAt: number
  readonly exit: Promise<Exit.Exit<Buffer, Failure>>
}

type Wanted = { readonly id: string; readonly isSigned: boolean }

export class LiveViews {
  readonly #given: Given
  #held = 0
  /** Of broadcasts that have ended: all of their viewers ask for it at once. */
  readonly #whole = new WeakMap<OpenBroadcast, WholePlaylist>()

  constructor(given: Given) {
    this.#given = given
  }

  /** `GET` and `HEAD`. */
  give = (exchange: Exchange, head: RequestHead): void => {
    const file = liveFileOf(head.params["name"] ?? "")
    const wanted = this.#wanted(head.params["key"] ?? "")
    if (file === undefined || wanted instanceof Unauthorized) {
      exchange.send(this.#given.problems.of(file === undefined ? notFound : (wanted as Unauthorized)))
      return
    }
    const known = this.#given.broadcasts.peek(wanted.id)
    if (known !== undefined) {
      this.#answer(exchange, head, wanted, file, known)
      return
    }
    const opening = Effect.flatMap(LiveBroadcasts, ({ open }) => open(wanted.id))
    this.#given.run(opening, (exit) => {
      if (Exit.isSuccess(exit)) this.#answer(exchange, head, wanted, file, exit.value)
      else exchange.send(refusalOf(exit, this.#given.problems, head.requestId))
    })
  }

  /** A bare id, or a signed address of a private event's broadcast. */
  #wanted(key: string): Wanted | Unauthorized {
    if (ID.test(key)) return { id: key, isSigned: false }
    const link = this.#given.links.verify(key, this.#given.timers.now())
    if (link === "expired") return new Unauthorized({ detail: "The address has expired." })
    if (link === "altered" || link.kind !== "broadcast" || link.use !== "play") {
      return new Unauthorized({ detail: "The address is not valid." })
    }
    return { id: link.id, isSigned: true }
  }

  #answer(exchange: Exchange, head: RequestHead, wanted: Wanted, file: LiveFile, open: OpenBroadcast): void {
    if (isHidden(wanted, open)) this.#refuse(exchange, notFound)
    else if (file.kind === "playlist") this.#playlist(exchange, head, wanted, open)
    else this.#bytes(exchange, head, file, open)
  }

  #refuse(exchange: Exchange, failure: Failure): void {
    exchange.send(this.#given.problems.of(failure))
  }

  #playlist(exchange: Exchange, head: RequestHead, wanted: Wanted, open: OpenBroadcast): void {
    const values = new URLSearchParams(head.query)
    const query: ReloadQuery = {
      msn: values.get("_HLS_msn") ?? undefined,
      part: values.get("_HLS_part") ?? undefined,
    }
    const answer = answerOf(open, query)
    if (answer === "ready") this.#sendPlaylist(exchange, head, open)
    else if (answer === "invalid") this.#refuse(exchange, badReload)
    else this.#hold(exchange, head, wanted, open, query)
  }

  #hold(exchange: Exchange, head: RequestHead, wanted: Wanted, open: OpenBroadcast, query: ReloadQuery): void {
    if (this.#held >= MOST_HELD) {
      this.#refuse(exchange, tooMany)
      return
    }
    this.#held += 1
    let stopTime: Cancel
    let isHeld = true
    // A client may also go while its answer is made or sent.
    const leave = (): void => {
      if (!isHeld) return
      isHeld = false
      this.#held -= 1
      silence()
      stopTime()
    }
    const silence = open.live.changes.subscribe(() => {
      const answer = answerOf(open, query)
      if (answer === "wait" && !open.live.isClosed) return
      leave()
      if (open.live.isClosed) this.#refuse(exchange, gone)
      else if (isHidden(wanted, open)) this.#refuse(exchange, notFound)
      else if (answer === "ready") this.#sendPlaylist(exchange, head, open)
      else this.#refuse(exchange, badReload)
    })
    stopTime = this.#given.timers.after(HOLD_MS, () => {
      leave()
      this.#refuse(exchange, early)
    })
    exchange.whenAborted(leave)
  }

  #sendPlaylist(exchange: Exchange, head: RequestHead, open: OpenBroadcast): void {
    if (open.live.hasEnded) {
      this.#ended(exchange, head, open)
      return
    }
    const { body, etag } = open.live.playlist
    sendTagged(exchange, head, body, playlistHeaders(etag, 1), etag)
  }

  /** The whole broadcast, from its first segment on. */
  #ended(exchange: Exchange, head: RequestHead, open: OpenBroadcast): void {
    void this.#wholeOf(open).then((exit) => {
      if (Exit.isFailure(exit)) return exchange.send(refusalOf(exit, this.#given.problems, head.requestId))
      const etag = `"${open.live.recordingId}-${exit.value.byteLength}"`
      return sendTagged(exchange, head, exit.value, playlistHeaders(etag, 60), etag)
    })
  }

  #wholeOf(open: OpenBroadcast): Promise<Exit.Exit<Buffer, Failure>> {
    const now = this.#given.timers.elapsed()
    const known = this.#whole.get(open)
    if (known !== undefined && now - known.madeAt < WHOLE_FOR_MS) return known.exit
    const exit = new Promise<Exit.Exit<Buffer, Failure>>((resolve) => this.#given.run(wholePlaylist(open), resolve))
    this.#whole.set(open, { madeAt: now, exit })
    void exit.then((made) => {
      if (Exit.isFailure(made)) this.#whole.delete(open)
    })
    return exit
  }

  #bytes(
    exchange: Exchange,
    head: RequestHead,
    file: Exclude<LiveFile, { kind: "playlist" }>,
    { live }: OpenBroadcast,
  ): void {
    const { memory, recordingId } = live
    const bytes = memory.file(file)
    if (bytes !== undefined) exchange.sendBytes(200, BYTES_HEADERS, bytes)
    else if (recordingId === undefined) this.#refuse(exchange, notFound)
    else {
      this.#given.run(storedBytes(recordingId, file), (exit) => {
        if (Exit.isSuccess(exit)) exchange.sendBytes(200, BYTES_HEADERS, exit.value)
        else exchange.send(refusalOf(exit, this.#given.problems, head.requestId))
      })
    }
  }
}

const wholePlaylist = ({ live: { recordingId } }: OpenBroadcast): Effect.Effect<Buffer, Failure, Database> =>
  Effect.gen(function* () {
    if (recordingId === undefined) return yield* notFound
    const segments = yield* (yield* Database).run((sql) => storedSegments(sql, recordingId))
    if (segments.length === 0) return yield* notFound
    return Buffer.from(writeRecordingPlaylist(segments, { form: "names", ...LIVE_NAMES }))
  })

const isHidden = ({ isSigned }: Wanted, { visibility }: OpenBroadcast): boolean => !isSigned && visibility === "private"

const answerOf = ({ live }: OpenBroadcast, query: ReloadQuery): ReturnType<typeof answerReload> => {
  const { state } = live
  if (!state.hasEnded && state.nextSegment < SEGMENTS_TO_START) return "wait"
  return answerReload(state, query, PART_MS)
}

const sendTagged = (
  exchange: Exchange,
  head: RequestHead,
  body: Uint8Array,
  headers: HttpResponse["headers"],
  etag: string,
): void => {
  if (namesTag(head.headers["if-none-match"], etag)) exchange.send({ status: 304, headers, body: "" })
  else exchange.sendBytes(200, headers, body)
}
