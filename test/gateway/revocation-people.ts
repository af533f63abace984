/** The people of the tables of revocation, each at a private event of their own. */
import { guestClaims, newPartnerKey, signToken } from "../support/partner.ts"
import type { GrantHouse } from "./grant-house.ts"

export const peopleOf = (at: GrantHouse) => {
  const workspacePath = (rest: string): string => `/v1/workspaces/${at.workspace.id}/${rest}`
  const asOwner = () => ({ cookie: at.workspace.owner.cookie })

  /** A member or admin with a login. */
  const account = async (role: "member" | "admin") => {
    const person = await at.addMember(role)
    const { cookie } = person
    const session = await at.sessionOf(cookie)
    const { id } = await at.privateEvent()
    const newSession = () => at.api("POST", workspacePath("session"), { cookie })
    return { ...person, eventId: id as string, session, newSession }
  }

  /** A user whom an integrator's key vouches for. `role` null: with none on the event. */
  const integrators = async (role: string | null, key = at.workspace.key, fields: object = {}) => {
    const { id } = await at.privateEvent(fields)
    const { userId, session } = await at.integratorsUser()
    if (role !== null) await at.giveRole(id, userId, role)
    const newSession = () => at.api("POST", `/v1/users/${userId}/session`, { key })
    return { eventId: id as string, userId, session: await session(key), newSession }
  }

  /** A partner's guest. */
  const partnersGuest = async (issuer: string) => {
    const { id } = await at.privateEvent()
    const key = newPartnerKey()
    const asked = { key: at.workspace.key, body: { issuer, publicKeyPem: key.pem } }
    const { body } = await at.api("POST", workspacePath("guest-integrations"), asked)
    const newSession = async () => {
      const token = await signToken(key.privateKey, guestClaims({ iss: issuer }))
      return at.api("POST", `/v1/events/${id}/guest-session`, { body: { token } })
    }
    const { sessionToken } = (await newSession()).body
    return { eventId: id as string, session: sessionToken as string, newSession, integration: body.id as string }
  }

  return { workspacePath, asOwner, account, integrators, partnersGuest }
}

/** The cells of a table that is written in Markdown, without its head. */
export const rowsIn = (table: string): ReadonlyArray<ReadonlyArray<string>> =>
  table
    .trim()
    .split("\n")
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
