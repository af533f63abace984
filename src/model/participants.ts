/** The names of people inside a workspace, and the kinds of people at its events. */
import { Schema } from "effect"

/** Participant identities of accounts are kept under this prefix; callers may not claim one. */
export const ACCOUNT_SUB_PREFIX = "account:"

export const ParticipantKind = Schema.Literals(["user", "guest", "registrant", "anonymous"])
export type ParticipantKind = typeof ParticipantKind.Type
