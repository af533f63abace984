/**
 * Room recordings of the media server: its recorder watches a room as people do, and uploads the file to the bucket. For a broadcast room
 * it meanwhile uploads the segments of a playlist. Its reports arrive as signed messages, and are requested when a message was lost.
 */
import { Context, Data, Effect, Redacted } from "effect"
import type { EgressInfo } from "livekit-server-sdk"
import { Unavailable } from "../../model/errors.ts"
import type { MediaServer } from "../seats.ts"
import { STAGE_FILES } from "../stage/stage-files.ts"
import type { S3Settings } from "../storage/s3/presign.ts"
import { bucketOf } from "./bucket-address.ts"
import { asked, askedUnless, NOT_FOUND, NOT_RUNNING } from "./calls.ts"

/** The room is empty, so the media server does not know it. */
export class RoomAbsent extends Data.TaggedError("RoomAbsent")<Record<never, never>> {}

/** Report of the media server about one recording. */
export interface EgressFacts {
  readonly egressId: string
  /** Key of the file in the bucket; null when the message does not name it. */
  readonly key: string | null
  /** `ended` means that the file is in the bucket, if it has any bytes. */
  readonly status: "running" | "ended" | "failed"
  readonly sizeBytes: number
  /** Bytes of the segments beside the file. */
  readonly playlistBytes: number
  /** Start in Unix milliseconds; null before it. */
  readonly beganAt: number | null
  /** Error message of the media server, for the log. */
  readonly error: string
}

export interface RoomRecorder {
  /**
   * Resolves to the id of the recording. `playlists` is the folder of its playlists (`STAGE_FILES`) and their segments; null when none are
   * made.
   */
  readonly start: (
    room: string,
    key: string,
    playlists: string | null,
  ) => Effect.Effect<string, RoomAbsent | Unavailable>
  /** Ends a recording; an ended one is no failure. */
  readonly stop: (egressId: string) => Effect.Effect<void, Unavailable>
  /** Active recordings of a room, or with null of all rooms, including those of other programs. */
  readonly running: (room: string | null) => Effect.Effect<ReadonlyArray<EgressFacts>, Unavailable>
  /** `undefined` when the media server no longer knows it. */
  readonly find: (egressId: string) => Effect.Effect<EgressFacts | undefined, Unavailable>
  /** Facts of a media server's report; null when it names no recording. Values are limited to what can be stored. */
  readonly factsOf: (info: EgressInfo) => EgressFacts | null
}

/** Null without a media server, or without a bucket for its files. */
export const RoomRecorder = Context.Reference<RoomRecorder | null>("gathercue/RoomRecorder", {
  defaultValue: () => null,
})

const WITHIN_SECONDS = 15
/** Length of a segment, which starts with a key frame. */
const SEGMENT_SECONDS = 2
const LONGEST_ERROR = 500
const EGRESS_ID = /^[\w-]{1,100}$/
/** Largest plausible file size. */
const MOST_BYTES = 2 ** 50
/** End of the year 9999. */
const LAST_MS = 253_402_300_799_999
const NAMELESS = new Unavailable({
  detail: "The answer of the media server does not name the recording.",
  retryAfterSeconds: 5,
})

const bytesOf = (size: bigint | undefined): number => Math.min(MOST_BYTES, Math.max(0, Number(size ?? 0n)))

/** `nanoseconds` 0 means no time. */
const millisOf = (nanoseconds: bigint): number | null => {
  const ms = Number(nanoseconds / 1_000_000n)
  return ms > 0 && ms <= LAST_MS ? ms : null
}

export const roomRecorderOf = ({ url, apiKey, apiSecret }: MediaServer, s3: S3Settings): Effect.Effect<RoomRecorder> =>
  Effect.map(
    Effect.promise(() => import("livekit-server-sdk")),
    (sdk) => {
      const { EgressClient, EgressStatus, EncodedFileOutput, EncodedFileType, S3Upload } = sdk
      const secret = Redacted.value(apiSecret)
      const client = new EgressClient(url, apiKey, secret, { requestTimeout: WITHIN_SECONDS, failover: false })
      const statusOf = (status: number): EgressFacts["status"] => {
        switch (status) {
          // The media server keeps the file of a recording that it ended at its own limit.
          case EgressStatus.EGRESS_COMPLETE:
          case EgressStatus.EGRESS_LIMIT_REACHED:
            return "ended"
          case EgressStatus.EGRESS_FAILED:
          case EgressStatus.EGRESS_ABORTED:
            return "failed"
          default:
            return "running"
        }
      }
      const factsOf: RoomRecorder["factsOf"] = (info) => {
        const { egressId, status, request, fileResults, segmentResults, startedAt, error } = info
        if (!EGRESS_ID.test(egressId)) return null
        const [file] = fileResults
        const output = request.case === "roomComposite" ? request.value.fileOutputs[0] : undefined
        const key = output?.filepath ?? file?.filename ?? ""
        return {
          egressId,
          key: key || null,
          status: statusOf(status),
          sizeBytes: bytesOf(file?.size),
          playlistBytes: bytesOf(segmentResults[0]?.size),
          beganAt: millisOf(startedAt),
          error: error.slice(0, LONGEST_ERROR),
        }
      }
      const bucket = new S3Upload({
        ...bucketOf(s3.url),
        accessKey: s3.accessKeyId,
        secret: Redacted.value(s3.secretAccessKey),
        region: s3.region,
      })
      const output = { case: "s3" as const, value: bucket }
      const fileAt = (key: string) =>
        new EncodedFileOutput({ fileType: EncodedFileType.MP4, filepath: key, disableManifest: true, output })
      const playlistsIn = (folder: string) =>
        new sdk.SegmentedFileOutput({
          filenamePrefix: `${folder}${STAGE_FILES.segments}`,
          playlistName: `${folder}${STAGE_FILES.whole}`,
          livePlaylistName: `${folder}${STAGE_FILES.live}`,
          segmentDuration: SEGMENT_SECONDS,
          disableManifest: true,
          output,
        })
      return {
        start: (room, key, playlists) =>
          askedUnless([NOT_FOUND], Effect.fail(new RoomAbsent()), () =>
            client.startRoomCompositeEgress(room, {
              file: fileAt(key),
              ...(playlists !== null && { segments: playlistsIn(playlists) }),
            }),
          ).pipe(
            Effect.flatMap(({ egressId }) =>
              EGRESS_ID.test(egressId) ? Effect.succeed(egressId) : Effect.fail(NAMELESS),
            ),
          ),
        stop: (egressId) =>
          Effect.asVoid(askedUnless([NOT_FOUND, NOT_RUNNING], Effect.void, () => client.stopEgress(egressId))),
        running: (room) =>
          Effect.map(
            asked(() => client.listEgress({ ...(room !== null && { roomName: room }), active: true })),
            (found) => found.map(factsOf).filter((facts) => facts !== null),
          ),
        find: (egressId) =>
          Effect.map(
            asked(() => client.listEgress({ egressId })),
            (found) => found.map(factsOf).find((facts) => facts?.egressId === egressId) ?? undefined,
          ),
        factsOf,
      }
    },
  )
