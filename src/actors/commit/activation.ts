/** Recovers a live event from the store, which makes this process its owner. */
import { Effect } from "effect"
import { newId } from "../../model/ids.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { type Recovered, recoverLiveEvent } from "../../store/live/live-events.ts"
import { EventNotFound, NotOwner, StoreUnavailable } from "../commands.ts"
import { chartInRows, storedChart } from "../machine/recovery.ts"
import type { Present } from "../presence/presence.ts"
import type { EventAddress, EventServices } from "../services.ts"
import { RecordStore } from "../state/record-store.ts"
import { type Answers, COMMAND_STORED_MS, CommandLog } from "./command-log.ts"
import type { LoadedEvent } from "./loaded-event.ts"
import { Heads } from "./stream-heads.ts"

/** `idle`: the actor's answers of commands without effect, which survive a recovery. */
export const loadedOf = (recovered: Recovered, idle: Answers): LoadedEvent => {
  const { event, phases, removed } = recovered
  const records = new RecordStore()
  for (const { kind, id, record } of recovered.records) records.write(kind, id, record)
  const stored = storedChart({ event, phases }, recovered.chart)
  return {
    fencingToken: recovered.fencingToken,
    version: recovered.version,
    epoch: recovered.epoch,
    heads: new Heads(recovered.heads, recovered.hasOtherStreams),
    records,
    answers: new CommandLog(recovered.commands, idle),
    roster: recovered.roster as ReadonlyArray<Present>,
    isChartStored: stored !== undefined,
    state: { chart: stored ?? chartInRows({ event, phases }, records), event, phases, removed },
  }
}

/** Claims the event and reads its rows. `NotOwner` when this process may not own it, `EventNotFound` when it does not exist. */
export const recover = (
  services: EventServices,
  { eventId, shardId }: EventAddress,
): Effect.Effect<Recovered, NotOwner | EventNotFound | StoreUnavailable> =>
  Effect.gen(function* () {
    // A stale view of ownership must never raise the fencing token: that would fence out the rightful owner.
    const { database, ownership } = services
    if (!(yield* ownership.holds(shardId))) return yield* new NotOwner()
    const claim = {
      eventId,
      node: ownership.node,
      epoch: newId(),
      commandsSince: toTimestamp(services.timers.now() - COMMAND_STORED_MS),
    }
    const { log } = services.telemetry
    const recovered = yield* recoverLiveEvent(database, claim).pipe(
      // A newer release has written to the event: this release neither serves nor overwrites it.
      Effect.tapErrorTag("RecordUnreadable", (err) =>
        Effect.sync(() => log.error({ eventId, err }, "a live event cannot be read by this release")),
      ),
      Effect.mapError(() => new StoreUnavailable()),
    )
    if (recovered === undefined) return yield* new EventNotFound()
    services.telemetry.metrics.activations.add()
    return recovered
  })
