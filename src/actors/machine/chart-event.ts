/** An event as the charts receive it. */
import type { Turn } from "../domain/turn.ts"
import type { Happening } from "./events.ts"

/** `turn`: the records and people that guards ask about. */
export type ChartEvent = Happening & { readonly turn: Turn }
