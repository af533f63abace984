/** Inviting, and what an invite's holder can do. */
import { Effect } from "effect"
import {
  acceptInvite,
  declineInvite,
  type IssuedInvite,
  issueInvite,
  readInvitation,
  reissueInvite,
  revokeInvite,
} from "../../../identity/invites.ts"
import { type EmailMessage, invitationEmail, workspaceInvitationEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { BadRequest, Conflict, NotFound, RoleNotOnEvent } from "../../../model/errors.ts"
import { scopeToGive } from "../../../model/key-rights.ts"
import { acceptedRoles } from "../../../model/modality.ts"
import type { EventRole, WorkspaceRole } from "../../../model/roles.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { type Credential, keyOf, lockWorkspace, requireCredential } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { findEventWithPhases } from "../../../store/events/events.ts"
import { query } from "../../../store/query.ts"
import {
  findWorkspaceInvitation,
  type InvitationRow,
  type InviteRow,
  isMemberByEmail,
  pageInvites,
} from "../../../store/workspaces/invites.ts"
import type { Invites } from "../../contract/workspaces/invites.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { requireGivable } from "../../requests/management.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { countEmailsToOthers, type MailSender, requireProvedSender, unaskedEmails } from "./mail-to-others.ts"

interface Asked {
  readonly email?: string
  readonly role?: string
  readonly kind?: "workspace" | "event"
  readonly eventId?: string
}

const WORKSPACE_ROLES = ["member", "admin"]

/** Grant of a workspace invite. Fails with `Conflict` for a member. */
const toWorkspace = (sql: Queryable, workspaceId: string, { email, role = "member", eventId }: Asked) =>
  Effect.gen(function* () {
    if (eventId !== undefined) return yield* BadRequest.ofField("eventId", "a workspace invite names no event")
    if (!WORKSPACE_ROLES.includes(role)) return yield* BadRequest.ofField("role", "must be member or admin")
    if (email !== undefined && (yield* query(() => isMemberByEmail(sql, workspaceId, foldEmail(email))))) {
      return yield* new Conflict({ detail: "This address belongs to a member." })
    }
    return { kind: "workspace" as const, role, eventId: null }
  })

/** Grant of an event invite. Fails with `Conflict` for an event that is over. */
const toEvent = (sql: Queryable, workspaceId: string, { role, eventId }: Asked) =>
  Effect.gen(function* () {
    if (eventId === undefined) return yield* BadRequest.ofField("eventId", "an event invite names one")
    const event = yield* query(() => findEventWithPhases(sql, eventId))
    if (event === undefined || event.workspaceId !== workspaceId) return yield* NotFound.of("event")
    const accepted = acceptedRoles(event.phases.map(({ modality }) => modality))
    // An event without phases has no default role, and an absent role must not make the invitee an administrator.
    const given = role ?? (accepted.includes("participant") ? "participant" : "viewer")
    if (!accepted.includes(given as EventRole)) return yield* new RoleNotOnEvent({ acceptedRoles: accepted })
    if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    return { kind: "event" as const, role: given, eventId }
  })

/** Masks an address, `ada@example.com` → `a•••@example.com`: enough to recognise one's own, too little to learn another's. */
const masked = (email: string | null): string | null => email?.replace(/^(.).*(@[^@]*)$/, "$1•••$2") ?? null

const invitedEvent = ({ eventId, eventTitle, scheduledAt }: InvitationRow) =>
  eventId === null || eventTitle === null ? null : { id: eventId, title: eventTitle, scheduledAt }

const previewOf = (invitation: InvitationRow) => ({
  kind: invitation.kind,
  status: invitation.status,
  workspace: { name: invitation.workspace, slug: invitation.workspaceSlug },
  event: invitedEvent(invitation),
  role: invitation.role,
  email: masked(invitation.email),
  expiresAt: invitation.expiresAt,
})

/**
 * Sends an invitation: a sender with a verified address may write to others, and each address gets a limited number of emails. Refused
 * invitations are not counted.
 */
const mailing = <A, E, R>(sender: MailSender, email: string | null | undefined, announcing: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if (email === undefined || email === null) return yield* announcing
    yield* requireProvedSender(sender)
    const giveBack = yield* (yield* RateLimits).mail("invitation", foldEmail(email))
    return yield* Effect.tapError(announcing, () => giveBack)
  })

interface Issued {
  readonly issued: IssuedInvite
  readonly invitation: InvitationRow
}

/** The inviter gets the link when no email was sent, and in development. */
const answerOf = (
  invite: InviteRow,
  inviteUrl: string,
  outcome: "posted" | "refused" | "off",
  emailDevMode: boolean,
) => ({
  ...invite,
  ...(outcome === "posted" && !emailDevMode ? {} : { inviteUrl }),
  ...(outcome === "refused" ? { mailed: false as const } : {}),
})

const emailOf = (of: InvitationRow, email: string, role: string, url: string, unsubscribeUrl: string): EmailMessage => {
  const { workspace, eventTitle: event } = of
  // Invites are made with a role of the workspace or of the event.
  return event === null
    ? workspaceInvitationEmail(email, { workspace, role: role as WorkspaceRole }, url, unsubscribeUrl)
    : invitationEmail(email, { ...of, event, role: role as EventRole }, url, unsubscribeUrl)
}

