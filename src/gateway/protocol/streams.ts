/** Which streams an ordered dispatch may stand in, and what `st` says there. */
import { Schema } from "effect"
import type { OrderedDispatchName } from "./dispatches.ts"

export const STREAM_NAMES = {
  /** Everyone. */
  event: Schema.Literal("event"),
  /** Hosts and workspace admins. */
  staff: Schema.Literal("staff"),
} as const satisfies { readonly [stream: string]: Schema.Top }

export type StreamKind = keyof typeof STREAM_NAMES

/** Those that do not go to everyone. */
const OTHERS: { readonly [t in OrderedDispatchName]?: ReadonlyArray<StreamKind> } = {
  "participant.removed": ["staff"],
}

export const streamsOfDispatch = (t: string): ReadonlyArray<StreamKind> => OTHERS[t as OrderedDispatchName] ?? ["event"]
