/** The names of people inside a workspace, and the kinds of people at its events. */
import { Schema } from "effect"

/** Participant identities of accounts are kept under this prefix; callers may not claim one. */
export const ACCOUNT_SUB_PREFIX = "account:"

/** People who came by the link of a registration have this before its id. */
const REGISTERED = "reg:"
export const registeredAs = (registrationId: string): string => `${REGISTERED}${registrationId}`
export const isRegistrationId = (participantId: string): boolean => participantId.startsWith(REGISTERED)
/** Of a participant who came by the link of a registration. */
export const registrationOf = (participantId: string): string => participantId.slice(REGISTERED.length)

/** Stands where a name has to be, once the person's data was erased. */
export const REMOVED_PERSON = "Removed person"

export const ParticipantKind = Schema.Literals(["user", "guest", "registrant", "anonymous"])
export type ParticipantKind = typeof ParticipantKind.Type
