/** Fields shared by the data of several messages. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { ParticipantId } from "../../model/live/live-values.ts"

export const DAY_MS = 86_400_000
const MAX_PEOPLE = 1000

/** A whole number, both ends included. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Participants named by a command. */
export const ParticipantIds = Schema.Array(ParticipantId).check(Schema.isBetweenLength(1, MAX_PEOPLE))

export const OneId = Schema.Struct({ id: Id })
export const OneParticipant = Schema.Struct({ id: ParticipantId })

/** Reply with the id of the entity that the command acted on. */
export const IdReply = Schema.Struct({ id: Uuid })
export const ParticipantReply = Schema.Struct({ participantId: Schema.String })

/** Counts by name. */
export const Counts = Schema.Record(Schema.String, Schema.Int)
export type Counts = typeof Counts.Type

/** A number starting at 0: the position of a dispatch in its stream, a version, or a time in milliseconds. */
export const Position = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The highest position seen in each stream. */
export const Cursors = Schema.Record(Schema.String, Schema.Int)
export type Cursors = typeof Cursors.Type

/** The participant who did something; the name is null for participants without one. */
export const Actor = Schema.Struct({ participantId: Schema.String, name: Schema.NullOr(Schema.String) })
