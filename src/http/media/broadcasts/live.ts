/**
 * HLS delivery of a live broadcast: playlists and media bytes. A playlist request is held while the playlist is too short to begin with or
 * lacks the requested part. Requests for a broadcast in memory are answered without waiting for anything else.
 */
import { Effect, Exit } from "effect"
import type { Timers } from "../../../clock/timers.ts"
import { type BearerLinks, LINK_ENDED } from "../../../identity/links/bearer-links.ts"
import { writeRecordingPlaylist } from "../../../media/broadcast/playlist.ts"
import { answerReload, isHinted, type ReloadQuery } from "../../../media/broadcast/reload.ts"
import type { MediaLinks } from "../../../media/links.ts"
import {
  type BytesFile,
  LIVE_NAMES,
  type LiveFile,
  liveFileOf,
  PART_MS,
  SEGMENTS_TO_START,
  STAGE_PLAYLIST,
} from "../../../media/live/live-settings.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
import type { WatchedBroadcast } from "../../../media/placed/watched-broadcast.ts"
import type { MediaStorage } from "../../../media/storage/storage.ts"
import { BadRequest, type Failure, NotFound, Unauthorized, Unavailable } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { storedSegments } from "../../../store/media/broadcasts.ts"
import type { Telemetry } from "../../../telemetry/telemetry.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { refusalResponse } from "../refusal.ts"
import { early, type HeldRequest, HeldRequests, tooManyHeld } from "./held-requests.ts"
import { cacheControl, sendPlaylist } from "./playlist-answer.ts"
import { StageViews } from "./stage.ts"
import { segmentHeaders, storedBytes } from "./stored-segments.ts"
import type { ViewerBytes } from "./viewer-bytes.ts"
import { expired, isHiddenFrom, type Watched, watchedBy } from "./watched.ts"

export type LiveServices = Database | LiveBroadcasts | MediaLinks | MediaStorage | Telemetry

