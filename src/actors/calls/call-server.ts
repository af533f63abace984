/**
 * The media server of this process, for rooms with more people than browsers can connect to each other. The owner of an event passes the
 * signals of its calls on to it; it knows rooms and peers by their ids alone.
 */
import { Context } from "effect"
import type { DispatchData } from "../../protocol/contract.ts"
import type { MutedSource } from "../../protocol/messages/media.ts"
import type { PeerSignal } from "./call.ts"

/** A signal of the media server to one peer. */
export type ServerSignal = Exclude<DispatchData<"rtc.signal">, { readonly kind: "offer" | "candidates" }>

export interface ServedPeer {
  readonly room: string
  readonly peer: string
}

export interface ServedRooms {
  /** Name of the running server; another one has begun anew, and knows nobody. */
  readonly session: () => string
  /** `muted`: sources of the peer that hosts muted. */
  readonly signal: (peer: ServedPeer, signal: PeerSignal, muted: ReadonlyArray<MutedSource>) => void
  readonly mute: (peer: ServedPeer, muted: ReadonlyArray<MutedSource>) => void
  readonly leave: (peer: ServedPeer) => void
  /** The event has no calls any more. */
  readonly close: () => void
}

interface ServedListener {
  readonly signal: (peer: ServedPeer, signal: Omit<ServerSignal, "from">) => void
  readonly begunAnew: () => void
}

/** Null: people connect to each other. */
export const CallServer = Context.Reference<{
  readonly open: (eventId: string, listener: ServedListener) => ServedRooms
} | null>("gathercue/CallServer", { defaultValue: () => null })
