/** The routes of media bytes. Their signed addresses are the credentials, so that pages on any origin may use them. */
import { Effect, Exit } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { Problems } from "../transport/problem.ts"
import type { StreamRoute } from "../transport/uws-http.ts"
import { captionsAt } from "./captions.ts"
import { type DownloadServices, Downloads } from "./download.ts"
import { refusalOf } from "./refusal.ts"
import { type UploadServices, Uploads } from "./upload.ts"

export interface MediaRouteOptions {
  /** At once. */
  readonly uploads: number
}

export const mediaRoutes = (
  problems: Problems,
  { uploads: most }: MediaRouteOptions,
): Effect.Effect<ReadonlyArray<StreamRoute>, never, UploadServices | DownloadServices | Telemetry> =>
  Effect.gen(function* () {
    const runWith = Effect.runCallbackWith(yield* Effect.context<UploadServices | DownloadServices>())
    const { log } = yield* Telemetry
    const run = <A, E>(
      effect: Effect.Effect<A, E, UploadServices | DownloadServices>,
      onExit: (exit: Exit.Exit<A, E>) => void,
    ) => {
      const logged = Effect.tapDefect(effect, (err) =>
        Effect.sync(() => log.error({ err }, "a request for media failed unexpectedly")),
      )
      runWith(logged, { onExit })
    }
    const uploads = new Uploads(run, problems, most)
    const downloads = new Downloads(run, problems, (err) => log.error({ err }, "media: a file could not be read"))
    const captions: StreamRoute["accept"] = (exchange, { params, requestId }) =>
      run(captionsAt(params["token"] ?? ""), (exit) => {
        exchange.send(Exit.isSuccess(exit) ? exit.value : refusalOf(exit, problems, requestId))
      })
    return [
      { method: "PUT", path: "/v1/media/uploads/:token", crossOrigin: true, accept: uploads.take },
      { method: "HEAD", path: "/v1/media/uploads/:token", crossOrigin: true, accept: uploads.look },
      { method: "GET", path: "/v1/media/recordings/:token", crossOrigin: true, accept: downloads.give("recording") },
      { method: "GET", path: "/v1/media/clips/:token", crossOrigin: true, accept: downloads.give("clip") },
      { method: "GET", path: "/v1/media/captions/:token", crossOrigin: true, accept: captions },
    ]
  })
