/**
 * The broadcasts that encoders push, wherever they are: those of a process that runs alone are all in its memory; of several nodes one owns each
 * broadcast, and the others reach it there. The media server's broadcasts of stages are reported beside them.
 */
import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import type { BroadcastPlacement } from "../placed/broadcasts.ts"
import { BroadcastOwners } from "../placed/calls/broadcast-owners.ts"
import { notHere, OwnBroadcasts, type OwnOptions, whenever } from "../placed/own-broadcasts.ts"
import { ownOnly } from "../placed/own-only.ts"
import { placedBroadcasts } from "../placed/placed-broadcasts.ts"
import type { MediaStorage } from "../storage/storage.ts"
import { RecorderReports, type StageReport } from "./recorder-reports.ts"

export interface LiveBroadcastOptions extends Omit<OwnOptions, "isShared"> {
  /** A media server makes broadcasts of the stage. */
  readonly followsStage: boolean
}

type Services = Database | MediaStorage | MediaSignal | Telemetry

export class LiveBroadcasts extends Context.Service<
  LiveBroadcasts,
  BroadcastPlacement & {
    /** Encoders may push to this server. */
    readonly takesEncoders: boolean
    /** Of the event's broadcast that the media server makes. Null: it makes none now. Succeeds when the report is stored. */
    readonly reportStage: (eventId: string, report: StageReport | null) => Effect.Effect<void, Unavailable>
  }
>()("gathercue/LiveBroadcasts") {
  /** `owners`: how the owners of broadcasts at other nodes are reached; `undefined`: this process owns all of them. */
  static readonly layer = <R = never>(
    options: LiveBroadcastOptions,
    owners?: Layer.Layer<never, never, OwnBroadcasts | R>,
  ): Layer.Layer<LiveBroadcasts, never, Services | Exclude<R, OwnBroadcasts>> =>
    Layer.effect(LiveBroadcasts, make(options)).pipe(
      Layer.provide(owners ?? Layer.empty),
      Layer.provide(OwnBroadcasts.layer({ ...options, isShared: owners !== undefined })),
    )
}

const make = ({ ingest, followsStage }: LiveBroadcastOptions) =>
  Effect.gen(function* () {
    const own = yield* OwnBroadcasts
    const owners = yield* BroadcastOwners
    const broadcasts = owners === null ? ownOnly(own) : yield* placedBroadcasts(own, owners)
    const stages = new RecorderReports(yield* Database)
    if (followsStage) yield* whenever(yield* MediaSignal, Effect.ignore(stages.refresh))
    return LiveBroadcasts.of({
      ...broadcasts,
      admit: (tokenHash) => (ingest === null ? Effect.fail(notHere) : broadcasts.admit(tokenHash)),
      encoderOf: (eventId) => stages.of(eventId) ?? broadcasts.encoderOf(eventId),
      takesEncoders: ingest !== null,
      reportStage: (eventId, report) => stages.put(eventId, report),
    })
  })
