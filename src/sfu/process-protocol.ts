/** Messages between the server and the process of the forwarding unit. */
import type { Muted } from "./forwarding/publication.ts"
import type { SlotContent, View } from "./forwarding/room.ts"

/** A browser in a room; `peer` is unique in the process. */
export interface RoomPeer {
  readonly room: string
  readonly peer: string
}

export type SfuTask =
  | {
      readonly type: "listen"
      readonly port: number
      readonly ports: number
      readonly addresses: ReadonlyArray<string>
    }
  /** `gen` counts the browser's connections: an offer of another one begins a new session. */
  | (RoomPeer & {
      readonly type: "offer"
      readonly gen: number
      readonly sdp: string
      readonly muted: ReadonlyArray<Muted>
    })
  /** Sources whose packets go to nobody. */
  | (RoomPeer & { readonly type: "mute"; readonly muted: ReadonlyArray<Muted> })
  | (RoomPeer & { readonly type: "leave" })
  | (RoomPeer & { readonly type: "look"; readonly views: ReadonlyArray<View> })
  /** An encoder of a broadcast; `session` is unique in the process. */
  | {
      readonly type: "openEncoder"
      readonly session: string
      readonly sdp: string
      readonly maxKbps: number
    }
  | { readonly type: "closeEncoder"; readonly session: string }
  /** The last pieces, and `encoderEnded`, follow. */
  | { readonly type: "finishEncoder"; readonly session: string }

export type EncoderNews =
  | { readonly type: "encoderAnswer"; readonly session: string; readonly sdp: string }
  /** The offer cannot be taken, for a reason in words. */
  | { readonly type: "encoderRefused"; readonly session: string; readonly why: string }
  /** Fragmented MP4: a description with which a stream begins, or a fragment. */
  | {
      readonly type: "encoderPiece"
      readonly session: string
      readonly isInit: boolean
      readonly bytes: Uint8Array
    }
  | { readonly type: "encoderEnded"; readonly session: string }

export type SfuNews =
  | { readonly type: "listening"; readonly port: number }
  | (RoomPeer & { readonly type: "answer"; readonly gen: number; readonly sdp: string })
  | (RoomPeer & { readonly type: "slots"; readonly gen: number; readonly slots: ReadonlyArray<SlotContent> })
  | EncoderNews
  /** A task that failed, in words without addresses of people. */
  | { readonly type: "said"; readonly text: string }
