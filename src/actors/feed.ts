/**
 * The publication feed: one copy of what an actor committed per watching node, which fans it out to its sockets. Frames
 * carry history and version, so that a reader who missed one sees the hole and reads a snapshot. In one process this is a
 * map of listeners; over many it becomes a broker behind the same three functions.
 */
import { Context, Layer } from "effect"
import type { EventStatus, Visibility } from "../model/event.ts"
import type { LobbyPolicy } from "../model/live-values.ts"
import type { PublicationFact } from "../model/publication-fact.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { OptOut } from "../protocol/dispatch.ts"
import type { ActivePhase, Ejection, ParticipantChange } from "./domain/state.ts"

/** A committed dispatch with its position in its stream; `frame` is the exact text for sockets. */
export interface Publication {
  readonly stream: string
  readonly s: number
  readonly version: number
  readonly frame: string
  readonly at: Timestamp
  /** For gateways, where there is something for them to do. */
  readonly fact?: PublicationFact
}

/** A dispatch that may be lost and is never replayed; a newer one with the same key replaces it. */
export interface EphemeralPublication {
  readonly stream: string
  readonly key: string
  readonly frame: string
  /** Sockets may ask not to hear it. */
  readonly optOut?: OptOut
}

export interface FeedMessage {
  /**
   * `commit`: builds on the version of the message before, else the reader missed something. `note`: says nothing new by
   * itself, but a reader whose version differs has missed something too.
   */
  readonly kind: "commit" | "note"
  readonly eventId: string
  readonly epoch: string
  /** The version it builds on, and the one after it. */
  readonly from: number
  readonly version: number
  readonly status: EventStatus
  /** Anonymous viewers are there only while it is public. */
  readonly visibility: Visibility
  /** What decides who may do what after this message; narrowing follows it. */
  readonly phase: ActivePhase
  /** Who has to wait from now on. */
  readonly lobby: LobbyPolicy
  readonly publications: ReadonlyArray<Publication>
  readonly ephemeral: ReadonlyArray<EphemeralPublication>
  readonly ejections: ReadonlyArray<Ejection>
  /** What changed about where participants stand, in order. */
  readonly participantChanges: ReadonlyArray<ParticipantChange>
}

export type FeedListener = (message: FeedMessage) => void

export class Feed extends Context.Service<
  Feed,
  {
    readonly publish: (message: FeedMessage) => void
    readonly subscribe: (eventId: string, listener: FeedListener) => () => void
    /** The link was lost for a while: whatever was watched must be read anew. */
    readonly onReset: (listener: () => void) => () => void
  }
>()("gathercue/Feed") {
  static readonly layerMemory: Layer.Layer<Feed> = Layer.sync(Feed, () => {
    const listeners = new Map<string, Set<FeedListener>>()
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
      // Function calls within one process cannot be lost.
      onReset: () => () => {},
    }
  })
}
