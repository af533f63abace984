/**
 * Partner guests: their integrations, and the exchange of a partner's token for a guest session.
 *
 * The token is the authority, so an event's visibility does not matter: a private or unlisted event admits guests like a public one. A
 * draft answers 404 and an ended event 409, as for every caller. A wrong token tells a caller who knows a private event's id only that the
 * event exists.
 */
import { Effect } from "effect"
import { registerGuestIntegration } from "../../../identity/partners/guest-integrations.ts"
import { type PartnerGuest, PartnerTokens, tokenRefused } from "../../../identity/partners/partner-tokens.ts"
import { Tokens } from "../../../identity/tokens.ts"
import { AccountExists, Conflict, NotFound } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { refusalDetail } from "../../../model/integrations/guest-integration.ts"
import { guestRole } from "../../../model/modality.ts"
import { guestAt } from "../../../model/participants.ts"
import { isProvedEmail } from "../../../store/accounts/accounts.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { listPhases } from "../../../store/events/events.ts"
import { findRoleNow } from "../../../store/live/live-events.ts"
import { isBeingErased } from "../../../store/personal/guests.ts"
import { query } from "../../../store/query.ts"
import {
  isIntegrationActive,
  listGuestRefusals,
  noteRefusal,
  pageGuestIntegrations,
  revokeGuestIntegration,
} from "../../../store/workspaces/guest-integrations.ts"
import type { Guests } from "../../contract/workspaces/guests.ts"
import type { Handlers } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"

const erasing = new Conflict({
  detail: "What is stored about this guest is being erased, which takes a quarter of an hour. Try again later.",
})

/**
 * The guest's role in the active phase. Fails for an integration revoked meanwhile, for the address of an account, and while the guest is
 * being erased.
 */
const admit = (sql: Queryable, event: Event, participantId: string, guest: PartnerGuest) =>
  Effect.gen(function* () {
    const { integrationId, issuer, email } = guest
    const [isActive, hasAccount, isErasing, phases] = yield* query(() =>
      Promise.all([
        isIntegrationActive(sql, integrationId),
        email !== null && isProvedEmail(sql, email),
        isBeingErased(sql, participantId),
        listPhases(sql, event.id),
      ]),
    )
    // Fetching the issuer's keys may have taken seconds; a revocation applies to every guest that is not admitted yet.
    if (!isActive) {
      const reason = "unknown_issuer"
      const refusal = { workspaceId: event.workspaceId, integrationId: null, reason } as const
      yield* query(() => noteRefusal(sql, { ...refusal, detail: refusalDetail(reason, { issuer }) }))
      return yield* tokenRefused
    }
    if (hasAccount) return yield* new AccountExists()
    if (isErasing) return yield* erasing
    const role = guestRole(phases.map(({ modality }) => modality))
    return yield* query(() => findRoleNow(sql, { eventId: event.id, participantId, role }))
  })

export const guests = {
  createGuestIntegration: {
    access: "workspaceAdminOrKey",
    handle: ({ payload, scope }) => registerGuestIntegration({ ...payload, workspaceId: scope.workspaceId }, scope),
  },
  listGuestIntegrations: {
    access: "workspaceMemberOrKey",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageGuestIntegrations(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { integrations: page.rows, nextCursor: page.nextCursor })
      }),
  },
  listGuestRefusals: {
    access: "workspaceMemberOrKey",
    handle: ({ scope: { workspaceId } }) =>
      Effect.gen(function* () {
        return { refusals: yield* (yield* Database).run((sql) => listGuestRefusals(sql, workspaceId)) }
      }),
  },
  deleteGuestIntegration: {
    access: "workspaceAdminOrKey",
    handle: ({ params: { integrationId }, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const isRevoked = yield* database.run((sql) => revokeGuestIntegration(sql, workspaceId, integrationId))
        if (!isRevoked) return yield* NotFound.of("guest integration")
      }),
  },
  createGuestSession: {
    access: "openEvent",
    handle: ({ payload: { token }, scope: { event } }) =>
      Effect.gen(function* () {
        const guest = yield* (yield* PartnerTokens).verify(event.workspaceId, token)
        if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
        const participantId = guestAt(event.id, { issuer: guest.issuer, subject: guest.sub })
        const role = yield* (yield* Database).run((sql) => admit(sql, event, participantId, guest))
        const session = { participantId, eventId: event.id, name: guest.name }
        const issued = yield* (yield* Tokens).issue("guest", session)
        return {
          sessionToken: issued.token,
          expiresAt: issued.expiresAt,
          eventId: event.id,
          participantId: session.participantId,
          name: guest.name,
          role,
        }
      }),
  },
} satisfies Handlers<typeof Guests>
