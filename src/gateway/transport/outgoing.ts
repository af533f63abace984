import type { MediaSeat } from "../../protocol/messages/media.ts"

/** A dispatch on its way from the feed or the store to sockets. */
export interface Outgoing {
  readonly frame: string
  /** Set when the dispatch names the receiver's room: it is then sent with a media seat in that room. */
  readonly seatable?: SeatableDispatch
}

interface SeatableDispatch {
  readonly roomId: string | null
  readonly withSeat: (media: MediaSeat) => string
}
