/**
 * The engine's topics for publishing frames. A stream has one topic for ordered dispatches, another for ephemeral ones (slow sockets leave
 * it), and one for each kind that clients may opt out of. A participant's own stream is sent, not published. `connection/subscriptions.ts`
 * has the topics of each connection.
 */
import type { OptOut } from "../../protocol/dispatch.ts"
import type { ActingRole } from "../../protocol/rule.ts"
import type { StreamName } from "./stream-names.ts"

export const streamTopic = (eventId: string, stream: StreamName): string => `${eventId}/${stream}`

export const ephemeralTopic = (eventId: string, stream: StreamName, optOut?: OptOut): string =>
  `${streamTopic(eventId, stream)}~${optOut ?? ""}`

/** Topic of all connections with the same acting role. */
export const roleTopic = (eventId: string, role: ActingRole): string => `${eventId}/role/${role}`
