/** The ground of the addresses that a connection is given. */
import type { Held } from "../../media/links.ts"
import type { Ground } from "../../model/links.ts"
import type { Connection } from "../connection/connection.ts"

/** `undefined`: of a participant without a name, who is given none. */
export const groundOf = ({ basis, identity }: Connection, as: "speaker" | "viewer"): Ground | undefined => {
  const { participantId, kind, role } = identity
  if (kind === "anonymous") return undefined
  if (basis === undefined) return { as, participantId, role }
  const { login, keyId, ...user } = basis
  return { as, ...user, participantId, ...(login && { login }), ...(keyId !== null && { keyId }) }
}

/** Those of one connection are the same, so that a player goes on. */
export const heldBy = (connection: Connection): Held | undefined => {
  const ground = groundOf(connection, "viewer")
  return ground && { eventId: connection.eventId, ground, givenAt: connection.openedAt }
}
