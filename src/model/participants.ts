/** How people are named inside a workspace, and what kinds of people there are at its events. */
import { Schema } from "effect"

/** Participant identities of accounts are kept under this prefix; callers may not take one over. */
export const ACCOUNT_SUB_PREFIX = "account:"

export const ParticipantKind = Schema.Literals(["user", "guest", "registrant", "anonymous"])
export type ParticipantKind = typeof ParticipantKind.Type
