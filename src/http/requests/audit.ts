/** Writes the audit log after an administrative act succeeded and before it is answered, so that the caller finds the entry. */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import { Database } from "../../store/database.ts"
import { OutboxSignal } from "../../store/webhooks/outbox.ts"
import { type ActorKind, listWorkspacesOf, type NewAuditEntry } from "../../store/workspaces/audit.ts"
import { AuditLog } from "../../store/workspaces/audit-log.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { ACCOUNT_ACTIONS, type AuditAction } from "../contract/workspaces/audit.ts"
import { deviceOf, type HttpRequest, queryOf } from "../transport/message.ts"
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

/** Parts of a handler's result that identify the object of the act. */
interface Result {
  readonly id?: unknown
  readonly workspace?: { readonly id?: unknown }
  readonly invite?: { readonly id?: unknown }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The id of a created object is in the result; any other object is the last one named by the path. */
const targetOf = (request: HttpRequest, result: Result): string | null =>
  text(result.id) ?? text(result.invite?.id) ?? text(Object.values(request.params).at(-1))

/** Only the result holds the id of a workspace that was just created, or joined by an invite. */
const workspaceOf = (scope: { readonly workspaceId?: string }, { id, workspace }: Result): string | null =>
  scope.workspaceId ?? text(workspace?.id) ?? text(id)

export const originOf = (request: HttpRequest) => ({ address: request.client || null, client: deviceOf(request) })

type Writing = Effect.Effect<void, never, AuditLog | Database | OutboxSignal | Telemetry>
type Note = (
  principal: Principal,
  request: HttpRequest,
  scope: { readonly workspaceId?: string },
  reply: Reply<unknown>,
) => Writing

const write: (action: AuditAction) => Note =
  (action) =>
  (principal, request, scope, { body, targets }) =>
    Effect.gen(function* () {
      const actor = actorOf(principal)
      const result: Result = typeof body === "object" && body !== null ? body : {}
      if (actor === undefined) return
      const workspaceId = workspaceOf(scope, result)
      const act = { action, ...actor, requestId: request.requestId, ...originOf(request) }
      if (ACCOUNT_ACTIONS.has(action)) return yield* writeForAccount({ ...act, targetId: targetOf(request, result) })
      if (workspaceId === null) return
      yield* writeEntries(
        (targets ?? [targetOf(request, result)]).map((targetId) => ({ ...act, workspaceId, targetId })),
      )
    })

const exported = write("personal_data.exported")
const read = write("personal_data.read")

/** Reads are logged once an hour by actor and object, however many pages are read. */
const readNote: Note = (principal, request, scope, reply) => {
  if (queryOf(request)["format"] === "csv") return exported(principal, request, scope, reply)
  return Effect.flatMap(AuditLog, ({ isFirstRead }) =>
    isFirstRead(`${actorOf(principal)?.actorId} ${request.path}`)
      ? read(principal, request, scope, reply)
      : Effect.void,
  )
}

/** Logs an endpoint's success; `undefined` for an endpoint that is no act. */
export const auditOf = ({
  audited,
  readsPeople,
}: {
  readonly audited: AuditAction | undefined
  readonly readsPeople: boolean
}): Note | undefined => {
  if (audited !== undefined) return write(audited)
  return readsPeople ? readNote : undefined
}

/** Logs an act on the actor's own account for every workspace that the account belongs to. */
export const writeForAccount = (entry: Omit<NewAuditEntry, "workspaceId">): Writing =>
  Effect.flatMap(Database, (database) => database.run((sql) => listWorkspacesOf(sql, entry.actorId))).pipe(
    Effect.catch(() => Effect.succeed([])),
    Effect.flatMap((workspaces) => writeEntries(workspaces.map((workspaceId) => ({ ...entry, workspaceId })))),
  )

/** An entry that cannot be written does not undo the act; the failure is logged for the operator. */
export const writeEntries = (entries: ReadonlyArray<NewAuditEntry>): Writing =>
  Effect.gen(function* () {
    const deliveries = yield* Effect.catch((yield* AuditLog).write(entries), (failure) =>
      Effect.map(Telemetry, ({ log }) => {
        for (const { address: _, client: __, ...entry } of entries) {
          log.error({ ...entry, err: failure }, "an audit entry was lost")
        }
        return 0
      }),
    )
    if (deliveries > 0) (yield* OutboxSignal).notify()
  })
