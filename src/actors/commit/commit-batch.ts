/** Writes a batch to the store under the fencing token, and publishes it once it is committed. */
import { Data, Effect } from "effect"
import type {
  AnsweredBefore,
  CommitUnknown,
  LiveCommit,
  OverCapacity,
  PhaseRecorded,
} from "../../store/live/live-commit.ts"
import { NotOwner, StoreUnavailable } from "../commands.ts"
import type { FeedMessage } from "../feed.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { EventAddress, EventServices } from "../services.ts"
import { phaseTraits } from "../state/state.ts"
import { loadedOf, recover } from "./activation.ts"
import type { Batch } from "./batch.ts"
import type { LoadedEvent } from "./loaded-event.ts"
import { recallHeads } from "./rehydrate.ts"

/** The store is reachable but rejected the batch: one of its commands may be the cause. */
class CommitRefused extends Data.TaggedError("CommitRefused")<Record<never, never>> {}

/** Reasons why a batch was not written. */
export type NotCommitted = NotOwner | StoreUnavailable | CommitRefused | AnsweredBefore | OverCapacity | PhaseRecorded

/** A message of a loaded event to its subscribers. */
export const feedMessage = (of: LoadedEvent, kind: FeedMessage["kind"], fields: Partial<FeedMessage>): FeedMessage => ({
  kind,
  eventId: of.state.event.id,
  epoch: of.epoch,
  fencingToken: of.fencingToken,
  from: of.version,
  version: of.version,
  status: of.state.event.status,
  visibility: of.state.event.visibility,
  phase: phaseTraits(of.state),
  lobby: lobbyPolicy(of.state, of.records),
  publications: [],
  ephemeral: [],
  ejections: [],
  participantChanges: [],
  ...fields,
})

/**
 * Whether the commit affects media: broadcasts have the event's visibility, recordings end with the event, and encoders have the rights of
 * the people who run them.
 */
const changesMedia = ({ event, deleted, captured, changes, silenced }: LiveCommit): boolean =>
  event !== null ||
  deleted ||
  captured !== null ||
  silenced.length > 0 ||
  changes.some(({ kind }) => kind === "broadcast")

/** Settles a commit with an unknown outcome: the stored version and the fencing token that wrote it decide whether it happened. */
const settleUnknown = (
  services: EventServices,
  address: EventAddress,
  loaded: LoadedEvent,
  commit: LiveCommit,
  { cause, lost }: CommitUnknown,
  claimed: (fencingToken: number) => void,
): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable | CommitRefused> =>
  Effect.gen(function* () {
    services.telemetry.log.warn({ eventId: address.eventId, err: cause }, "a live event's commit failed")
    const recovered = yield* Effect.mapError(recover(services, address), () => new StoreUnavailable())
    claimed(recovered.fencingToken)
    const happened = recovered.version === commit.version && recovered.versionToken === loaded.fencingToken
    if (happened) return loadedOf(recovered, loaded.answers.idle)
    return yield* lost ? new NotOwner() : new CommitRefused()
  })

/**
 * Commits a batch, publishes its message to the feed, and notifies the outbox and the broadcasts. The caller adopts the returned state. If
 * the outcome of the commit is unknown, the store is asked. `NotOwner`: the commit did not happen, or another activation owns the event.
 * `StoreUnavailable`: the store cannot be asked. After any failure the caller must discard the loaded event. `claimed`: called after the
 * store was asked, which claims the event once more.
 */
export const commitBatch = (
  services: EventServices,
  address: EventAddress,
  batch: Batch,
  claimed: (fencingToken: number) => void,
): Effect.Effect<LoadedEvent, NotCommitted> => {
  const { loaded } = batch
  const publish = (after: LoadedEvent, commit: LiveCommit, deliveries: number): LoadedEvent => {
    const { publications, ephemeral, ejections, participantChanges } = batch
    services.feed.publish(
      feedMessage(after, "commit", { from: commit.from, publications, ephemeral, ejections, participantChanges }),
    )
    if (deliveries > 0) services.outbox.notify()
    if (changesMedia(commit)) services.media.notify()
    return after
  }
  const write = (commit: LiveCommit) => {
    const begunAt = performance.now()
    const { commitDuration, commitsUnderWay, fenced } = services.telemetry.metrics
    commitsUnderWay.add(1)
    return services.commits.commit(commit).pipe(
      Effect.ensuring(Effect.sync(() => commitsUnderWay.add(-1))),
      Effect.map((deliveries) => {
        commitDuration.observe((performance.now() - begunAt) / 1000)
        return publish(
          { ...loaded, version: commit.version, state: batch.state, isChartStored: true },
          commit,
          deliveries,
        )
      }),
      Effect.catchTags({
        Fenced: () => {
          fenced.add()
          return Effect.fail(new NotOwner())
        },
        CommitUnknown: (unknown) =>
          Effect.map(settleUnknown(services, address, loaded, commit, unknown, claimed), (after) =>
            publish(after, commit, commit.occurrences.length),
          ),
      }),
    )
  }
  return recallHeads(services.database, loaded, batch.streams).pipe(Effect.flatMap(() => write(batch.seal())))
}