/** Mails the invite if its address takes invitations, and answers with the link if it may be shown. */
const announce = <E>(
  credential: Credential & { readonly workspaceId: string },
  invitationOf: (sql: Queryable) => Effect.Effect<Issued, E>,
) =>
  Effect.gen(function* () {
    const { appUrl, emailDevMode, mailPerWorkspacePerDay } = yield* HttpSettings
    const mailer = yield* Mailer
    const post = yield* unaskedEmails
    const answer = yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        // Locked first: a concurrent removal of the caller either precedes and refuses this, or follows and revokes the invite.
        yield* query(() => lockWorkspace(sql, credential.workspaceId))
        yield* requireCredential(sql, credential.workspaceId, credential)
        const { issued, invitation } = yield* invitationOf(sql)
        const inviteUrl = `${appUrl}/invite#token=${issued.token}`
        const { email, role } = issued.invite
        if (email === null) return { ...issued.invite, inviteUrl }
        const { workspaceId } = invitation
        const outcome = yield* query(() =>
          post(sql, { workspaceId, kind: "invitation", email }, (unsubscribeUrl) =>
            emailOf(invitation, email, role, inviteUrl, unsubscribeUrl),
          ),
        )
        if (outcome === "posted") yield* countEmailsToOthers(sql, workspaceId, 1, mailPerWorkspacePerDay)
        return answerOf(issued.invite, inviteUrl, outcome, emailDevMode)
      }),
    )
    mailer.collect()
    return answer
  })

/** The invite ends with the rights of its maker, or of the member who renewed it last. */
const makerOf = (scope: Scopes["workspaceAdminOrKey"]) => ({
  createdByAccountId: scope.accountId,
  createdByKeyId: keyOf(scope),
})

const findIn = (sql: Queryable, workspaceId: string, inviteId: string) =>
  Effect.gen(function* () {
    const invitation = yield* query(() => findWorkspaceInvitation(sql, workspaceId, inviteId))
    return invitation ?? (yield* NotFound.of("invite"))
  })

export const invites = {
  createInvite: {
    access: "workspaceAdminOrKey",
    handle: ({ payload, scope, scope: { workspaceId }, path }) =>
      mailing(
        scope,
        payload.email,
        announce(scope, (sql) =>
          Effect.gen(function* () {
            const kind = payload.kind ?? (payload.eventId === undefined ? "workspace" : "event")
            const to = yield* kind === "event"
              ? toEvent(sql, workspaceId, payload)
              : toWorkspace(sql, workspaceId, payload)
            yield* requireGivable(scope, scopeToGive(to.role))
            const email = payload.email === undefined ? null : foldEmail(payload.email)
            const issued = yield* issueInvite(sql, { workspaceId, email, ...makerOf(scope), ...to })
            return { issued, invitation: yield* findIn(sql, workspaceId, issued.invite.id) }
          }),
        ),
      ).pipe(
        Effect.map((invite) => new Reply(invite, { status: 201, headers: [["location", `${path}/${invite.id}`]] })),
      ),
  },
  listInvites: {
    access: "workspaceMemberOrKey",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageInvites(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { invites: page.rows, nextCursor: page.nextCursor })
      }),
  },
  revokeInvite: {
    access: "workspaceAdminOrKey",
    handle: ({ params: { inviteId }, scope: { workspaceId } }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction((sql) =>
          Effect.flatMap(findIn(sql, workspaceId, inviteId), (invitation) => revokeInvite(sql, invitation)),
        ),
      ).pipe(Effect.as(new Reply(undefined, {}))),
  },
  resendInvite: {
    access: "workspaceAdminOrKey",
    handle: ({ params: { inviteId }, scope, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const { email } = yield* (yield* Database).run((sql) => findIn(sql, workspaceId, inviteId))
        const announcing = announce(scope, (sql) =>
          Effect.gen(function* () {
            const invitation = yield* findIn(sql, workspaceId, inviteId)
            yield* requireGivable(scope, scopeToGive(invitation.role))
            return { issued: yield* reissueInvite(sql, invitation, makerOf(scope)), invitation }
          }),
        )
        return yield* mailing(scope, email, announcing)
      }),
  },
  previewInvite: {
    access: "public",
    handle: ({ params }) =>
      Effect.flatMap(Database, (database) => database.run((sql) => readInvitation(sql, params.token))).pipe(
        Effect.map(previewOf),
      ),
  },
  acceptInvite: {
    access: "account",
    handle: ({ params, scope: { accountId } }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction((sql) => acceptInvite(sql, params.token, accountId)),
      ).pipe(
        Effect.map(({ invite, invitation }) => {
          const event = invitedEvent(invitation)
          return {
            invite,
            workspace: {
              id: invitation.workspaceId,
              name: invitation.workspace,
              slug: invitation.workspaceSlug,
            },
            ...(event === null ? {} : { event }),
          }
        }),
      ),
  },
  declineInvite: {
    access: "public",
    handle: ({ params }) =>
      Effect.flatMap(Database, (database) => database.transaction((sql) => declineInvite(sql, params.token))).pipe(
        Effect.map(previewOf),
      ),
  },
} satisfies Handlers<typeof Invites>
