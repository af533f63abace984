/** The broadcast named by a playback address. */
import { heldLinkOf, type MediaLinks } from "../../../media/links.ts"
import { Unauthorized } from "../../../model/errors.ts"
import type { Visibility } from "../../../model/event.ts"
import type { HeldLink } from "../../../model/links.ts"

export interface Watched {
  readonly id: string
  /** Whether the address is a signed credential. */
  readonly isSigned: boolean
  /** The bearer link that the address is. */
  readonly link: HeldLink | undefined
  /** Whether the address has expired. It still opens an ongoing broadcast, since pauses do not count towards the longest duration. */
  readonly isExpired: boolean
}

export const expired = new Unauthorized({ detail: "The address has expired." })
const notValid = new Unauthorized({ detail: "The address is not valid." })

/** Id as the server writes it: the database also reads other spellings of it. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Reads a bare id, or a signed address of a private event's broadcast. */
export const watchedBy = (key: string, links: MediaLinks["Service"], now: number): Watched | Unauthorized => {
  if (ID.test(key)) return { id: key, isSigned: false, link: undefined, isExpired: false }
  const link = links.verify(key, now)
  const isExpired = link === "expired"
  const signed = isExpired ? links.verify(key, 0) : link
  if (typeof signed === "string" || signed.kind !== "broadcast" || signed.use !== "play") return notValid
  return { id: signed.id, isSigned: true, link: heldLinkOf(signed), isExpired }
}

export const isHiddenFrom = ({ isSigned }: Watched, visibility: Visibility): boolean =>
  !isSigned && visibility === "private"
