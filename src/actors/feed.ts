/**
 * The publication feed: one copy of each committed message per subscribed node, which fans it out to its sockets. Messages carry
 * epoch and version, so that a subscriber that missed one detects the gap and reads a snapshot. In one process this is a map of
 * listeners; over several nodes it is that and a link between them (cluster/link/cluster-feed.ts). Messages of calls go the same road, each to
 * one node.
 */
import { Context, Layer } from "effect"
import type { EventStatus, Visibility } from "../model/event.ts"
import type { LobbyPolicy } from "../model/live/live-values.ts"
import type { PublicationFact } from "../model/live/publication-fact.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { OptOut } from "../protocol/dispatch.ts"
import { type NodeListener, NodeListeners, type NodeMessage } from "./calls/node-messages.ts"
import type { OpenConnection } from "./presence/open-connections.ts"
import type { ActivePhase, Ejection, ParticipantChange } from "./state/state.ts"

/** A committed dispatch with its position in its stream; `frame` is the exact text for sockets. */
export interface Publication {
  readonly stream: string
  readonly s: number
  readonly version: number
  readonly frame: string
  readonly at: Timestamp
  /** Present when gateways must act on the dispatch. */
  readonly fact?: PublicationFact
}

/** A dispatch that may be lost and is never replayed; a newer one with the same key replaces it. */
export interface EphemeralPublication {
  readonly stream: string
  readonly key: string
  readonly frame: string
  /** Sockets may opt out of it. */
  readonly optOut?: OptOut
}

export interface FeedMessage {
  /**
   * `commit`: builds on the version of the message before, else the subscriber missed a message. `note`: carries no change, but a
   * subscriber with another version has missed a message too.
   */
  readonly kind: "commit" | "note"
  readonly eventId: string
  readonly epoch: string
  /** Of the activation that publishes: a later one has a higher token, and may not know who is connected. */
  readonly fencingToken: number
  /** The version that it builds on, and the one after it. */
  readonly from: number
  readonly version: number
  readonly status: EventStatus
  /** Anonymous viewers are allowed only while the event is public. */
  readonly visibility: Visibility
  /** The facts that permissions depend on after this message. */
  readonly phase: ActivePhase
  /** The waiting-room policy from now on. */
  readonly lobby: LobbyPolicy
  readonly publications: ReadonlyArray<Publication>
  readonly ephemeral: ReadonlyArray<EphemeralPublication>
  readonly ejections: ReadonlyArray<Ejection>
  /** The changed roles, rooms and admissions of participants, in order. */
  readonly participantChanges: ReadonlyArray<ParticipantChange>
  /** Connections that their nodes must close, because their participant has newer ones, and more than are allowed. */
  readonly replaced?: ReadonlyArray<OpenConnection>
}

export type FeedListener = (message: FeedMessage) => void

interface FeedService {
  readonly publish: (message: FeedMessage) => void
  readonly subscribe: (eventId: string, listener: FeedListener) => () => void
  /** To the gateway of one node, in order. As all messages here it may be lost. */
  readonly tell: (node: string, message: NodeMessage) => void
  /** Calls with the messages to the node about an event. Returns the end of it. */
  readonly listen: (node: string, eventId: string, listener: NodeListener) => () => void
  /** The link was lost for a while, and messages with it: the versions of all subscribed events must be compared with the store. */
  readonly onReset: (listener: () => void) => () => void
}

/** Within this process: function calls cannot be lost. */
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
