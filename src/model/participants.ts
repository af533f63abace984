/** How people are named inside a workspace. */

/** Participant identities of accounts are kept under this prefix; callers may not take one over. */
export const ACCOUNT_SUB_PREFIX = "account:"
