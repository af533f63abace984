/** Access to single objects of a workspace, for those who manage it. */
import { Effect } from "effect"
import type { Principal } from "../../../identity/callers/principal.ts"
import { type Failure, NotFound, type Unavailable } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import type { Credential } from "../../../store/accounts/credentials.ts"
import type { Database, Queryable } from "../../../store/database.ts"
import type { Agendas } from "../../../store/events/agendas.ts"
import { type EventAgenda, findEvent, findPhaseOwner } from "../../../store/events/events.ts"
import { findQuestionOwner } from "../../../store/events/questions.ts"
import { findSeries } from "../../../store/events/series.ts"
import { findClipOwner } from "../../../store/media/clips.ts"
import { findRecordingOwner } from "../../../store/media/recordings.ts"
import { findWebhookDeliveryOwner } from "../../../store/webhooks/webhook-delivery-log.ts"
import { findWebhookEndpointOwner } from "../../../store/webhooks/webhook-endpoints.ts"
import { findUser } from "../../../store/workspaces/users.ts"
import type { HttpRequest } from "../../transport/message.ts"
import type { Scopes } from "../call.ts"
import {
  accountOf,
  type Checks,
  ofWorkspace,
  pathId,
  requireAdmin,
  requireManagement,
  requireManager,
  run,
  type Subject,
  WHOLE,
  withAgenda,
} from "../management.ts"

/** The caller who manages the object, and the id in the path. */
interface Manager {
  readonly id: string
  readonly credential: Credential
  readonly accountId: string | null
}

/** Looks up the object named by the path and checks that the caller manages its workspace. */
const managed =
  <Found extends { readonly workspaceId: string }, Scope>(
    what: string,
    find: (id: string) => Effect.Effect<Found | undefined, Unavailable, Agendas | Database>,
    subjectOf: (found: Found) => Subject,
    scopeOf: (found: Found, manager: Manager) => Scope,
  ) =>
  (principal: Principal, request: HttpRequest): Effect.Effect<Scope, Failure, Agendas | Database> =>
    Effect.gen(function* () {
      const credential = yield* requireManager(principal)
      const id = yield* pathId(request, what)
      const found = yield* find(id)
      if (found === undefined) return yield* NotFound.of(what)
      yield* requireManagement(principal, found.workspaceId, what, subjectOf(found))
      return scopeOf(found, { id, credential, accountId: accountOf(principal) })
    })

const stored =
  <Found>(find: (sql: Queryable, id: string) => Promise<Found>) =>
  (id: string): Effect.Effect<Found, Unavailable, Database> =>
    run((sql) => find(sql, id))

const ofEvent = ({ id }: { readonly id: string }): Subject => ({ eventId: id })

const userOf = managed(
  "user",
  stored(findUser),
  ofWorkspace,
  ({ workspaceId, sessionVersion: _, ...user }, { credential }) => ({ workspaceId, credential, user }),
)

const eventOf = managed<Event, Scopes["event"]>(
  "event",
  stored(findEvent),
  ofEvent,
  (event, { credential, accountId }) => ({ workspaceId: event.workspaceId, accountId, credential, event }),
)

export const OBJECTS = {
  event: eventOf,
  eventOfWorkspace: (principal, request) =>
    Effect.tap(eventOf(principal, request), ({ workspaceId }) =>
      requireManagement(principal, workspaceId, "event", WHOLE),
    ),
  series: managed("series", stored(findSeries), ofWorkspace, (series) => ({ series })),
  agenda: managed<EventAgenda, Scopes["agenda"]>("event", withAgenda, ofEvent, (event) => ({
    workspaceId: event.workspaceId,
    event,
  })),
  phase: managed(
    "phase",
    stored(findPhaseOwner),
    (phase) => phase,
    ({ workspaceId, eventId }, { id: phaseId }) => ({ workspaceId, eventId, phaseId }),
  ),
  question: managed(
    "question",
    stored(findQuestionOwner),
    (question) => question,
    ({ workspaceId, eventId }, { id: questionId }) => ({ workspaceId, eventId, questionId }),
  ),
  recording: managed(
    "recording",
    stored(findRecordingOwner),
    ({ recording }) => recording,
    ({ workspaceId, recording }) => ({ workspaceId, recording }),
  ),
  clip: managed(
    "clip",
    stored(findClipOwner),
    ({ clip }) => clip,
    ({ workspaceId, clip }) => ({ workspaceId, clip }),
  ),
  user: (principal, request) =>
    Effect.tap(userOf(principal, request), ({ workspaceId }) => requireAdmin(principal, workspaceId)),
  webhook: managed(
    "webhook",
    stored(findWebhookEndpointOwner),
    ofWorkspace,
    ({ workspaceId }, { id: webhookId, credential }) => ({ workspaceId, webhookId, credential }),
  ),
  webhookDelivery: managed(
    "delivery",
    stored(findWebhookDeliveryOwner),
    ofWorkspace,
    ({ workspaceId }, { id: deliveryId, credential }) => ({ workspaceId, deliveryId, credential }),
  ),
} satisfies Partial<Checks>
