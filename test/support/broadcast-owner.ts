/** The owner of one broadcast in memory, as other nodes ask it. */
import type { Timers } from "../../src/clock/timers.ts"
import { START } from "../../src/media/broadcast/segments.ts"
import { EMPTY_WINDOW } from "../../src/media/broadcast/window.ts"
import { EncoderInput } from "../../src/media/live/encoder-input.ts"
import { type Journal, LiveBroadcast } from "../../src/media/live/live-broadcast.ts"
import type { OpenBroadcast } from "../../src/media/live/open-broadcasts.ts"
import { Bodies } from "../../src/media/placed/calls/bodies.ts"
import { followed } from "../../src/media/placed/calls/following.ts"
import type { OwnerAnswer, OwnerRequest } from "../../src/media/placed/calls/protocol.ts"

type StoredSegment = Parameters<Journal["append"]>[0]["segment"]

interface Kept {
  readonly id: string
  readonly maxKbps: number
  /** Segments are stored from then on. */
  readonly isReady: Promise<void>
  readonly onStored: (segment: StoredSegment) => void
}

/** A broadcast whose segments go to a callback in place of a store. */
export const keptBroadcast = (timers: Timers, { id, maxKbps, isReady, onStored }: Kept): OpenBroadcast => {
  const live = new LiveBroadcast({
    journal: {
      beginTake: () => Promise.resolve(),
      append: async ({ segment }) => {
        await isReady
        onStored(segment)
      },
      close: () => Promise.resolve(),
      recordingId: () => "recording",
      whyNotStored: () => undefined,
    },
    position: START,
    window: EMPTY_WINDOW,
    inits: new Map(),
    hasEnded: false,
    isPaused: false,
    failure: undefined,
    maxMs: 3_600_000,
    onBroken: (cause) => {
      throw cause
    },
  })
  return {
    id,
    token: 1,
    eventId: "event",
    workspaceId: "workspace",
    phaseId: "phase",
    live,
    input: new EncoderInput(live, timers, maxKbps),
    visibility: "public",
    status: "live",
    lastUsedAt: 0,
    shown: undefined,
  }
}

/** `isReady`: segments are stored from then on. `stored`: the lengths of those. */
export const openOwner = (timers: Timers, isReady: Promise<void>) => {
  const stored: number[] = []
  const one = keptBroadcast(timers, {
    id: "broadcast",
    maxKbps: 10_000_000,
    isReady,
    onStored: ({ bytes }) => stored.push(bytes),
  })
  const bodies = new Bodies(timers)
  const ask = async (request: OwnerRequest): Promise<OwnerAnswer> => {
    switch (request.type) {
      case "bytes":
        return bodies.take(one, request)
      case "attend":
        return bodies.attend(request.upload)
      case "leave":
        bodies.leave(request.upload)
        return { type: "done" }
      case "follow":
        return followed(one, request, timers)
      default:
        throw new Error(request.type)
    }
  }
  return { one, bodies, ask, stored }
}
