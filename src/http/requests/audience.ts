/**
 * The callers of the public routes. A session token names its participant in its workspace (or on its one event), and no participant
 * elsewhere. Where the event allows it, a signed-out caller is a browser with a signed cookie.
 */
import { Effect } from "effect"
import type { Caller } from "../../actors/commands.ts"
import { ANONYMOUS_VOTER_SECONDS, Tokens } from "../../identity/tokens.ts"
import {
  type Failure,
  Forbidden,
  NotFound,
  SignInRequired,
  Unauthorized,
  type Unavailable,
} from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { accessOf } from "../../model/grants.ts"
import { guestRole } from "../../model/modality.ts"
import type { Phase } from "../../model/phase.ts"
import { findGrantState } from "../../store/accounts/grant-states.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { isBlockedAt } from "../../store/live/live-events.ts"
import { query } from "../../store/query.ts"
import type { HttpRequest } from "../transport/message.ts"
import type { SessionPrincipal } from "./call.ts"
import { cookieValue, isForeignSite } from "./credentials.ts"
import { HttpSettings } from "./settings.ts"

type AudienceEvent = Event & { readonly phases: ReadonlyArray<Phase> }

const modalitiesOf = ({ phases }: AudienceEvent) => phases.map(({ modality }) => modality)

const removed = new Forbidden({ detail: "You were removed from this event." })

const userOf = (
  sql: Queryable,
  event: AudienceEvent,
  session: Extract<SessionPrincipal, { kind: "session" }>,
  what: string,
): Effect.Effect<Caller, NotFound | Unauthorized | Unavailable> =>
  Effect.gen(function* () {
    if (session.workspaceId !== event.workspaceId) return yield* NotFound.of(what)
    const { userId } = session
    const state = yield* query(() => findGrantState(sql, session.basis, event.id))
    if (!state.userHolds) return yield* new Unauthorized({ detail: "The session's user no longer exists." })
    const access = accessOf(state)
    if (access === undefined) return yield* NotFound.of(what)
    return { participantId: userId, userId, name: state.name, kind: "user", ...access }
  })

const attendeeOf = (
  event: AudienceEvent,
  { participantId, name, as }: Extract<SessionPrincipal, { kind: "attendee" }>,
): Caller => ({ participantId, userId: null, name, kind: as, role: guestRole(modalitiesOf(event)) })

/** A signed-out person, identified by their browser's id, with their address. */
export const signedOut = (participantId: string, address: string): Caller => ({
  participantId,
  userId: null,
  name: null,
  kind: "anonymous",
  role: "viewer",
  address,
})

/** The session's participant on the event; `what` names an object that others do not see. */
export const participantOf = (
  event: AudienceEvent,
  session: SessionPrincipal,
  what: string,
): Effect.Effect<Caller, Failure, Database> =>
  Effect.flatMap(Database, (database) =>
    database.run((sql) =>
      Effect.gen(function* () {
        if (session.kind === "attendee" && session.eventId !== event.id) return yield* NotFound.of(what)
        const participant =
          session.kind === "attendee" ? attendeeOf(event, session) : yield* userOf(sql, event, session, what)
        const { participantId, manages } = participant
        if (manages !== true && (yield* query(() => isBlockedAt(sql, event.id, participantId)))) return yield* removed
        return participant
      }),
    ),
  )

/** Signed-out people take part only in public events, with the acts that each event allows. */
export const allowSignedOut = (
  event: Event,
  permission: "allowAnonymousVoting" | "allowAnonymousQuestions",
): Effect.Effect<void, SignInRequired> =>
  event.visibility === "public" && event[permission]
    ? Effect.void
    : Effect.fail(new SignInRequired({ detail: "Sign in to take part in this event." }))

const COOKIE = "gc_anon"

/**
 * The signed-out voter of a request, from its cookie; null without a valid signed cookie. A vote by cookie must come from this site, or
 * from no browser at all: another site's page would vote in the name of its visitor.
 */
export const signedOutVoter = (request: HttpRequest): Effect.Effect<string | null, Forbidden, HttpSettings | Tokens> =>
  Effect.gen(function* () {
    if (isForeignSite(request, yield* HttpSettings)) {
      return yield* new Forbidden({ detail: "A vote without a session must come from this site." })
    }
    const cookie = cookieValue(request.headers["cookie"], COOKIE)
    if (cookie === undefined) return null
    return yield* (yield* Tokens).verify("voter", cookie).pipe(
      Effect.map(({ claims }) => claims.participantId),
      Effect.orElseSucceed(() => null),
    )
  })

/** The value of the `set-cookie` header that makes the browser this signed-out voter. */
export const voterCookie = (participantId: string): Effect.Effect<string, never, HttpSettings | Tokens> =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const { token } = yield* (yield* Tokens).issue("voter", { participantId })
    const secure = publicUrl.startsWith("https:") ? "; Secure" : ""
    const scope = `Path=/v1/public; HttpOnly; SameSite=Lax; Max-Age=${ANONYMOUS_VOTER_SECONDS}${secure}`
    return `${COOKIE}=${token}; ${scope}`
  })