type Run = <A, E>(effect: Effect.Effect<A, E, LiveServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** Maximum age of a whole playlist before it is rebuilt: its recording may have been deleted. */
const WHOLE_FOR_MS = 10_000

const notFound = NotFound.of("file of a broadcast")
const gone = new Unavailable({ detail: "The broadcast was closed; ask again.", retryAfterSeconds: 1 })
const badReload = BadRequest.ofParameter("_HLS_msn", "it and _HLS_part name a segment or part that is not next")

/** Maximum time for which viewers cache bytes: a live playlist names nothing older. */
const LIVE_SECONDS = 60
/** Maximum time for which a CDN serves content that was deleted or became private. */
const ENDED_SECONDS = 3600

const bytesHeaders = ({ visibility, live }: WatchedBroadcast) =>
  segmentHeaders(cacheControl(visibility, LIVE_SECONDS, live.hasEnded ? ENDED_SECONDS : undefined))

interface Given {
  readonly run: Run
  readonly problems: Problems
  readonly bytes: ViewerBytes
  readonly timers: Timers
  readonly broadcasts: LiveBroadcasts["Service"]
  readonly links: MediaLinks["Service"]
  readonly bearers: BearerLinks["Service"]
}

interface WholePlaylist {
  readonly madeAt: number
  readonly exit: Promise<Exit.Exit<Buffer, Failure>>
}

export class LiveViews {
  readonly #given: Given
  readonly #stage: StageViews
  readonly #held: HeldRequests
  /** Playlists of ended broadcasts, which all of their viewers request at once. */
  readonly #whole = new WeakMap<WatchedBroadcast, WholePlaylist>()

  constructor(given: Given) {
    this.#given = given
    this.#held = new HeldRequests(given.timers)
    this.#stage = new StageViews({ ...given, held: this.#held })
  }

  /** Handles `GET` and `HEAD`. */
  give = (exchange: Exchange, head: RequestHead): void => {
    const { name = "", key = "" } = head.params
    const isStage = name === STAGE_PLAYLIST
    const file = liveFileOf(name)
    const wanted = watchedBy(key, this.#given.links, this.#given.timers.now())
    if (file === undefined && !isStage) this.#refuse(exchange, notFound)
    else if (wanted instanceof Unauthorized) this.#refuse(exchange, wanted)
    else if (wanted.link === undefined || this.#given.bearers.isKnown(wanted.link)) {
      this.#giveWanted(exchange, head, wanted, file)
    } else {
      this.#given.run(this.#given.bearers.admit(wanted.link), (exit) => {
        if (Exit.isSuccess(exit)) this.#giveWanted(exchange, head, wanted, file)
        else exchange.send(refusalResponse(exit, this.#given.problems, head.requestId))
      })
    }
  }

  #giveWanted(exchange: Exchange, head: RequestHead, wanted: Watched, file: LiveFile | undefined): void {
    if (file === undefined) this.#stage.give(exchange, head, wanted)
    else this.#giveFile(exchange, head, wanted, file)
  }

  #giveFile(exchange: Exchange, head: RequestHead, wanted: Watched, file: LiveFile): void {
    const known = this.#given.broadcasts.peek(wanted.id)
    if (known !== undefined) {
      this.#answer(exchange, head, wanted, file, known)
      return
    }
    const opening = Effect.flatMap(LiveBroadcasts, ({ open }) => open(wanted.id))
    this.#given.run(opening, (exit) => {
      if (Exit.isSuccess(exit)) this.#answer(exchange, head, wanted, file, exit.value)
      else exchange.send(refusalResponse(exit, this.#given.problems, head.requestId))
    })
  }

  #answer(exchange: Exchange, head: RequestHead, wanted: Watched, file: LiveFile, open: WatchedBroadcast): void {
    if (isHiddenFrom(wanted, open.visibility)) this.#refuse(exchange, notFound)
    else if (wanted.isExpired && open.live.hasEnded) this.#refuse(exchange, expired)
    else if (file.kind === "playlist") this.#playlist(exchange, head, wanted, open)
    else this.#bytes(exchange, head, wanted, open, file)
  }

  #refuse(exchange: Exchange, failure: Failure): void {
    exchange.send(this.#given.problems.of(failure))
  }

  #playlist(exchange: Exchange, head: RequestHead, wanted: Watched, open: WatchedBroadcast): void {
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

  #hold(exchange: Exchange, head: RequestHead, wanted: Watched, open: WatchedBroadcast, query: ReloadQuery): void {
    this.#holdFor(exchange, wanted, open, {
      mayWait: () => answerOf(open, query) === "wait",
      answer: () => {
        if (answerOf(open, query) === "ready") this.#sendPlaylist(exchange, head, open)
        else this.#refuse(exchange, badReload)
      },
    })
  }

  #holdFor(
    exchange: Exchange,
    wanted: Watched,
    open: WatchedBroadcast,
    { mayWait, answer }: Pick<HeldRequest, "mayWait" | "answer">,
  ): void {
    if (this.#held.isFull) {
      this.#refuse(exchange, tooManyHeld)
      return
    }
    this.#held.hold(exchange, open.live.changes, {
      mayWait: () => mayWait() && !open.live.isClosed,
      answer: () => {
        const { link } = wanted
        if (open.live.isClosed) this.#refuse(exchange, gone)
        else if (link !== undefined && !this.#given.bearers.isKnown(link)) this.#refuse(exchange, LINK_ENDED)
        else if (isHiddenFrom(wanted, open.visibility)) this.#refuse(exchange, notFound)
        else answer()
      },
      tooLate: () => this.#refuse(exchange, early),
    })
  }

  #sendPlaylist(exchange: Exchange, head: RequestHead, open: WatchedBroadcast): void {
    if (open.live.hasEnded) {
      this.#ended(exchange, head, open)
      return
    }
    const { body, etag } = open.live.playlist
    sendPlaylist(exchange, head, { body, etag, maxAgeSeconds: 1 }, open.visibility)
  }

  /** The whole broadcast, from its first segment on. */
  #ended(exchange: Exchange, head: RequestHead, open: WatchedBroadcast): void {
    void this.#wholeOf(open).then((exit) => {
      if (Exit.isFailure(exit)) return exchange.send(refusalResponse(exit, this.#given.problems, head.requestId))
      const etag = `"${open.live.recordingId}-${exit.value.byteLength}"`
      return sendPlaylist(exchange, head, { body: exit.value, etag, maxAgeSeconds: 60 }, open.visibility)
    })
  }

  #wholeOf(open: WatchedBroadcast): Promise<Exit.Exit<Buffer, Failure>> {
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

  #bytes(exchange: Exchange, head: RequestHead, wanted: Watched, open: WatchedBroadcast, file: BytesFile): void {
    const { recordingId } = open.live
    const bytes = open.live.memory.file(file)
    if (bytes !== undefined) this.#given.bytes.give(exchange, bytesHeaders(open), bytes)
    else if (isAwaited(open, file)) {
      this.#holdFor(exchange, wanted, open, {
        mayWait: () => open.live.memory.file(file) === undefined && isAwaited(open, file),
        answer: () => this.#bytes(exchange, head, wanted, open, file),
      })
    } else if (recordingId === undefined) this.#refuse(exchange, notFound)
    else {
      this.#given.run(storedBytes(recordingId, file), (exit) => {
        if (Exit.isSuccess(exit)) this.#given.bytes.give(exchange, bytesHeaders(open), exit.value)
        else exchange.send(refusalResponse(exit, this.#given.problems, head.requestId))
      })
    }
  }
}

/** Whether the file is the part that the viewers' playlist announces as the next one. */
const isAwaited = ({ live: { state } }: WatchedBroadcast, file: BytesFile): boolean =>
  file.kind === "part" && state.nextSegment >= SEGMENTS_TO_START && isHinted(state, file.segment, file.index)

const wholePlaylist = ({ live: { recordingId } }: WatchedBroadcast): Effect.Effect<Buffer, Failure, Database> =>
  Effect.gen(function* () {
    if (recordingId === undefined) return yield* notFound
    const segments = yield* (yield* Database).run((sql) => storedSegments(sql, recordingId))
    if (segments.length === 0) return yield* notFound
    return Buffer.from(writeRecordingPlaylist(segments, { form: "names", ...LIVE_NAMES }))
  })

const answerOf = ({ live }: WatchedBroadcast, query: ReloadQuery): ReturnType<typeof answerReload> => {
  const { state } = live
  if (!state.hasEnded && state.nextSegment < SEGMENTS_TO_START) return "wait"
  return answerReload(state, query, PART_MS)
}
