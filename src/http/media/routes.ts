/** The routes of media bytes. Their signed addresses are the credentials, so that pages on any origin may use them. */
import { Effect, Exit } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { BearerLinks } from "../../identity/links/bearer-links.ts"
import { FairPlaces } from "../../media/fair-places.ts"
import { MediaLinks } from "../../media/links.ts"
import { LiveBroadcasts } from "../../media/placed/live-broadcasts.ts"
import { EncoderServer } from "../../media/rooms/encoder-sessions.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { Problems } from "../transport/problem.ts"
import type { PlainRoute, StreamRoute } from "../transport/uws-http.ts"
import { encoderRoutes } from "./broadcasts/encoder-routes.ts"
import { type LiveServices, LiveViews } from "./broadcasts/live.ts"
import { recordedFiles } from "./broadcasts/recorded.ts"
import { ViewerBytes } from "./broadcasts/viewer-bytes.ts"
import { captionsAt } from "./captions.ts"
import { type DownloadServices, Downloads } from "./download.ts"
import { mediaServerWebhook, type WebhookServices } from "./media-server-webhook.ts"
import type { UploadServices } from "./open-upload.ts"
import { refusalResponse } from "./refusal.ts"
import { Uploads } from "./upload.ts"

export interface MediaRouteOptions {
  /** Maximum number of concurrent uploads. */
  readonly uploads: number
}

type MediaServices = UploadServices | DownloadServices | LiveServices | WebhookServices

export const mediaRoutes = (
  problems: Problems,
  { uploads: most }: MediaRouteOptions,
): Effect.Effect<ReadonlyArray<PlainRoute | StreamRoute>, never, MediaServices | Telemetry> =>
  Effect.gen(function* () {
    const runWith = Effect.runCallbackWith(yield* Effect.context<MediaServices>())
    const { log, metrics, sample, shares } = yield* Telemetry
    const run = <A, E>(effect: Effect.Effect<A, E, MediaServices>, onExit: (exit: Exit.Exit<A, E>) => void) => {
      const logged = Effect.tapDefect(effect, (err) =>
        Effect.sync(() => log.error({ err }, "a request for media failed unexpectedly")),
      )
      runWith(logged, { onExit })
    }
    const bearers = yield* BearerLinks
    const timers = yield* currentTimers
    const places = new FairPlaces({ most, timers })
    const uploads = new Uploads(run, problems, places, bearers)
    sample(() => metrics.uploads.set(places.taken))
    shares.from("uploads", () => places.byWorkspace())
    const unread = (err: unknown): void => log.error({ err }, "media: a file could not be read")
    const downloads = new Downloads(run, problems, unread)
    const bytes = new ViewerBytes(problems, unread)
    const captions: StreamRoute["accept"] = (exchange, { params, requestId }) =>
      run(captionsAt(params["token"] ?? ""), (exit) => {
        exchange.send(Exit.isSuccess(exit) ? exit.value : refusalResponse(exit, problems, requestId))
      })
    const views = new LiveViews({
      run,
      problems,
      bytes,
      timers,
      broadcasts: yield* LiveBroadcasts,
      links: yield* MediaLinks,
      bearers,
    })
    return [
      ...encoderRoutes({ run, problems, bearers, timers, server: yield* EncoderServer }),
      { method: "GET", path: "/v1/live/:key/:name", crossOrigin: true, accept: views.give },
      { method: "PUT", path: "/v1/media/uploads/:token", crossOrigin: true, accept: uploads.take },
      { method: "HEAD", path: "/v1/media/uploads/:token", crossOrigin: true, accept: uploads.look },
      { method: "PUT", path: "/v1/media/parts/:token", crossOrigin: true, accept: uploads.takePart },
      { method: "GET", path: "/v1/media/recordings/:token", crossOrigin: true, accept: downloads.give("recording") },
      {
        method: "GET",
        path: "/v1/media/recordings/:token/:name",
        crossOrigin: true,
        accept: recordedFiles(run, problems, downloads, bytes),
      },
      { method: "GET", path: "/v1/media/clips/:token", crossOrigin: true, accept: downloads.give("clip") },
      { method: "GET", path: "/v1/media/derivations/:token", crossOrigin: true, accept: downloads.give("derivation") },
      { method: "GET", path: "/v1/media/captions/:token", crossOrigin: true, accept: captions },
      mediaServerWebhook(run, problems),
    ]
  })
