/** Recording of a broadcast: a playlist, its segments, and the files of its takes. */
import { Effect, Exit } from "effect"
import { writeRecordingPlaylist } from "../../../media/broadcast/playlist.ts"
import { LIVE_NAMES, type LiveFile, liveFileOf } from "../../../media/live/live-settings.ts"
import { type Failure, NotFound } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { storedSegments } from "../../../store/media/broadcasts.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { type DownloadServices, type Downloads, readyAsset } from "../download.ts"
import { refusalResponse } from "../refusal.ts"
import { segmentHeaders, storedBytes } from "./stored-segments.ts"
import type { Stretch, ViewerBytes } from "./viewer-bytes.ts"

type Run = <A, E>(effect: Effect.Effect<A, E, DownloadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

const TAKE = /^take(\d{1,9})\.mp4$/

const KEPT = "private, max-age=3600"

const PLAYLIST_HEADERS: HttpResponse["headers"] = [
  ["content-type", "application/vnd.apple.mpegurl"],
  ["cache-control", KEPT],
]

const notFound = NotFound.of("file of a recording")

/** Segments have addresses of their own: Chromium's player does not start a playlist of byte ranges. */
const playlistOf = (recordingId: string): Effect.Effect<Uint8Array, Failure, Database> =>
  Effect.gen(function* () {
    const segments = yield* (yield* Database).run((sql) => storedSegments(sql, recordingId))
    if (segments.length === 0) return yield* notFound
    return Buffer.from(writeRecordingPlaylist(segments, { form: "names", ...LIVE_NAMES }))
  })

const read = (token: string, file: LiveFile): Effect.Effect<Uint8Array | Stretch, Failure, DownloadServices> =>
  Effect.flatMap(readyAsset(token, ["play"], "recording"), ({ asset }) =>
    file.kind === "playlist" ? playlistOf(asset.id) : storedBytes(asset.id, file),
  )

/** Handles `GET` and `HEAD`. */
export const recordedFiles =
  (run: Run, problems: Problems, downloads: Downloads, bytes: ViewerBytes) =>
  (exchange: Exchange, head: RequestHead): void => {
    const { token = "", name = "" } = head.params
    const take = TAKE.exec(name)?.[1]
    const file = liveFileOf(name)
    if (take !== undefined) downloads.giveTake(exchange, head, Number(take))
    else if (file === undefined) exchange.send(problems.of(notFound))
    else {
      run(read(token, file), (exit) => {
        if (Exit.isFailure(exit)) exchange.send(refusalResponse(exit, problems, head.requestId))
        else bytes.give(exchange, file.kind === "playlist" ? PLAYLIST_HEADERS : segmentHeaders(KEPT), exit.value)
      })
    }
  }
