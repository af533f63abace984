/**
 * Recordings that the media server makes of its rooms: a recorder there watches a room as its people do, and puts the file into the
 * bucket by itself. If the room is broadcast, it puts the segments of a playlist there meanwhile. What it says of a recording comes as a signed message, and is asked for where the message was lost.
 */
import { Context, Data, Effect, Redacted } from "effect"
import type { EgressInfo } from "livekit-server-sdk"
import { Unavailable } from "../../model/errors.ts"
import type { MediaServer } from "../seats.ts"
import { STAGE_FILES } from "../stage/stage-files.ts"
import type { S3Settings } from "../storage/s3/presign.ts"
import { bucketOf } from "./bucket-address.ts"
import { asked, askedUnless, NOT_FOUND, NOT_RUNNING } from "./calls.ts"

/** Nobody is in the room, so that the media server does not have it. */
export class RoomAbsent extends Data.TaggedError("RoomAbsent")<Record<never, never>> {}

/** One recording, as the media server reports it. */
export interface EgressFacts {
  readonly egressId: string
  /** The key of the file in the bucket; null if the message does not say. */
  readonly key: string | null
  /** `ended`: the file is in the bucket, if it has any bytes. */
  readonly status: "running" | "ended" | "failed"
  readonly sizeBytes: number
  /** Of the segments beside the file. */
  readonly playlistBytes: number
  /** Unix milliseconds; null: it has not begun. */
  readonly beganAt: number | null
  /** The media server's own words about a failure, for the log. */
  readonly error: string
}

export interface RoomRecorder {
  /** Resolves to the id of the recording. `playlists`: the folder of its playlists (`STAGE_FILES`) and their segments; null: none are made. */
  readonly start: (
    room: string,
    key: string,
    playlists: string | null,
  ) => Effect.Effect<string, RoomAbsent | Unavailable>
  /** Ends a recording; one that has ended is no failure. */
  readonly stop: (egressId: string) => Effect.Effect<void, Unavailable>
  /** The recordings of a room that go on; null: of all rooms, also of other programs. */
  readonly running: (room: string | null) => Effect.Effect<ReadonlyArray<EgressFacts>, Unavailable>
  /** `undefined`: the media server does not know it any more. */
  readonly find: (egressId: string) => Effect.Effect<EgressFacts | undefined, Unavailable>
  /** What the media server says of a recording; null: it names none. Values are brought within what can be stored. */
  readonly factsOf: (info: EgressInfo) => EgressFacts | null
}

/** Null: there is no media server, or no bucket that it could put files into. */
export const RoomRecorder = Context.Reference<RoomRecorder | null>("gathercue/RoomRecorder", {
  defaultValue: () => null,
})

const WITHIN_SECONDS = 15
/** The picture begins anew with each segment. */
const SEGMENT_SECONDS = 2
const LONGEST_ERROR = 500
const EGRESS_ID = /^[\w-]{1,100}$/
/** No file is as large: more is not a size. */
const MOST_BYTES = 2 ** 50
/** The end of the year 9999. */
const LAST_MS = 253_402_300_799_999
const NAMELESS = new Unavailable({
  detail: "The answer of the media server does not name the recording.",
  retryAfterSeconds: 5,
})

const bytesOf = (size: bigint | undefined): number => Math.min(MOST_BYTES, Math.max(0, Number(size ?? 0n)))

/** `nanoseconds`: 0 is no time. */
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
          // The media server keeps the file of a recording that it ended at a limit of its own.
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
