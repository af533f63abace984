/**
 * The publication feed: one copy of each committed message per subscribed node, which fans it out to its sockets. Messages carry epoch and
 * version, so that a subscriber that missed one detects the gap and reads a snapshot. In one process this is a map of listeners; with
 * several nodes, a link between them is added (cluster/link/cluster-feed.ts). Messages of calls take the same path, each to one node.
 */
import { Context, Layer } from "effect"
import type { EventStatus, Visibility } from "../model/event.ts"
import type { LobbyPolicy } from "../model/live/live-values.ts"
import type { OptOut } from "../protocol/dispatch.ts"
import type { StoredPublication } from "../store/live/live-history.ts"
import { type NodeListener, NodeListeners, type NodeMessage } from "./calls/node-messages.ts"
import type { OpenConnection } from "./presence/open-connections.ts"
import type { ActivePhase, Ejection, ParticipantChange } from "./state/state.ts"

/** A dispatch that may be lost and is never replayed; a newer one with the same key replaces it. */
export interface EphemeralPublication {
  readonly stream: string
  readonly key: string
  readonly frame: string
  /** The subscription option with which a socket opts out. */
  readonly optOut?: OptOut
}

export interface FeedMessage {
  /**
   * `commit`: builds on the version of the previous message; a gap means that the subscriber missed one. `note`: carries no change, but a
   * subscriber at another version has missed a message too.
   */
  readonly kind: "commit" | "note"
  readonly eventId: string
  readonly epoch: string
  /** Fencing token of the publishing activation. A later activation has a higher token, and may not know who is connected. */
  readonly fencingToken: number
  /** The version before the message; `version` is the one after it. */
  readonly from: number
  readonly version: number
  readonly status: EventStatus
  /** Anonymous viewers are allowed only while the event is public. */
  readonly visibility: Visibility
  /** Facts about the active phase on which permissions depend after this message. */
  readonly phase: ActivePhase
  /** Waiting-room policy from now on. */
  readonly lobby: LobbyPolicy
  readonly publications: ReadonlyArray<StoredPublication>
  readonly ephemeral: ReadonlyArray<EphemeralPublication>
  readonly ejections: ReadonlyArray<Ejection>
  /** Changed roles, rooms and admissions of participants, in order. */
  readonly participantChanges: ReadonlyArray<ParticipantChange>
  /** Connections that their nodes must close: the oldest ones of a participant who has more than are allowed. */
  readonly replaced?: ReadonlyArray<OpenConnection>
}

export type FeedListener = (message: FeedMessage) => void

interface FeedService {
  readonly publish: (message: FeedMessage) => void
  readonly subscribe: (eventId: string, listener: FeedListener) => () => void
  /** Sends a message to the gateway of one node, in order. It may be lost, as all feed messages. */
  readonly tell: (node: string, message: NodeMessage) => void
  /** Subscribes to the messages to the node about an event. Returns a function that unsubscribes. */
  readonly listen: (node: string, eventId: string, listener: NodeListener) => () => void
  /** Called when the link was down and messages were lost: the versions of all subscribed events must be compared with the store. */
  readonly onReset: (listener: () => void) => () => void
}

/** Feed within one process, where no message is lost. */
export const memoryFeed = (): FeedService => {
  const listeners = new Map<string, Set<FeedListener>>()
  const told = new NodeListeners()
  return {
    publish: (message) => {
      for (const listener of listeners.get(message.eventId) ?? []) listener(message)
    },
    subscribe: (eventId, listener) => {
      const watching = listeners.get(eventId) ?? new Set()
      listeners.set(eventId, watching.add(listener))
      return () => {
        watching.delete(listener)
        if (watching.size === 0 && listeners.get(eventId) === watching) listeners.delete(eventId)
      }
    },
    tell: (node, message) => told.tell(node, message),
    listen: (node, eventId, listener) => told.add(node, eventId, listener),
    onReset: () => () => {},
  }
}

export class Feed extends Context.Service<Feed, FeedService>()("gathercue/Feed") {
  static readonly layerMemory: Layer.Layer<Feed> = Layer.sync(Feed, memoryFeed)
}
