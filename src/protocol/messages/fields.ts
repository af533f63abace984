/** Parts that the data of several files share. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { ParticipantId } from "../../model/live/live-values.ts"

export const DAY_MS = 86_400_000
const MAX_PEOPLE = 1000

/** A whole number, both ends included. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Participants that a command names. */
export const ParticipantIds = Schema.Array(ParticipantId).check(Schema.isBetweenLength(1, MAX_PEOPLE))

export const OneId = Schema.Struct({ id: Id })
export const OneParticipant = Schema.Struct({ id: ParticipantId })

/** Replies with the id of the entity that a command acted on. */
export const IdReply = Schema.Struct({ id: Uuid })
export const ParticipantReply = Schema.Struct({ participantId: Schema.String })

/** Numbers by name. */
export const Counts = Schema.Record(Schema.String, Schema.Int)
export type Counts = typeof Counts.Type

/** Of a dispatch in its stream, of a version, or of a moment in milliseconds: a number that begins at 0. */
export const Position = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The highest position seen of each stream. */
export const Cursors = Schema.Record(Schema.String, Schema.Int)
export type Cursors = typeof Cursors.Type

/** The participant that did something; the name is null for participants without one. */
export const Actor = Schema.Struct({ participantId: Schema.String, name: Schema.NullOr(Schema.String) })
