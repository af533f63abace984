/** Access of accounts, members and keys to workspaces. */
import { Effect } from "effect"
import type { Principal } from "../../../identity/callers/principal.ts"
import { BadRequest, type Failure, NotFound } from "../../../model/errors.ts"
import { parseId } from "../../../model/ids.ts"
import type { WorkspaceRole } from "../../../model/roles.ts"
import type { Database } from "../../../store/database.ts"
import { findUser, mayEnterWorkspace } from "../../../store/workspaces/users.ts"
import { findMember, listAccountWorkspaces } from "../../../store/workspaces/workspaces.ts"
import type { HttpRequest } from "../../transport/message.ts"
import {
  accountOf,
  type Checks,
  forbidden,
  type Grant,
  onlyEvents,
  pathId,
  refuseKeptOut,
  requireAccount,
  requireKey,
  requireManagement,
  requireManager,
  requireMember,
  run,
  signIn,
  WHOLE,
  wrongKind,
} from "../management.ts"

/** The workspace of a collection route: the key's or token's, the requested one, or the account's only one. */
const workspaceOf = (principal: Principal, request: HttpRequest): Effect.Effect<string, Failure, Database> => {
  if (principal.kind === "key" || principal.kind === "session") return Effect.succeed(principal.workspaceId)
  if (principal.kind !== "account") return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
  const asked = request.headers["x-workspace-id"]
  if (asked !== undefined) {
    const id = parseId(asked)
    return id === undefined ? Effect.fail(NotFound.of("workspace")) : Effect.succeed(id)
  }
  return run((sql) => listAccountWorkspaces(sql, principal.accountId)).pipe(
    Effect.flatMap((workspaces) => {
      const [only] = workspaces
      return only !== undefined && workspaces.length === 1
        ? Effect.succeed(only.id)
        : Effect.fail(
            BadRequest.ofHeader("x-workspace-id", "send it, because you belong to several workspaces or none"),
          )
    }),
  )
}

/** A signed-in member of the workspace in the path who has one of these roles; strangers see no such workspace. */
const memberOf = (
  principal: Principal,
  request: HttpRequest,
  roles: ReadonlyArray<WorkspaceRole>,
): Grant<"workspaceMember"> =>
  Effect.gen(function* () {
    if (principal.kind === "anonymous") return yield* signIn
    const workspaceId = yield* pathId(request, "workspace")
    if (principal.kind === "key" && principal.workspaceId !== workspaceId) return yield* NotFound.of("workspace")
    const { accountId, sessionId } = yield* requireAccount(principal)
    const { role } = yield* requireMember(workspaceId, { accountId, sessionId }, "workspace")
    if (!roles.includes(role)) return yield* forbidden(`Only ${roles.join("s and ")}s of the workspace may do this.`)
    return { workspaceId, accountId, sessionId, role }
  })

/** Like `memberOf`, or a key of the workspace. */
const memberOrKeyOf = (
  principal: Principal,
  request: HttpRequest,
  roles: ReadonlyArray<WorkspaceRole>,
): Grant<"workspaceAdminOrKey"> =>
  principal.kind === "key"
    ? Effect.flatMap(pathId(request, "workspace"), (workspaceId) =>
        Effect.as(requireManagement(principal, workspaceId, "workspace", WHOLE), {
          workspaceId,
          accountId: null,
          keyId: principal.keyId,
          rights: principal.rights,
        }),
      )
    : memberOf(principal, request, roles)

export const WORKSPACES = {
  account: requireAccount,
  accountOrPlatform: (principal) =>
    principal.kind === "platform" ? Effect.succeed({ accountId: null }) : requireAccount(principal),
  platform: (principal) => {
    if (principal.kind === "platform") return Effect.succeed({})
    return Effect.fail(principal.kind === "anonymous" ? signIn : wrongKind)
  },
  key: requireKey,
  workspaceGuest: (principal, request) =>
    Effect.gen(function* () {
      const { accountId, sessionId } = yield* requireAccount(principal)
      const workspaceId = yield* pathId(request, "workspace")
      if (!(yield* run((sql) => mayEnterWorkspace(sql, workspaceId, accountId)))) return yield* NotFound.of("workspace")
      const member = yield* run((sql) => findMember(sql, workspaceId, { accountId, sessionId }))
      if (member !== undefined) yield* refuseKeptOut(member)
      return { workspaceId, accountId, sessionId }
    }),
  workspaceMember: (principal, request) => memberOf(principal, request, ["owner", "admin", "member"]),
  workspaceAdmin: (principal, request) => memberOf(principal, request, ["owner", "admin"]),
  workspaceOwner: (principal, request) => memberOf(principal, request, ["owner"]),
  workspaceMemberOrKey: (principal, request) => memberOrKeyOf(principal, request, ["owner", "admin", "member"]),
  workspaceAdminOrKey: (principal, request) => memberOrKeyOf(principal, request, ["owner", "admin"]),
  workspace: (principal, request) =>
    Effect.gen(function* () {
      const credential = yield* requireManager(principal)
      const workspaceId = yield* workspaceOf(principal, request)
      yield* requireManagement(principal, workspaceId, "workspace", WHOLE)
      return { workspaceId, accountId: accountOf(principal), credential }
    }),
  workspaceEvents: (principal, request) =>
    Effect.gen(function* () {
      yield* requireManager(principal)
      const workspaceId = yield* workspaceOf(principal, request)
      const eventIds = principal.kind === "key" ? principal.rights.eventIds : null
      if (eventIds === null) yield* requireManagement(principal, workspaceId, "workspace", WHOLE)
      return { workspaceId, eventIds }
    }),
  keyUser: (principal, request) =>
    Effect.gen(function* () {
      const { workspaceId, keyId, rights } = yield* requireKey(principal)
      if (rights.eventIds !== null) return yield* onlyEvents
      const id = yield* pathId(request, "user")
      const user = yield* run((sql) => findUser(sql, id))
      if (user === undefined || user.workspaceId !== workspaceId) return yield* NotFound.of("user")
      return { workspaceId, keyId, user }
    }),
} satisfies Partial<Checks>
