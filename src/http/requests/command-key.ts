import { Context } from "effect"

/** Command id of the request at the live event, and the hash that a repeat must match (`idempotency.ts`). */
export const CommandKey = Context.Reference<{ readonly commandId: string; readonly bodyHash: string } | undefined>(
  "gathercue/CommandKey",
  { defaultValue: () => undefined },
)
