/** What a live event does by itself while no host is there. */
import { Effect, Schema } from "effect"
import { named } from "./named.ts"

/** `locked`: nobody but staff writes in the chat or asks. `lobbyClosed`: in calls, nobody new is let in. */
export const AbsenceMeasure = Schema.Literals(["slowChat", "locked", "lobbyClosed"]).annotate(named("AbsenceMeasure"))
export type AbsenceMeasure = typeof AbsenceMeasure.Type

export const HostAbsence = Schema.Struct({
  measure: Schema.Literals(["nothing", ...AbsenceMeasure.literals]),
  /** Seconds after the departure of the last host, 0 to 3600. A lost connection counts as a departure after thirty seconds. */
  afterSeconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 })),
}).annotate(named("HostAbsence"))
export type HostAbsence = typeof HostAbsence.Type

export const NO_MEASURE: HostAbsence = { measure: "nothing", afterSeconds: 60 }

/** Rows and nodes of the release that knew no measures have none. */
export const HostAbsenceOfNode = HostAbsence.pipe(Schema.withDecodingDefaultKey(Effect.succeed(NO_MEASURE)))

/** Between two messages of a person in the chat that no host watches. */
export const UNWATCHED_CHAT_SLOW_MS = 30_000
