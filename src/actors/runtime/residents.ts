/**
 * The live events in this process's memory. Callers in the same process reach their inboxes directly: a command that comes alone takes a
 * quarter less processor time without the mailbox of the cluster engine. Requests from other nodes, and for events that are not in memory,
 * go through the engine, which alone decides where an event is activated and when it leaves.
 */
import { Context, Layer } from "effect"
import type { Unreachable } from "../commands.ts"
import type { LiveEventRequests } from "../protocol.ts"
import type { Inbox } from "./inbox.ts"

export interface Resident extends LiveEventRequests {
  readonly inbox: Inbox<Unreachable>
  /** Whether this process has the event's shard. Without it the engine refuses requests. */
  readonly isHere: boolean
}

export class Residents extends Context.Service<
  Residents,
  {
    readonly find: (eventId: string) => Resident | undefined
    readonly enter: (eventId: string, resident: Resident) => void
    /** Does nothing if another activation of the event has been registered meanwhile. */
    readonly leave: (eventId: string, resident: Resident) => void
  }
>()("gathercue/Residents") {
  static readonly layer: Layer.Layer<Residents> = Layer.sync(Residents, () => {
    const residents = new Map<string, Resident>()
    return {
      find: (eventId) => {
        const resident = residents.get(eventId)
        return resident?.isHere === true && !resident.inbox.isLeaving ? resident : undefined
      },
      enter: (eventId, resident) => void residents.set(eventId, resident),
      leave: (eventId, resident) => {
        if (residents.get(eventId) === resident) residents.delete(eventId)
      },
    }
  })

  /** Finds no event: all requests go through the engine. */
  static readonly none: Layer.Layer<Residents> = Layer.succeed(Residents, {
    find: () => undefined,
    enter: () => {},
    leave: () => {},
  })
}
