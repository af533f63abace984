/** The broadcast that an address for watching names. */
import type { MediaLinks } from "../../../media/links.ts"
import { Unauthorized } from "../../../model/errors.ts"
import type { Visibility } from "../../../model/event.ts"

export interface Watched {
  readonly id: string
  /** The address is a credential. */
  readonly isSigned: boolean
  /** Its time is over; it is good for a broadcast that goes on all the same, since pauses do not count for the longest one. */
  readonly isExpired: boolean
}

export const expired = new Unauthorized({ detail: "The address has expired." })
const notValid = new Unauthorized({ detail: "The address is not valid." })

/** As the server writes it: the database reads other spellings of the same id, too. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A bare id, or a signed address of a private event's broadcast. */
export const watchedBy = (key: string, links: MediaLinks["Service"], now: number): Watched | Unauthorized => {
  if (ID.test(key)) return { id: key, isSigned: false, isExpired: false }
  const link = links.verify(key, now)
  const isExpired = link === "expired"
  const signed = isExpired ? links.verify(key, 0) : link
  if (typeof signed === "string" || signed.kind !== "broadcast" || signed.use !== "play") return notValid
  return { id: signed.id, isSigned: true, isExpired }
}

export const isHiddenFrom = ({ isSigned }: Watched, visibility: Visibility): boolean =>
  !isSigned && visibility === "private"
