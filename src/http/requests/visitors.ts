/** Callers at a live event: an API key of its workspace, or the holder of a session that would get a gateway token for it. */
import { Effect } from "effect"
import type { Visitor } from "../../gateway/requests/visitor.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import { type Failure, NotFound } from "../../model/errors.ts"
import { keyParticipant } from "../../model/participants.ts"
import { Database } from "../../store/database.ts"
import type { EventAgenda } from "../../store/events/events.ts"
import type { HttpRequest } from "../transport/message.ts"
import { grantTo, markBarred } from "./event-grants.ts"
import { forbidden, requireManagement, signIn, wrongKind } from "./management.ts"

const UNNAMED_KEY = "API key"

/** A key acts as an administrator of its workspace, under an id of its own, and is never present. */
const byKey = (
  { keyId, name, workspaceId }: Extract<Principal, { kind: "key" }>,
  event: EventAgenda,
  { client }: HttpRequest,
): Visitor => ({
  eventId: event.id,
  hasEnded: event.status === "ended",
  identity: {
    participantId: keyParticipant(keyId),
    name: name ?? UNNAMED_KEY,
    kind: "user",
    userId: null,
    role: "workspace_admin",
    walkIn: false,
    manages: true,
  },
  basis: undefined,
  ground: { as: "manager", workspaceId, keyId },
  address: client,
})

const bySession = (
  session: Extract<Principal, { kind: "session" | "attendee" }>,
  event: EventAgenda,
  { client }: HttpRequest,
): Effect.Effect<Visitor, Failure, Database> =>
  Effect.flatMap(Database, (database) =>
    database.run((sql) =>
      Effect.gen(function* () {
        const granted = yield* grantTo(sql, event, session)
        const { manages } = granted
        const { participantId, name, kind, userId, role, walkIn, barred, basis } = yield* markBarred(sql, granted.grant)
        if (barred === true && !manages) return yield* forbidden("You were removed from this event.")
        return {
          eventId: event.id,
          hasEnded: event.status === "ended",
          identity: { participantId, name, kind, userId, role, walkIn: kind !== "user" || walkIn === true, manages },
          basis,
          ground: undefined,
          address: client,
        }
      }),
    ),
  )

export const visitorOf = (
  principal: Principal,
  request: HttpRequest,
  found: Effect.Effect<EventAgenda | undefined, Failure>,
): Effect.Effect<{ readonly event: EventAgenda; readonly visitor: Visitor }, Failure, Database> =>
  Effect.gen(function* () {
    if (principal.kind === "anonymous") return yield* signIn
    if (principal.kind === "account" || principal.kind === "platform") return yield* wrongKind
    const event = yield* found
    if (event === undefined) return yield* NotFound.of("event")
    if (principal.kind !== "key") return { event, visitor: yield* bySession(principal, event, request) }
    yield* requireManagement(principal, event.workspaceId, "event", { eventId: event.id })
    return { event, visitor: byKey(principal, event, request) }
  })
