/** The recording of a broadcast: a playlist over the files of its takes, and the files. */
import { Effect, Exit } from "effect"
import { writeRecordingPlaylist } from "../../media/broadcast/playlist.ts"
import { type Failure, NotFound } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { storedSegments, takesOf } from "../../store/media/broadcasts.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"
import type { Exchange, RequestHead } from "../transport/uws-exchange.ts"
import { type DownloadServices, type Downloads, readyAsset } from "./download.ts"
import { refusalOf } from "./refusal.ts"

type Run = <A, E>(effect: Effect.Effect<A, E, DownloadServices>, onExit: (exit: Exit.Exit<A, E>) => void) => void

const TAKE = /^take(\d{1,9})\.mp4$/

const HEADERS: HttpResponse["headers"] = [
  ["content-type", "application/vnd.apple.mpegurl"],
  ["cache-control", "private, max-age=3600"],
]

const notFound = NotFound.of("file of a recording")

const playlistOf = (token: string): Effect.Effect<string, Failure, DownloadServices> =>
  Effect.gen(function* () {
    const { asset } = yield* readyAsset(token, ["play"], "recording")
    const database = yield* Database
    const [takes, segments] = yield* database.run((sql) =>
      Promise.all([takesOf(sql, asset.id), storedSegments(sql, asset.id)]),
    )
    if (segments.length === 0) return yield* notFound
    const sizes = new Map(takes.map(({ number, init }) => [number, init.byteLength]))
    return writeRecordingPlaylist(segments, {
      form: "ranges",
      file: (take) => `take${take}.mp4`,
      initBytes: (take) => sizes.get(take) ?? 0,
    })
  })

/** `GET` and `HEAD`. */
export const recordedFiles =
  (run: Run, problems: Problems, downloads: Downloads) =>
  (exchange: Exchange, head: RequestHead): void => {
    const { token = "", name = "" } = head.params
    const take = TAKE.exec(name)?.[1]
    if (take !== undefined) downloads.giveTake(exchange, head, Number(take))
    else if (name !== "index.m3u8") exchange.send(problems.of(notFound))
    else {
      run(playlistOf(token), (exit) => {
        if (Exit.isFailure(exit)) exchange.send(refusalOf(exit, problems, head.requestId))
        else exchange.send({ status: 200, headers: HEADERS, body: exit.value })
      })
    }
  }
