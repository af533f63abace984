/** The grants behind the addresses that are given to a connection. */
import type { Held } from "../../media/links.ts"
import type { Ground } from "../../model/links.ts"
import type { Connection } from "../connection/connection.ts"

/** `undefined` for a participant without a name, who is given no addresses. */
export const connectionGround = (
  { basis, identity }: Pick<Connection, "basis" | "identity">,
  as: "speaker" | "viewer",
): Ground | undefined => {
  const { participantId, kind, role } = identity
  if (kind === "anonymous") return undefined
  if (basis === undefined) return { as, participantId, role }
  const { login, keyId, ...user } = basis
  return { as, ...user, participantId, ...(login && { login }), ...(keyId !== null && { keyId }) }
}

/** Holder of a connection's addresses, dated by its opening, so that its addresses do not change while a player uses them. */
export const heldBy = (connection: Connection): Held | undefined => {
  const ground = connectionGround(connection, "viewer")
  return ground && { eventId: connection.eventId, ground, givenAt: connection.openedAt }
}
