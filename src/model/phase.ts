/**
 * A phase: one section of an event's agenda. At most one is active; an ended or skipped phase never changes again.
 * `config` keeps all keys that the caller stored, but the keys that the product reads must have their types.
 */
import { Schema, SchemaTransformation } from "effect"
import { Uuid } from "./ids.ts"
import { Modality } from "./modality.ts"
import { named } from "./named.ts"
import { membersText } from "./text/shown-text.ts"
import { Instant } from "./timestamp.ts"

export const Feature = Schema.Literals(["qa", "chat", "polls", "reactions", "transcript", "capture"]).annotate(
  named("Feature"),
)
export type Feature = typeof Feature.Type

export const PhaseStatus = Schema.Literals(["pending", "active", "ended", "skipped"]).annotate(named("PhaseStatus"))
export type PhaseStatus = typeof PhaseStatus.Type

/** Longest phase, including extensions: a day. */
export const MAX_PHASE_SECONDS = 86_400
export const MAX_PHASES_PER_EVENT = 50

/** Every snapshot contains every phase, so the size of a config is limited like that of metadata. */
const CONFIG_LIMIT_BYTES = 16_384

const seconds = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: MAX_PHASE_SECONDS }))

/** Keys that the product reads; `durationSeconds` arms the phase's timer when it becomes active. */
const StoredConfig = Schema.StructWithRest(
  Schema.Struct({
    durationSeconds: Schema.optionalKey(seconds(1)),
    extendable: Schema.optionalKey(Schema.Boolean),
    onTimerEnd: Schema.optionalKey(Schema.Literals(["hold", "advance"])),
    roomSize: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
    rounds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
    roundSeconds: Schema.optionalKey(seconds(1)),
    lobby: Schema.optionalKey(Schema.Literals(["open", "ask", "closed"])),
    /** Questions wait for a moderator before they are shown. */
    moderated: Schema.optionalKey(Schema.Boolean),
  }),
  [Schema.Record(Schema.String, Schema.Json)],
).annotate(named("PhaseConfig"))

const isList = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)

/** The same JSON with invisible characters removed from its strings and keys. The JSON of a body is shallow. */
const shown = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return membersText(value)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map(shown)
  return shownEntries(value)
}
const shownEntries = (entries: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [membersText(key), shown(value)]))

/**
 * A config from a client. Everybody at the event receives it, so invisible characters are removed. Its size is checked once, and not again
 * for every answer that contains it.
 */
export const PhaseConfig = StoredConfig.check(
  Schema.makeFilter(
    (config) => Buffer.byteLength(JSON.stringify(config)) <= CONFIG_LIMIT_BYTES || "must be at most 16 KiB of JSON",
    named("PhaseConfig"),
  ),
).pipe(
  Schema.decodeTo(
    Schema.JsonObject,
    SchemaTransformation.transform({ decode: shownEntries, encode: (config) => config }),
  ),
  // A key may become one of those that the product reads, so its value is checked again.
  Schema.decodeTo(StoredConfig, SchemaTransformation.passthroughSupertype()),
)
export type PhaseConfig = typeof PhaseConfig.Type

export const FeatureSet = Schema.Array(Feature).check(Schema.isUnique())

export const PhaseInput = Schema.Struct({
  modality: Modality,
  config: Schema.optionalKey(PhaseConfig),
  featureSet: Schema.optionalKey(FeatureSet),
}).annotate(named("PhaseInput"))
export type PhaseInput = typeof PhaseInput.Type

/** A phase in its REST form. */
export const Phase = Schema.Struct({
  id: Uuid,
  eventId: Uuid,
  position: Schema.Int,
  modality: Modality,
  config: StoredConfig,
  featureSet: Schema.Array(Feature),
  status: PhaseStatus,
  startedAt: Schema.NullOr(Instant),
  endedAt: Schema.NullOr(Instant),
  timerEndsAt: Schema.NullOr(Instant),
  extendedSeconds: Schema.Int,
}).annotate(named("Phase"))
export type Phase = typeof Phase.Type

/** Fields for the gateway's optimistic concurrency: revisions, and whether the timer has already elapsed. */
export interface PhaseState extends Phase {
  /** Incremented with every change of the phase. */
  readonly rev: number
  /** Incremented with every change of the phase's timer. */
  readonly timerRev: number
  readonly timerElapsed: boolean
}
