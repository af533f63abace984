/** Reading the audit log. */
import { Effect } from "effect"
import { Database } from "../../../store/database.ts"
import { pageAudit } from "../../../store/workspaces/audit.ts"
import type { Audit, AuditAction } from "../../contract/workspaces/audit.ts"
import type { Handlers } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"

export const audit: Handlers<typeof Audit> = {
  listAudit: {
    access: "workspaceAdminOrKey",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageAudit(sql, call.scope.workspaceId, request))
        const entries = page.rows.map(({ action, actorKind, actorId, ...entry }) => ({
          ...entry,
          action: action as AuditAction,
          actor: { kind: actorKind, id: actorId },
        }))
        return pageReply(call, page, { entries, nextCursor: page.nextCursor })
      }),
  },
}
