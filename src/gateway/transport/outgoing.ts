/** Dispatches on their way from the feed or the store to sockets. */

import type { MediaSeat } from "../../protocol/messages/media.ts"
import { withField } from "../../protocol/wire/encoding.ts"
import type { StoredPublication } from "../../store/live/live-history.ts"

export interface Outgoing {
  readonly frame: string
  /** Set when the dispatch names the receiver's room: it is then sent with a media seat in that room. */
  readonly seatable?: SeatableDispatch
}

interface SeatableDispatch {
  readonly roomId: string | null
  readonly withSeat: (media: MediaSeat) => string
}

/** Publications are stored without a seat, because its token is valid only for minutes. */
export const outgoing = ({ frame, fact }: StoredPublication): Outgoing =>
  fact?.type === "room"
    ? { frame, seatable: { roomId: fact.roomId, withSeat: (media) => withField(frame, "media", media) } }
    : { frame }
