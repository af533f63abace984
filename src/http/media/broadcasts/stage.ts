/**
 * Playlist of a broadcast made by the media server. It is rebuilt at most once a second for all viewers, who fetch its segments directly
 * from the bucket.
 */
import { createHash } from "node:crypto"
import { type Effect, Exit } from "effect"
import { LRUCache } from "lru-cache"
import { every, type Timers } from "../../../clock/timers.ts"
import { BuildTurns } from "../../../media/stage/build-turns.ts"
import { type StagePlaylist, stagePlaylist } from "../../../media/stage/stage-broadcasts.ts"
import type { MediaStorage } from "../../../media/storage/storage.ts"
import { type Failure, NotFound, Unavailable } from "../../../model/errors.ts"
import type { Database } from "../../../store/database.ts"
import type { Telemetry } from "../../../telemetry/telemetry.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { refusalResponse } from "../refusal.ts"
import { early, type HeldRequests, tooManyHeld } from "./held-requests.ts"
import { sendPlaylist, type TaggedPlaylist } from "./playlist-answer.ts"
import { expired, isHiddenFrom, type Watched } from "./watched.ts"

type Services = Database | MediaStorage | Telemetry
type Run = <A, E>(effect: Effect.Effect<A, E, Services>, onExit: (exit: Exit.Exit<A, E>) => void) => void

/** Maximum age of a playlist, and the polling interval of viewers that wait for the first segment. */
const FRESH_MS = 1000
/** Maximum age of a whole playlist before it is rebuilt: its recordings may have been deleted. */
const WHOLE_FOR_MS = 10_000
/**
 * Maximum number of playlists being built, because anybody may request any id. Above it, viewers of a broadcast get its last playlist
 * again.
 */
const MOST_MAKING = 32
const MOST_KEPT = 256
const MOST_KEPT_BYTES = 64 * 1024 ** 2

const notFound = NotFound.of("file of a broadcast")
const busy = new Unavailable({ detail: "Too many broadcasts are asked for at once.", retryAfterSeconds: 1 })

interface Ready {
  readonly made: StagePlaylist
  /** `undefined` while nothing has arrived. */
  readonly playlist: TaggedPlaylist | undefined
}

interface Making {
  /** Expiry in milliseconds of `Timers.elapsed`. */
  readonly until: number
  readonly exit: Promise<Exit.Exit<Ready, Failure>>
  /** Size of the playlist; at least 1. */
  readonly bytes: number
}

const isUnknown = (exit: Exit.Exit<Ready, Failure>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof NotFound)

/** The text of an ended broadcast is long, so its edition identifies it. */
const etagOf = ({ body, edition }: StagePlaylist): string =>
  `"${createHash("sha256")
    .update(edition ?? body ?? "")
    .digest("base64url")}"`

const readyOf = (made: StagePlaylist): Ready => ({
  made,
  playlist: made.body && {
    body: made.body,
    etag: etagOf(made),
    maxAgeSeconds: made.isOver && made.incomplete.length === 0 ? 60 : 1,
  },
})

interface Given {
  readonly run: Run
  readonly problems: Problems
  readonly timers: Timers
  readonly held: HeldRequests
}

export class StageViews {
  readonly #run: Run
  readonly #problems: Problems
  readonly #timers: Timers
  readonly #held: HeldRequests
  readonly #made = new LRUCache<string, Making>({
    max: MOST_KEPT,
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  #making = 0
  readonly #turns = new BuildTurns()

  constructor({ run, problems, timers, held }: Given) {
    this.#run = run
    this.#problems = problems
    this.#timers = timers
    this.#held = held
  }

  give(exchange: Exchange, head: RequestHead, watched: Watched): void {
    void this.#playlistOf(watched.id).then((first) => {
      let latest = first
      const mayWait = (): boolean =>
        Exit.isSuccess(latest) &&
        latest.value.playlist === undefined &&
        latest.value.made.mayCome &&
        !isHiddenFrom(watched, latest.value.made.visibility)
      const answer = (): void => this.#answer(exchange, head, watched, latest)
      if (exchange.aborted) return
      if (!mayWait()) answer()
      else if (this.#held.isFull) exchange.send(this.#problems.of(tooManyHeld))
      else {
        const subscribe = (look: () => void) =>
          every(this.#timers, FRESH_MS, () => {
            void this.#playlistOf(watched.id).then((exit) => {
              latest = exit
              look()
            })
          })
        this.#held.hold(exchange, { subscribe }, { mayWait, answer, tooLate: answer })
      }
    })
  }

  #answer(exchange: Exchange, head: RequestHead, watched: Watched, exit: Exit.Exit<Ready, Failure>): void {
    if (Exit.isFailure(exit)) {
      exchange.send(refusalResponse(exit, this.#problems, head.requestId))
      return
    }
    const { playlist, made } = exit.value
    if (isHiddenFrom(watched, made.visibility)) exchange.send(this.#problems.of(notFound))
    else if (watched.isExpired && made.isOver) exchange.send(this.#problems.of(expired))
    else if (playlist !== undefined) sendPlaylist(exchange, head, playlist, made.visibility)
    else exchange.send(this.#problems.of(made.mayCome ? early : notFound))
  }

  #playlistOf(id: string): Promise<Exit.Exit<Ready, Failure>> {
    const now = this.#timers.elapsed()
    const known = this.#made.get(id)
    if (known !== undefined && now < known.until) return known.exit
    if (this.#making >= MOST_MAKING) return known?.exit ?? Promise.resolve(Exit.fail(busy))
    this.#making += 1
    const ready = this.#make(id, known).then((exit) => {
      this.#making -= 1
      // Unknown ids would evict the ids that are watched.
      if (isUnknown(exit)) {
        this.#made.delete(id)
        return exit
      }
      const made = Exit.isSuccess(exit) ? exit.value.made : undefined
      const forMs = made?.isOver === true ? WHOLE_FOR_MS : FRESH_MS
      const bytes = Math.max(1, made?.body?.byteLength ?? 1)
      this.#made.set(id, { until: this.#timers.elapsed() + forMs, exit: ready, bytes })
      return exit
    })
    this.#made.set(id, { until: Number.POSITIVE_INFINITY, exit: ready, bytes: 1 })
    return ready
  }

  async #make(id: string, last: Making | undefined): Promise<Exit.Exit<Ready, Failure>> {
    const before = last === undefined ? undefined : await last.exit
    const known = before !== undefined && Exit.isSuccess(before) ? before.value.made : undefined
    const made = await new Promise<Exit.Exit<StagePlaylist, Failure>>((resolve) =>
      this.#run(stagePlaylist(id, this.#turns, known), resolve),
    )
    return Exit.map(made, readyOf)
  }
}
