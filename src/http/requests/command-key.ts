import { Context } from "effect"

/** The id of the request's command at the live event, and the hash that a repeat must match (`idempotency.ts`). */
export const CommandKey = Context.Reference<{ readonly commandId: string; readonly bodyHash: string } | undefined>(
  "gathercue/CommandKey",
  { defaultValue: () => undefined },
)
