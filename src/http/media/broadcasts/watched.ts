/** The broadcast that an address for watching names. */
import type { MediaLinks } from "../../../media/links.ts"
import { Unauthorized } from "../../../model/errors.ts"
import type { Visibility } from "../../../model/event.ts"

export interface Watched {
  readonly id: string
  /** The address is a credential. */
  readonly isSigned: boolean
}

/** As the server writes it: the database reads other spellings of the same id, too. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A bare id, or a signed address of a private event's broadcast. */
export const watchedBy = (key: string, links: MediaLinks["Service"], now: number): Watched | Unauthorized => {
  if (ID.test(key)) return { id: key, isSigned: false }
  const link = links.verify(key, now)
  if (link === "expired") return new Unauthorized({ detail: "The address has expired." })
  if (link === "altered" || link.kind !== "broadcast" || link.use !== "play") {
    return new Unauthorized({ detail: "The address is not valid." })
  }
  return { id: link.id, isSigned: true }
}

export const isHiddenFrom = ({ isSigned }: Watched, visibility: Visibility): boolean =>
  !isSigned && visibility === "private"
