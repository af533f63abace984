/** The messages that a loaded event publishes to its subscribers. */
import { phaseTraits } from "../domain/state.ts"
import type { EphemeralPublication, FeedMessage } from "../feed.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { OpenConnection } from "../presence/open-connections.ts"
import type { ActorServices } from "../services.ts"
import type { LoadedEvent } from "./loaded-event.ts"

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

/** Publishes the event's version, so that a subscriber that missed the last messages of a lost commit notices. */
export const publishVersion = (services: ActorServices, loaded: LoadedEvent): void =>
  services.feed.publish(feedMessage(loaded, "note", {}))

/** Publishes ephemeral dispatches: no commit, no position in a stream, no replay. */
export const publishEphemeral = (
  services: ActorServices,
  loaded: LoadedEvent,
  ephemeral: ReadonlyArray<EphemeralPublication>,
): void => services.feed.publish(feedMessage(loaded, "note", { ephemeral }))

/** Asks the nodes of these connections to close them. A message may be lost. */
export const publishReplaced = (
  services: ActorServices,
  loaded: LoadedEvent,
  replaced: ReadonlyArray<OpenConnection>,
): void => services.feed.publish(feedMessage(loaded, "note", { replaced }))
