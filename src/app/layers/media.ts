/** Media: stored bytes and the jobs on them, live broadcasts, and the media server if there is one. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { broadcastOwnersLayer } from "../../cluster/broadcast-owners.ts"
import { summariseBy } from "../../help/summarise.ts"
import { findFfmpeg } from "../../media/derivations/ffmpeg.ts"
import { recogniseBy } from "../../media/derivations/recogniser.ts"
import { mediaJobsLayer } from "../../media/jobs/media-jobs.ts"
import { MediaLinks, mediaLinksOf } from "../../media/links.ts"
import { MediaServerApi, mediaServerApiOf, untouchedWhile } from "../../media/livekit/media-server-api.ts"
import { RoomRecorder, roomRecorderOf } from "../../media/livekit/room-recorder.ts"
import { ServerMessages, serverMessagesOf } from "../../media/livekit/server-messages.ts"
import { LiveBroadcasts } from "../../media/placed/live-broadcasts.ts"
import { MediaProcessor } from "../../media/processing/media-processor.ts"
import { JOB_LEASE_MS, TASK_LIMITS } from "../../media/processing/task-limits.ts"
import { Media } from "../../media/seats.ts"
import { diskStorageLayer } from "../../media/storage/disk-storage.ts"
import { s3StorageLayer } from "../../media/storage/s3/s3-storage.ts"
import { StorageProbe } from "../../media/storage/storage-probe.ts"
import { Quiet } from "../../store/quiet/quiet.ts"
import { type Composition, keysOf, quotaOf } from "./composition.ts"
import type { placementOf } from "./live.ts"

const bytesOf = ({ config, parts: { mediaEntry } }: Composition) => {
  const disk = { folder: join(config.dataDir, "media"), minFreeBytes: config.mediaMinFreeBytes }
  return Layer.mergeAll(
    config.s3 === null
      ? diskStorageLayer(disk)
      : s3StorageLayer({ disk, growsInBucket: config.cluster !== null }, config.s3),
    MediaProcessor.layer({ entry: mediaEntry, ...TASK_LIMITS }),
  )
}

const serverOf = ({ config: { media } }: Composition) =>
  media === null
    ? Layer.empty
    : Layer.mergeAll(
        Layer.effect(
          MediaServerApi,
          Effect.zipWith(mediaServerApiOf(media), Quiet, (api, { isQuiet }) => untouchedWhile(isQuiet, api)),
        ),
        Layer.effect(ServerMessages, serverMessagesOf(media)),
      )

export const mediaOf = (composition: Composition, placement: ReturnType<typeof placementOf>) => {
  const { config } = composition
  const alone = config.cluster === null
  const recorder =
    config.media === null || config.s3 === null
      ? Layer.empty
      : Layer.effect(RoomRecorder, roomRecorderOf(config.media, config.s3))
  const broadcasts = LiveBroadcasts.layer(
    { ingest: config.ingest, followsStage: config.stage !== null, quota: quotaOf(config) },
    alone ? undefined : broadcastOwnersLayer.pipe(Layer.provide(placement)),
  )
  const jobs = mediaJobsLayer({
    alone,
    leaseMs: JOB_LEASE_MS,
    retentionDays: config.mediaRetentionDays,
    quota: quotaOf(config),
    ffmpeg: findFfmpeg(config.ffmpeg.path, config.ffmpeg.searchPath),
    summarise: config.helpModel && summariseBy(config.helpModel),
    recognise: config.recogniser && recogniseBy(config.recogniser),
  })
  return Layer.mergeAll(
    jobs.pipe(
      Layer.provideMerge(broadcasts),
      Layer.provideMerge(StorageProbe.layer),
      Layer.provideMerge(bytesOf(composition)),
      Layer.provideMerge(recorder),
    ),
    Layer.succeed(MediaLinks, mediaLinksOf(keysOf(composition, "media-links"))),
    Media.layer(config.media, keysOf(composition, "media-seats")),
    serverOf(composition),
  )
}
