/**
 * A command's id is known within its scope: the participant's id, or a name of this server. Commands with an `Idempotency-Key` have scopes
 * of their own, because a key is valid for a day and the ids of gateway commands for ten minutes. No participant's id begins like this, so
 * no client can choose such a scope.
 */
const KEYED = "key:"

export const keyedScope = (scope: string): string => `${KEYED}${scope}`

export const isKeyedScope = (scope: string): boolean => scope.startsWith(KEYED)
