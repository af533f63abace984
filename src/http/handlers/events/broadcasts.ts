/** Broadcast control over REST: the commands that hosts send over the gateway, and the encoder's address. */
import { Effect } from "effect"
import type { ActivityCommand } from "../../../actors/commands.ts"
import { hashSecret, newSecret } from "../../../identity/secrets.ts"
import { ingestAddress } from "../../../media/live/addresses.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
import { Conflict, NotFound } from "../../../model/errors.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import type { BroadcastView } from "../../../protocol/messages/media.ts"
import { Database } from "../../../store/database.ts"
import { findPhaseBroadcast } from "../../../store/media/broadcasts.ts"
import type { Broadcasts, IngestView } from "../../contract/events/broadcasts.ts"
import type { Handlers } from "../../requests/call.ts"
import { CallerGround } from "../../requests/credentials.ts"
import { asCallers } from "../../requests/media/addresses.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { ask } from "./live-commands.ts"

interface OfPhase {
  readonly scope: { readonly workspaceId: string; readonly eventId: string; readonly phaseId: string }
}

const NOTHING_CAME: typeof IngestView.Type = {
  state: "waiting",
  lastSegmentAt: null,
  takes: 0,
  durationMs: 0,
  failure: null,
}

/** Returns nothing when the broadcast cannot be read now: the committed command is answered all the same. */
const ingestOf = (eventId: string, { broadcastId, status }: Pick<BroadcastView, "broadcastId" | "status">) =>
  Effect.gen(function* () {
    const broadcasts = yield* LiveBroadcasts
    if (!broadcasts.takesEncoders) return null
    const { state, lastSegmentAt, takes, durationMs, failure } = yield* broadcasts.detailOf({
      id: broadcastId,
      eventId,
    })
    return {
      state: status === "ended" ? "ended" : state,
      lastSegmentAt: lastSegmentAt === null ? null : toTimestamp(lastSegmentAt),
      takes,
      durationMs,
      // The broadcast's process may learn of the end shortly after the answer.
      failure: status === "ended" ? null : failure,
    } satisfies typeof IngestView.Type
  }).pipe(
    Effect.orElseSucceed((): typeof IngestView.Type =>
      status === "ended" ? { ...NOTHING_CAME, state: "ended" } : NOTHING_CAME,
    ),
  )

type Shown = Pick<BroadcastView, "broadcastId" | "phaseId" | "status" | "playbackUrl">

const shown = ({ scope: { eventId, workspaceId } }: OfPhase, { broadcastId, phaseId, status, playbackUrl }: Shown) =>
  Effect.gen(function* () {
    const ingest = yield* ingestOf(eventId, { broadcastId, status })
    return {
      broadcastId,
      phaseId,
      status,
      playbackUrl: yield* asCallers(playbackUrl, eventId, workspaceId),
      ingest,
    }
  })

const control = (call: OfPhase, command: ActivityCommand) =>
  Effect.gen(function* () {
    const { eventId } = call.scope
    const { result } = yield* ask(eventId, command, null)
    // Bytes that arrive after the answer are taken or dropped as commanded.
    yield* (yield* LiveBroadcasts).refresh(eventId)
    return yield* shown(call, result["broadcast"] as BroadcastView)
  })

const ofPhase = (type: "broadcast.pause" | "broadcast.resume" | "broadcast.stop") => ({
  access: "phase" as const,
  handle: (call: OfPhase) => control(call, { type, d: { phaseId: call.scope.phaseId } }),
})

const notStarted = new Conflict({ detail: "The broadcast has not started." })

const known = ({ scope: { phaseId } }: OfPhase) =>
  Effect.flatMap(Database, (database) => database.run((sql) => findPhaseBroadcast(sql, phaseId)))

export const broadcasts = {
  startBroadcast: {
    access: "phase",
    handle: (call) => control(call, { type: "broadcast.start", d: { phaseId: call.scope.phaseId, ...call.payload } }),
  },
  pauseBroadcast: ofPhase("broadcast.pause"),
  resumeBroadcast: ofPhase("broadcast.resume"),
  stopBroadcast: ofPhase("broadcast.stop"),
  getBroadcast: {
    access: "phase",
    handle: (call) =>
      Effect.gen(function* () {
        const broadcast = (yield* known(call)) ?? (yield* NotFound.of("broadcast"))
        return yield* shown(call, { ...broadcast, broadcastId: broadcast.id })
      }),
  },
  createIngest: {
    access: "phase",
    handle: (call) =>
      Effect.gen(function* () {
        const broadcast = (yield* known(call)) ?? (yield* notStarted)
        const ground = (yield* CallerGround)(call.scope.workspaceId) ?? (yield* notStarted)
        const { publicUrl } = yield* HttpSettings
        const token = newSecret()
        yield* (yield* LiveBroadcasts).giveIngest(broadcast, ground, hashSecret(token))
        return ingestAddress(publicUrl, token)
      }),
  },
} satisfies Handlers<typeof Broadcasts>
