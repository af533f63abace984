import { Context } from "effect"

interface CommandKey {
  /** The `Idempotency-Key` as the caller sent it. */
  readonly key: string
  readonly commandId: string
  readonly bodyHash: string
}

/** Command id of the request at the live event, and the hash that a repeat must match (`idempotency.ts`). */
export const CommandKey = Context.Reference<CommandKey | undefined>("gathercue/CommandKey", {
  defaultValue: () => undefined,
})
