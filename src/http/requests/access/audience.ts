/** Access of the audience: events and what belongs to them, as far as the caller may see them. */
import { Effect } from "effect"
import type { Principal } from "../../../identity/callers/principal.ts"
import { type Failure, type Forbidden, NotFound, type Unavailable } from "../../../model/errors.ts"
import { type Event, isShared } from "../../../model/event.ts"
import { accessOf } from "../../../model/grants.ts"
import { isShown } from "../../../model/question.ts"
import { findGrantState } from "../../../store/accounts/grant-states.ts"
import type { Database } from "../../../store/database.ts"
import { Agendas } from "../../../store/events/agendas.ts"
import { findEvent } from "../../../store/events/events.ts"
import { findAsset } from "../../../store/events/public-surfaces.ts"
import { findQuestionOwner } from "../../../store/events/questions.ts"
import { findMember } from "../../../store/workspaces/workspaces.ts"
import { allowSignedOut, participantOf, signedOut, signedOutVoter } from "../audience.ts"
import type { Scopes } from "../call.ts"
import { type Checks, pathId, run, withAgenda, wrongKind } from "../management.ts"
import { visitorOf } from "../visitors.ts"

/**
 * Whether the caller may see private events: with the workspace's key, as a member, with a session of a user, or as a guest of this event.
 */
const isInsider = (
  principal: Principal,
  event: Pick<Event, "id" | "workspaceId">,
): Effect.Effect<boolean, Unavailable, Database> => {
  switch (principal.kind) {
    case "attendee":
      return Effect.succeed(principal.eventId === event.id)
    case "key": {
      const { workspaceId, rights } = principal
      const isListed = rights.eventIds === null || rights.eventIds.includes(event.id)
      return Effect.succeed(workspaceId === event.workspaceId && isListed && rights.scopes.includes("read"))
    }
    case "session":
      if (principal.workspaceId !== event.workspaceId) return Effect.succeed(false)
      return Effect.map(
        run((sql) => findGrantState(sql, principal.basis, event.id)),
        (footing) => accessOf(footing) !== undefined,
      )
    case "account":
      return Effect.map(
        run((sql) => findMember(sql, event.workspaceId, principal)),
        (member) => member?.lacksFactor === false && !member.lacksSso,
      )
    default:
      return Effect.succeed(false)
  }
}

/** Drafts are visible to nobody here and private events to insiders only; an invisible event is answered as absent. */
const seen = <Found extends Pick<Event, "id" | "status" | "visibility" | "workspaceId">>(
  principal: Principal,
  event: Found | undefined,
  what: string,
): Effect.Effect<Found, Failure, Database> =>
  Effect.gen(function* () {
    if (event === undefined || event.status === "draft") return yield* NotFound.of(what)
    if (event.visibility === "private" && !(yield* isInsider(principal, event))) {
      return yield* NotFound.of(what)
    }
    return event
  })

/** The holder of a session token, or null; other credentials name no viewer and are refused. */
const viewerOf = (principal: Principal): Effect.Effect<Scopes["optionalSession"], Forbidden> => {
  if (principal.kind === "session" || principal.kind === "attendee") return Effect.succeed({ session: principal })
  return principal.kind === "anonymous" ? Effect.succeed({ session: null }) : Effect.fail(wrongKind)
}

/** Public, shared and live events. */
export const AUDIENCE = {
  publicEvent: (principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      return { event: yield* seen(principal, yield* withAgenda(id), "event") }
    }),
  publicAsset: (principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "asset")
      const asset = yield* run((sql) => findAsset(sql, id))
      if (asset === undefined) return yield* NotFound.of("asset")
      return { asset, event: yield* seen(principal, yield* run((sql) => findEvent(sql, asset.eventId)), "asset") }
    }),
  sharedEvent: (_, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      const event = yield* run((sql) => findEvent(sql, id))
      return event === undefined || !isShared(event) ? yield* NotFound.of("event") : { event }
    }),
  openEvent: (_principal, request) =>
    Effect.gen(function* () {
      const id = yield* pathId(request, "event")
      const event = yield* run((sql) => findEvent(sql, id))
      return event === undefined || event.status === "draft" ? yield* NotFound.of("event") : { event }
    }),
  optionalSession: viewerOf,
  audienceEvent: (principal, request) =>
    Effect.gen(function* () {
      const { session } = yield* viewerOf(principal)
      const id = yield* pathId(request, "event")
      const event = yield* seen(principal, yield* withAgenda(id), "event")
      if (session !== null) return { event, participant: yield* participantOf(event, session, "event") }
      yield* allowSignedOut(event, "allowAnonymousQuestions")
      return { event, participant: null }
    }),
  audienceQuestion: (principal, request) =>
    Effect.gen(function* () {
      const { session } = yield* viewerOf(principal)
      const id = yield* pathId(request, "question")
      const question = yield* run((sql) => findQuestionOwner(sql, id))
      if (question === undefined || !isShown(question.status)) return yield* NotFound.of("question")
      const found = yield* withAgenda(question.eventId)
      const event = yield* seen(principal, found, "question")
      if (session !== null) {
        return { event, question, voter: yield* participantOf(event, session, "question") }
      }
      yield* allowSignedOut(event, "allowAnonymousVoting")
      const voterId = yield* signedOutVoter(request)
      return { event, question, voter: voterId === null ? null : signedOut(voterId, request.client) }
    }),
  liveEvent: (principal, request) =>
    Effect.gen(function* () {
      const { find } = yield* Agendas
      const found = Effect.flatMap(pathId(request, "event"), find)
      const { event, visitor } = yield* visitorOf(principal, request, found)
      return { workspaceId: event.workspaceId, event, visitor }
    }),
} satisfies Partial<Checks>
