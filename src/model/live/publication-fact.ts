/**
 * The part of a publication that gateways act on. It is stored beside the publication's text, which is written once and read only by
 * clients.
 */
import { Schema } from "effect"

export const PublicationFact = Schema.Union([
  /** The participant was removed from the event. A gateway that missed the removal closes their sockets when it reads this. */
  Schema.Struct({ type: Schema.Literal("removed"), participantId: Schema.String }),
  /** The receiver's room; null: none. If there is a media server, the dispatch is sent with a seat in that room. */
  Schema.Struct({ type: Schema.Literal("room"), roomId: Schema.NullOr(Schema.String) }),
])
export type PublicationFact = typeof PublicationFact.Type
