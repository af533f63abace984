/**
 * Writing the audit log: after an administrative act succeeded and before it is answered, so that the caller can find the entry
 * then. An entry that cannot be written does not undo the act; the failure is logged for the operator.
 */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import { newId } from "../../model/ids.ts"
import { Database } from "../../store/database.ts"
import { type ActorKind, insertAuditEntry } from "../../store/workspaces/audit.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { AuditAction } from "../contract/workspaces/audit.ts"
import type { HttpRequest } from "../transport/message.ts"
import type { Reply } from "./call.ts"

const actorOf = (principal: Principal): { readonly actorKind: ActorKind; readonly actorId: string } | undefined => {
  switch (principal.kind) {
    case "account":
      return { actorKind: "account", actorId: principal.accountId }
    case "key":
      return { actorKind: "key", actorId: principal.keyId }
    case "session":
      return { actorKind: "session", actorId: principal.userId }
    default:
      return undefined
  }
}

/** The parts of a handler's result that name the object of the act. */
interface Result {
  readonly id?: unknown
  readonly workspace?: { readonly id?: unknown }
  readonly invite?: { readonly id?: unknown }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The id of a created object is in the result; any other is the last one that the path names. */
const targetOf = (request: HttpRequest, result: Result): string | null =>
  text(result.id) ?? text(result.invite?.id) ?? text(Object.values(request.params).at(-1))

export const writeAudit = (
  action: AuditAction,
  principal: Principal,
  request: HttpRequest,
  scope: { readonly workspaceId?: string },
  { body, targets }: Reply<unknown>,
): Effect.Effect<void, never, Database | Telemetry> =>
  Effect.gen(function* () {
    const actor = actorOf(principal)
    const result: Result = typeof body === "object" && body !== null ? body : {}
    // A workspace that was just made, or joined by an invite, is in the result only.
    const workspaceId = scope.workspaceId ?? text(result.workspace?.id) ?? text(result.id)
    if (actor === undefined || workspaceId === null) return
    const act = { workspaceId, action, ...actor, requestId: request.requestId }
    const { log } = yield* Telemetry
    const database = yield* Database
    yield* Effect.forEach(
      targets ?? [targetOf(request, result)],
      (targetId) => {
        const entry = { id: newId(), ...act, targetId }
        return Effect.catch(
          database.run((sql) => insertAuditEntry(sql, entry)),
          (failure) => Effect.sync(() => log.error({ ...entry, err: failure }, "an audit entry was lost")),
        )
      },
      { discard: true },
    )
  })
