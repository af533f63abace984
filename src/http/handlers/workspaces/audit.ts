/** Reading the audit log. */
import { decodeCursor } from "../../../store/page.ts"
import { type AuditRow, pageAudit } from "../../../store/workspaces/audit.ts"
import type { Audit } from "../../contract/workspaces/audit.ts"
import type { Handlers } from "../../requests/call.ts"
import type { Columns } from "../../requests/csv.ts"
import { listOrFileOf } from "../../requests/file.ts"

const viewOf = ({ actorKind, actorId, ...entry }: AuditRow) => ({ ...entry, actor: { kind: actorKind, id: actorId } })

const COLUMNS: Columns<AuditRow> = {
  names: ["id", "createdAt", "action", "actorKind", "actorId", "targetId", "requestId", "address", "client"],
  rowsOf: ({ id, createdAt, action, actorKind, actorId, targetId, requestId, address, client }) => [
    [id, createdAt, action, actorKind, actorId, targetId, requestId, address, client],
  ],
}

export const audit = {
  listAudit: {
    access: "workspaceAdminOrKey",
    handle: (call) =>
      listOrFileOf(call.scope.workspaceId, call, "entries", {
        read: (sql, workspaceId, request) => pageAudit(sql, workspaceId, request, call.query),
        decode: decodeCursor,
        view: viewOf,
        columns: COLUMNS,
      }),
  },
} satisfies Handlers<typeof Audit>
