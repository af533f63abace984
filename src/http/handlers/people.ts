/** Users and memberships. */
import { Effect } from "effect"
import { Tokens } from "../../identity/tokens.ts"
import { NotFound, RoleNotOnEvent } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { newId } from "../../model/ids.ts"
import { acceptedRoles, type EventRole } from "../../model/roles.ts"
import { afterCommit, Database } from "../../store/database.ts"
import { listPhases } from "../../store/events.ts"
import { onForeignKeyViolation } from "../../store/sqlstate.ts"
import { findUser, type MembershipRow, pageUsers, upsertMembership, upsertUser } from "../../store/users.ts"
import { type Handlers, Reply } from "../call.ts"
import type { People } from "../contract/people.ts"
import { ask } from "../live-commands.ts"
import { pageReply, pageRequest } from "../paging.ts"

/** Whoever is at the live event has the new role at once; others bring it along when they come. */
const tellThem = ({ id, status }: Pick<Event, "id" | "status">, userId: string, role: EventRole) =>
  status === "live" ? Effect.ignore(ask(id, { type: "role.set", d: { id: userId, role } }, null)) : Effect.void

export const people: Handlers<typeof People> = {
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
        database.run((sql) => upsertUser(sql, { id: newId(), workspaceId, accountId: null, ...payload })),
      ).pipe(Effect.map(({ created, ...user }) => new Reply(user, { status: created ? 201 : 200 }))),
  },
  createUserSession: {
    access: "keyUser",
    handle: ({ scope: { workspaceId, user } }) =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        // A key vouches for its own users, but the session is no management credential: it carries no account.
        const issued = yield* tokens.issue("workspace", {
          userId: user.id,
          workspaceId,
          accountId: null,
          credentialsVersion: null,
        })
        return { sessionToken: issued.token, expiresAt: issued.expiresAt, userId: user.id }
      }),
  },
  createMembership: {
    access: "event",
    handle: ({ payload: { userId, role }, scope: { event, workspaceId } }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction<MembershipRow & { readonly created: boolean }, NotFound | RoleNotOnEvent>(async (sql) => {
          const user = await findUser(sql, userId)
          if (user === undefined || user.workspaceId !== workspaceId) throw NotFound.of("user")
          const accepted = acceptedRoles((await listPhases(sql, event.id)).map(({ modality }) => modality))
          if (!accepted.includes(role)) throw new RoleNotOnEvent({ acceptedRoles: accepted })
          // The event may be deleted while this runs.
          const membership = { id: newId(), eventId: event.id, userId, role }
          return onForeignKeyViolation(upsertMembership(sql, membership), () => NotFound.of("event"))
        }),
      ).pipe(
        Effect.tap(() => afterCommit(tellThem(event, userId, role))),
        Effect.map(({ created, ...membership }) => new Reply(membership, { status: created ? 201 : 200 })),
      ),
  },
}
