/** Partner guests: their integrations, and the exchange of a partner's token for a guest session. */
import { Effect } from "effect"
import { registerGuestIntegration } from "../../identity/guest-integrations.ts"
import { NotFound } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { pageGuestIntegrations, revokeGuestIntegration } from "../../store/guest-integrations.ts"
import type { Handlers } from "../call.ts"
import type { Guests } from "../contract/guests.ts"
import { pageReply, pageRequest } from "../paging.ts"

export const guests: Handlers<typeof Guests> = {
  createGuestIntegration: {
    access: "workspaceAdminOrKey",
    handle: ({ payload, scope: { workspaceId } }) => registerGuestIntegration({ ...payload, workspaceId }),
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
  deleteGuestIntegration: {
    access: "workspaceAdminOrKey",
    handle: ({ params: { integrationId }, scope: { workspaceId } }) =>
      Effect.flatMap(Database, (database) =>
        database.run<void, NotFound>(async (sql) => {
          if (!(await revokeGuestIntegration(sql, workspaceId, integrationId))) throw NotFound.of("guest integration")
        }),
      ),
  },
}
