/** Users and memberships. */
import { Clock, Effect } from "effect"
import { Erasures } from "../../../erasure/erasures.ts"
import { Tokens } from "../../../identity/tokens.ts"
import { NotFound, RoleNotOnEvent } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { newId } from "../../../model/ids.ts"
import { scopeToGive } from "../../../model/key-rights.ts"
import { acceptedRoles } from "../../../model/modality.ts"
import { displayName } from "../../../model/text/display-name.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { requireAndLock } from "../../../store/accounts/credentials.ts"
import { Database } from "../../../store/database.ts"
import { findEventWithPhases } from "../../../store/events/events.ts"
import { decodeCursor } from "../../../store/page.ts"
import { eraseUser } from "../../../store/personal/erasures.ts"
import { onForeignKeyViolation, query } from "../../../store/query.ts"
import {
  deleteMembership,
  findUser,
  type ListedMembershipRow,
  pageMemberships,
  pageUsers,
  upsertMembership,
  upsertUser,
} from "../../../store/workspaces/users.ts"
import type { People } from "../../contract/workspaces/people.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import type { Columns } from "../../requests/csv.ts"
import { listOrFile } from "../../requests/file.ts"
import { requireGivable } from "../../requests/management.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { announceRoles, recheckSockets } from "./grant-changes.ts"

/** A present user gets the role at once; an absent one gets it on arrival. */
const announceRole = ({ id, status }: Pick<Event, "id" | "status">, userId: string) =>
  status === "ended" ? Effect.void : announceRoles([{ eventId: id, userId }])

/** Normalised address: blocking a user must also match registrations with the same address. */
const emailOf = ({ email }: { readonly email?: string | null }): { readonly email?: string | null } =>
  typeof email === "string" ? { email: foldEmail(email) } : {}

/** Others see the name, so a name without a visible character counts as none. An absent name stays absent. */
const nameOf = ({ name }: { readonly name?: string | null }): { readonly name?: string | null } =>
  typeof name === "string" ? { name: displayName(name, "") || null } : {}

const MEMBERSHIPS: Columns<ListedMembershipRow> = {
  names: ["id", "userId", "name", "email", "role", "createdAt"],
  rowsOf: ({ id, userId, name, email, role, createdAt }) => [[id, userId, name, email, role, createdAt]],
}

export const people = {
  listUsers: {
    access: "workspace",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageUsers(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { users: page.rows, nextCursor: page.nextCursor })
      }),
  },
  upsertUser: {
    access: "workspace",
    handle: ({ payload, scope: { workspaceId } }) =>
      Effect.flatMap(Database, (database) =>
        database.run((sql) =>
          upsertUser(sql, {
            id: newId(),
            workspaceId,
            accountId: null,
            ...payload,
            ...nameOf(payload),
            ...emailOf(payload),
          }),
        ),
      ).pipe(Effect.map(({ created, sessionVersion: _, ...user }) => new Reply(user, { status: created ? 201 : 200 }))),
  },
  deleteUser: {
    access: "user",
    handle: ({ scope: { workspaceId, credential, user } }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const erasure = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* requireAndLock(sql, workspaceId, credential, "admins")
            return (
              (yield* query(() => eraseUser(sql, { workspaceId, userId: user.id }, now))) ??
              (yield* NotFound.of("user"))
            )
          }),
        )
        yield* recheckSockets({ workspaceId, userId: user.id })
        yield* (yield* Erasures).begin(erasure)
      }),
  },
  createUserSession: {
    access: "keyUser",
    handle: ({ scope: { workspaceId, keyId, user } }) =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        // A key vouches for its own users, but the session grants no management rights: it carries no login.
        const issued = yield* tokens.issue("workspace", {
          userId: user.id,
          workspaceId,
          sessionVersion: user.sessionVersion,
          login: null,
          keyId,
        })
        return { sessionToken: issued.token, expiresAt: issued.expiresAt, userId: user.id }
      }),
  },
  createMembership: {
    access: "event",
    handle: ({ payload: { userId, role }, scope: { event, workspaceId, credential } }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction((sql) =>
          Effect.gen(function* () {
            yield* requireAndLock(sql, workspaceId, credential, "members")
            const user = yield* query(() => findUser(sql, userId))
            if (user === undefined || user.workspaceId !== workspaceId) return yield* NotFound.of("user")
            // The event may be deleted meanwhile: reading it together with its agenda keeps it from looking like one without phases.
            const agenda = yield* query(() => findEventWithPhases(sql, event.id))
            if (agenda === undefined) return yield* NotFound.of("event")
            const accepted = acceptedRoles(agenda.phases.map(({ modality }) => modality))
            if (!accepted.includes(role)) return yield* new RoleNotOnEvent({ acceptedRoles: accepted })
            yield* requireGivable(credential, scopeToGive(role))
            const membership = { id: newId(), eventId: event.id, userId, role }
            return yield* onForeignKeyViolation(
              () => upsertMembership(sql, membership),
              () => NotFound.of("event"),
            )
          }),
        ),
      ).pipe(
        Effect.tap(() => announceRole(event, userId)),
        Effect.map(({ created, ...membership }) => new Reply(membership, { status: created ? 201 : 200 })),
      ),
  },
  listMemberships: {
    access: "event",
    handle: (call) =>
      listOrFile(call, "memberships", {
        read: pageMemberships,
        decode: decodeCursor,
        view: (membership) => membership,
        columns: MEMBERSHIPS,
      }),
  },
  deleteMembership: {
    access: "event",
    handle: ({ params: { membershipId }, scope: { event, workspaceId, credential } }) =>
      Effect.gen(function* () {
        const userId = yield* (yield* Database).transaction((sql) =>
          Effect.andThen(
            requireAndLock(sql, workspaceId, credential, "members"),
            query(() => deleteMembership(sql, event.id, membershipId)),
          ),
        )
        if (userId === undefined) return yield* NotFound.of("membership")
        yield* announceRole(event, userId)
        return new Reply(undefined, {})
      }),
  },
} satisfies Handlers<typeof People>
