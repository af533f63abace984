/**
 * Broadcasts pushed by encoders, wherever they are: a process that runs alone has all of them in memory; of several nodes one owns each
 * broadcast, and the others reach it there. Reports on stage broadcasts of the media server are kept as well.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { type Conflict, Forbidden, type Unavailable } from "../../model/errors.ts"
import type { Ground } from "../../model/links.ts"
import { Database } from "../../store/database.ts"
import { putIngest } from "../../store/links/bearer-links.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { mayStore } from "../../store/media/quota.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { RecorderReports, type StageReport } from "../live/recorder-reports.ts"
import type { MediaStorage } from "../storage/storage.ts"
import type { BroadcastOf, BroadcastPlacement } from "./broadcasts.ts"
import { BroadcastOwners } from "./calls/broadcast-owners.ts"
import { notHere, notLive, OwnBroadcasts, type OwnOptions, whenever } from "./own-broadcasts.ts"
import { ownOnly } from "./own-only.ts"
import { placedBroadcasts } from "./placed-broadcasts.ts"

/** An encoder's address is valid until the broadcast ends, but at most a week. */
const INGEST_MS = 7 * 86_400_000

interface LiveBroadcastOptions extends Omit<OwnOptions, "isShared"> {
  /** Whether a media server makes broadcasts of the stage. */
  readonly followsStage: boolean
}

type Services = Database | MediaStorage | MediaSignal | Telemetry

export class LiveBroadcasts extends Context.Service<
  LiveBroadcasts,
  BroadcastPlacement & {
    /** Whether encoders may push to this server. */
    readonly takesEncoders: boolean
    /**
     * Gives the encoder of a live broadcast an address, by the hash of its token. The same holder's previous address is refused from now
     * on, and its stream cut.
     */
    readonly giveIngest: (
      of: BroadcastOf & { readonly workspaceId: string },
      ground: Ground,
      tokenHash: Uint8Array,
    ) => Effect.Effect<void, Conflict | Forbidden | Unavailable>
    /** Reports on the event's broadcast made by the media server; null when it makes none now. Succeeds when the report is stored. */
    readonly reportStage: (eventId: string, report: StageReport | null) => Effect.Effect<void, Unavailable>
  }
>()("gathercue/LiveBroadcasts") {
  /** `owners` reaches the owners of broadcasts on other nodes; `undefined` when this process owns all of them. */
  static readonly layer = <R = never>(
    options: LiveBroadcastOptions,
    owners?: Layer.Layer<never, never, OwnBroadcasts | R>,
  ): Layer.Layer<LiveBroadcasts, never, Services | Exclude<R, OwnBroadcasts>> =>
    Layer.effect(LiveBroadcasts, make(options)).pipe(
      Layer.provide(owners ?? Layer.empty),
      Layer.provide(OwnBroadcasts.layer({ ...options, isShared: owners !== undefined })),
    )
}

const notProved = new Forbidden({
  detail: "Encoders may push once an owner of the workspace has confirmed their e-mail address.",
})

const make = ({ ingest, followsStage, quota }: LiveBroadcastOptions) =>
  Effect.gen(function* () {
    const own = yield* OwnBroadcasts
    const owners = yield* BroadcastOwners
    const broadcasts = owners === null ? ownOnly(own) : yield* placedBroadcasts(own, owners)
    const database = yield* Database
    const signal = yield* MediaSignal
    const timers = yield* currentTimers
    const stages = new RecorderReports(database)
    if (followsStage) yield* whenever(signal, Effect.ignore(stages.refresh))
    return LiveBroadcasts.of({
      ...broadcasts,
      admit: (tokenHash) => (ingest === null ? Effect.fail(notHere) : broadcasts.admit(tokenHash)),
      encoderOf: (eventId) => stages.of(eventId) ?? broadcasts.encoderOf(eventId),
      takesEncoders: ingest !== null,
      giveIngest: ({ id, eventId, workspaceId }, ground, tokenHash) =>
        Effect.gen(function* () {
          if (ingest === null) return yield* notHere
          if (!(yield* database.run((sql) => mayStore(sql, workspaceId, quota)))) return yield* notProved
          const givenAt = timers.now()
          const expiresAt = givenAt + INGEST_MS
          const link = { kind: "ingest", objectId: id, eventId, ground, givenAt, expiresAt } as const
          const isLive = yield* database.run((sql) => putIngest(sql, link, tokenHash))
          if (!isLive) return yield* notLive
          signal.notify()
        }),
      reportStage: (eventId, report) => stages.put(eventId, report),
    })
  })
