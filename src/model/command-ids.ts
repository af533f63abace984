/**
 * Ids of commands that came under an `Idempotency-Key`. A key holds for a day, and so do the answers under these ids; those of
 * the gateway's commands hold for ten minutes. A client may choose an id like this, and is only remembered for longer.
 */
const PREFIX = "key:"

/** `digest`: of caller, method, path and key. */
export const keyedCommandId = (digest: string): string => `${PREFIX}${digest}`

export const isKeyedCommandId = (commandId: string): boolean => commandId.startsWith(PREFIX)
