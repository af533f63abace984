/** Messages that a loaded event publishes to its subscribers. */

import type { Ephemeral } from "../../protocol/contract.ts"
import type { FeedMessage } from "../feed.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { ActorServices } from "../services.ts"
import { phaseTraits } from "../state/state.ts"
import { encodeEphemeral } from "./batch.ts"
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

/**
 * Publishes without a commit: ephemeral dispatches, connections for their nodes to close, or the event's version alone, so that a
 * subscriber that missed the last messages of a lost commit notices. A note may be lost.
 */
export const publishNote = (
  { feed }: Pick<ActorServices, "feed">,
  of: LoadedEvent,
  fields: Pick<FeedMessage, "replaced"> & Partial<Pick<FeedMessage, "ephemeral">>,
): void => feed.publish(feedMessage(of, "note", fields))

/** Publishes dispatches that have no place in a stream. */
export const publishEphemeral = (
  services: Pick<ActorServices, "feed" | "timers">,
  of: LoadedEvent,
  dispatches: ReadonlyArray<Ephemeral>,
): void => {
  const now = services.timers.now()
  publishNote(services, of, { ephemeral: dispatches.map((one) => encodeEphemeral(one, now)) })
}
