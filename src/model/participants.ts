/** The names of people inside a workspace, and the kinds of people at its events. */
import { Schema } from "effect"
import { namedId } from "./ids.ts"

/** Participant identities of accounts are kept under this prefix; callers may not claim one. */
export const ACCOUNT_SUB_PREFIX = "account:"

/** People who came by the link of a registration have this before its id. */
const REGISTERED = "reg:"
export const registeredAs = (registrationId: string): string => `${REGISTERED}${registrationId}`
export const isRegistrationId = (participantId: string): boolean => participantId.startsWith(REGISTERED)
/** Of a participant who came by the link of a registration. */
export const registrationOf = (participantId: string): string => participantId.slice(REGISTERED.length)

/** A person whom a partner vouches for, in the partner's own words. */
export interface Guest {
  readonly issuer: string
  readonly subject: string
}

/** The guest's id at an event: the same each time, and another one at every other event. */
export const guestAt = (eventId: string, { issuer, subject }: Guest): string =>
  `guest:${namedId(eventId, issuer, subject)}`

/** How long a guest's session lasts. */
export const GUEST_SESSION_SECONDS = 7200

/** Stands where a name has to be, once the person's data was erased. */
export const REMOVED_PERSON = "Removed person"

export const ParticipantKind = Schema.Literals(["user", "guest", "registrant", "anonymous"])
export type ParticipantKind = typeof ParticipantKind.Type
