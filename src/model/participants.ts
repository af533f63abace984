/** Names of people inside a workspace, and the kinds of people at its events. */
import { Schema } from "effect"
import { namedId } from "./ids.ts"

/** Prefix of the participant identities of accounts; callers may not claim one. */
export const ACCOUNT_SUB_PREFIX = "account:"

/** Prefix before a registration's id, for people who came by its link. */
const REGISTERED = "reg:"
export const registeredAs = (registrationId: string): string => `${REGISTERED}${registrationId}`
export const isRegistrationId = (participantId: string): boolean => participantId.startsWith(REGISTERED)
/** Registration id of a participant who came by its link. */
export const registrationOf = (participantId: string): string => participantId.slice(REGISTERED.length)

/** A person vouched for by a partner, in the partner's own terms. */
export interface Guest {
  readonly issuer: string
  readonly subject: string
}

/** The guest's id at an event: deterministic, and different at every event. */
export const guestAt = (eventId: string, { issuer, subject }: Guest): string =>
  `guest:${namedId(eventId, issuer, subject)}`

/** Prefix before the id of an API key that acts at an event. */
const KEY_PREFIX = "apikey:"
export const keyParticipant = (keyId: string): string => `${KEY_PREFIX}${keyId}`
export const isKeyParticipant = (participantId: string): boolean => participantId.startsWith(KEY_PREFIX)

/** Lifetime of a guest's session. */
export const GUEST_SESSION_SECONDS = 7200

/** Replaces a required name once the person's data was erased. */
export const REMOVED_PERSON = "Removed person"

export const ParticipantKind = Schema.Literals(["user", "guest", "registrant", "anonymous"])
export type ParticipantKind = typeof ParticipantKind.Type
