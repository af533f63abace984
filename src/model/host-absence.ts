/** Measures that a live event takes by itself while no host is present. */
import { Effect, Schema } from "effect"
import { named } from "./named.ts"

/** `locked`: only staff write in the chat or ask questions. `lobbyClosed`: calls admit nobody new. */
export const AbsenceMeasure = Schema.Literals(["slowChat", "locked", "lobbyClosed"]).annotate(named("AbsenceMeasure"))
export type AbsenceMeasure = typeof AbsenceMeasure.Type

export const HostAbsence = Schema.Struct({
  measure: Schema.Literals(["nothing", ...AbsenceMeasure.literals]),
  /** Seconds after the departure of the last host, 0 to 3600. A lost connection counts as a departure after thirty seconds. */
  afterSeconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 })),
}).annotate(named("HostAbsence"))
export type HostAbsence = typeof HostAbsence.Type

export const NO_MEASURE: HostAbsence = { measure: "nothing", afterSeconds: 60 }

/** Default for rows and nodes of the release that knew no measures. */
export const HostAbsenceOfNode = HostAbsence.pipe(Schema.withDecodingDefaultKey(Effect.succeed(NO_MEASURE)))

/** Minimum interval between two messages of a person in a chat that no host watches. */
export const UNWATCHED_CHAT_SLOW_MS = 30_000
