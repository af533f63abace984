/** Workspaces, session tokens and API keys. */
import { Clock, Effect } from "effect"
import { DeletedWorkspaces } from "../../../erasure/deleted-workspaces.ts"
import { ApiKeys, createApiKey } from "../../../identity/api-keys.ts"
import { Tokens } from "../../../identity/tokens.ts"
import { BadRequest, Conflict, Forbidden, MfaRequired, NotFound, Unauthorized } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { ALL_KEY_RIGHTS, type KeyScope } from "../../../model/key-rights.ts"
import { ACCOUNT_SUB_PREFIX } from "../../../model/participants.ts"
import type { WorkspaceRole } from "../../../model/roles.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../../model/timestamp.ts"
import { findPrimaryAddress, isSession, lockAccount } from "../../../store/accounts/accounts.ts"
import { type Credential, lockWorkspace, requireCredential } from "../../../store/accounts/credentials.ts"
import { hasFactor } from "../../../store/accounts/second-factors.ts"
import { afterCommit, Database, type Queryable } from "../../../store/database.ts"
import { findSlug, listLiveEventsOf, markWorkspaceDeleted } from "../../../store/deleted-workspaces.ts"
import { areEventsOf } from "../../../store/events/events.ts"
import { query } from "../../../store/query.ts"
import { findKeyEnd, pageApiKeys } from "../../../store/workspaces/api-keys.ts"
import { hasProvedConnection } from "../../../store/workspaces/connections.ts"
import {
  leaveWorkspace,
  makeOwner,
  pageMembers,
  removeMember,
  setMemberRole,
} from "../../../store/workspaces/members.ts"
import { mayEnterWorkspace, upsertUser } from "../../../store/workspaces/users.ts"
import {
  countFounded,
  insertWorkspace,
  pageAccountWorkspaces,
  pageWorkspaces,
  updateWorkspace,
} from "../../../store/workspaces/workspaces.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"
import type { Workspaces } from "../../contract/workspaces/workspaces.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { requireProvedSession, requireWithin } from "../../requests/management.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { ask } from "../events/live-commands.ts"
import { announceDeparture, recheckSockets } from "./grant-changes.ts"
import { announceEnded, endKey, shownEnded } from "./key-end.ts"
import { freeSlug, RETRY_SLUG } from "./slug.ts"

interface KeyInput {
  readonly name?: string | null
  readonly expiresAt?: Timestamp | null
  readonly scopes?: ReadonlyArray<KeyScope>
  readonly eventIds?: ReadonlyArray<string> | null
}

const KEY_LIFETIME_MS = 365 * 86_400_000

/** Expiry of a new key: one year by default, and never after the expiry of the key that creates it. */
const endOfNewKey = (credential: Credential, asked: KeyInput) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const database = yield* Database
    const own = "keyId" in credential ? yield* database.run((sql) => findKeyEnd(sql, credential.keyId)) : null
    const most = own === null ? Number.POSITIVE_INFINITY : toMillis(own)
    const { expiresAt = toTimestamp(Math.min(most, now + KEY_LIFETIME_MS)) } = asked
    if (expiresAt !== null && toMillis(expiresAt) <= now) {
      return yield* BadRequest.ofField("expiresAt", "must lie in the future")
    }
    if ((expiresAt === null ? Number.POSITIVE_INFINITY : toMillis(expiresAt)) > most) {
      return yield* new Forbidden({ detail: "An API key makes no key that lasts longer than itself." })
    }
    return expiresAt
  })

const createKey = (workspaceId: string, credential: Credential, asked: KeyInput) =>
  Effect.gen(function* () {
    const { name = null } = asked
    const expiresAt = yield* endOfNewKey(credential, asked)
    const own = "keyId" in credential ? credential.rights : ALL_KEY_RIGHTS
    const rights = { scopes: [...new Set(asked.scopes ?? own.scopes)], eventIds: asked.eventIds ?? own.eventIds }
    yield* requireWithin(rights, own)
    const createdByKeyId = "keyId" in credential ? credential.keyId : null
    return yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        const { eventIds } = rights
        if (eventIds !== null && !(yield* query(() => areEventsOf(sql, workspaceId, eventIds)))) {
          return yield* BadRequest.ofField("eventIds", "must name events of the workspace")
        }
        const created = yield* createApiKey(sql, { workspaceId, name, expiresAt, createdByKeyId, rights })
        yield* requireCredential(sql, workspaceId, credential)
        return created
      }),
    )
  })

/** Changes members under a lock of the workspace's row, while the caller may still do it. */
const changeMembers = <A, E>(
  { workspaceId, sessionId }: Scopes["workspaceMember"],
  who: "owners" | "admins" | "members",
  change: (sql: Queryable) => Effect.Effect<A, E>,
) =>
  Effect.flatMap(Database, (database) =>
    database.transaction((sql) =>
      Effect.gen(function* () {
        yield* query(() => lockWorkspace(sql, workspaceId))
        yield* requireCredential(sql, workspaceId, { sessionId }, who)
        return yield* change(sql)
      }),
    ),
  )

/** Only owners may set how members sign in, because this control amounts to signing in as each member. */
const requireSsoOwner = (role: WorkspaceRole, sessionId: string) =>
  role === "owner"
    ? requireProvedSession(sessionId)
    : Effect.fail(new Forbidden({ detail: "Only owners of the workspace decide how its members sign in." }))

const OTHER_SLUG = new Conflict({ detail: "The workspace has another slug; name it by its own to delete it." })
const EVENTS_AT_ONCE = 8

/** Treats an event that has ended or is gone as success. */
const endEvent = (eventId: string) =>
  Effect.catchTags(ask(eventId, { type: "event.end", d: {} }, null), {
    Conflict: () => Effect.void,
    NotFound: () => Effect.void,
  })

export const workspaces = {
  createWorkspace: {
    access: "account",
    handle: ({ payload, scope }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction((sql) =>
          Effect.gen(function* () {
            // Waits for a transaction that proves the address and takes back earlier objects, which ends the session.
            yield* query(() => lockAccount(sql, scope.accountId))
            if (!(yield* query(() => isSession(sql, scope)))) {
              return yield* new Unauthorized({ detail: "The session was ended meanwhile." })
            }
            const { workspacesPerAccount: most } = yield* HttpSettings
            if (most > 0 && (yield* query(() => countFounded(sql, scope.accountId))) >= most) {
              return yield* new Conflict({ detail: `An account may found ${most} workspaces, and this one has.` })
            }
            const slug = payload.slug ?? (yield* query(() => freeSlug(sql, payload.name)))
            const workspace = yield* insertWorkspace(sql, {
              id: newId(),
              name: payload.name,
              slug,
              memberId: newId(),
              ownerId: scope.accountId,
            })
            const { id, name, secret, prefix, createdAt } = yield* createApiKey(sql, {
              workspaceId: workspace.id,
              name: "default",
              expiresAt: toTimestamp((yield* Clock.currentTimeMillis) + KEY_LIFETIME_MS),
              createdByKeyId: null,
              rights: ALL_KEY_RIGHTS,
            })
            return { ...workspace, apiKey: { id, name, secret, prefix, createdAt } }
          }),
        ),
      ).pipe(
        // A slug chosen by the caller is for the caller to change, so only generated slugs are retried.
        Effect.retry(payload.slug === undefined ? RETRY_SLUG : { times: 0 }),
      ),
  },
  listWorkspaces: {
    access: "accountOrPlatform",
    handle: (call) =>
      Effect.gen(function* () {
        const database = yield* Database
        const request = yield* pageRequest(call.query)
        const { accountId } = call.scope
        const page = yield* database.run((sql) =>
          accountId === null ? pageWorkspaces(sql, request) : pageAccountWorkspaces(sql, accountId, request),
        )
        return pageReply(call, page, { workspaces: page.rows, nextCursor: page.nextCursor })
      }),
  },
  patchWorkspace: {
    access: "workspaceAdmin",
    handle: ({ payload, scope: { workspaceId, accountId, sessionId, role } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        if (payload.requireMfa !== undefined) yield* requireProvedSession(sessionId)
        if (payload.requireMfa === true && !(yield* database.run((sql) => hasFactor(sql, accountId)))) {
          return yield* new MfaRequired()
        }
        if (payload.sso !== undefined) yield* requireSsoOwner(role, sessionId)
        const workspace = yield* database.transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockWorkspace(sql, workspaceId))
            if (payload.sso === "required" && !(yield* query(() => hasProvedConnection(sql, workspaceId)))) {
              return yield* new Conflict({ detail: "The workspace has no connection with a proved domain." })
            }
            return yield* updateWorkspace(sql, workspaceId, payload)
          }),
        )
        if (payload.requireMfa === true || payload.sso === "required") yield* recheckSockets({ workspaceId })
        return { ...workspace, role }
      }),
  },
  deleteWorkspace: {
    access: "workspaceOwner",
    handle: ({ payload: { slug }, scope, scope: { workspaceId, accountId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const { log } = yield* Telemetry
        const present = yield* database.run((sql) => findSlug(sql, workspaceId))
        if (present === undefined) return yield* NotFound.of("workspace")
        if (present !== slug) return yield* OTHER_SLUG
        const live = yield* database.run((sql) => listLiveEventsOf(sql, workspaceId))
        // Receivers get `event.ended` before the workspace is deleted. An event that starts meanwhile is ended by the sweep.
        yield* Effect.forEach(live, endEvent, { concurrency: EVENTS_AT_ONCE, discard: true })
        yield* database.transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockWorkspace(sql, workspaceId))
            if ((yield* query(() => findSlug(sql, workspaceId))) === undefined) return yield* NotFound.of("workspace")
            yield* requireCredential(sql, workspaceId, scope, "owners")
            if (!(yield* query(() => markWorkspaceDeleted(sql, workspaceId, slug)))) return yield* OTHER_SLUG
          }),
        )
        log.info({ workspaceId, accountId }, "a workspace was deleted")
        yield* (yield* ApiKeys).forgetAll
        yield* recheckSockets({ workspaceId })
        yield* (yield* DeletedWorkspaces).sweepSoon
      }),
  },
  listMembers: {
    access: "workspaceMember",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageMembers(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { members: page.rows, nextCursor: page.nextCursor })
      }),
  },
  patchMember: {
    access: "workspaceAdmin",
    handle: ({ params: { memberId }, payload: { role }, scope, scope: { workspaceId } }) =>
      changeMembers(scope, "admins", (sql) => setMemberRole(sql, workspaceId, memberId, role)).pipe(
        Effect.tap(({ accountId }) => recheckSockets({ workspaceId, accountId })),
      ),
  },
  removeMember: {
    access: "workspaceAdmin",
    handle: ({ params: { memberId }, scope, scope: { workspaceId } }) =>
      changeMembers(scope, "admins", (sql) => removeMember(sql, workspaceId, memberId)).pipe(
        Effect.flatMap(announceDeparture(workspaceId)),
      ),
  },
  leaveWorkspace: {
    access: "workspaceMember",
    handle: ({ scope, scope: { workspaceId, accountId } }) =>
      changeMembers(scope, "members", (sql) => leaveWorkspace(sql, workspaceId, accountId)).pipe(
        Effect.flatMap(announceDeparture(workspaceId)),
      ),
  },
  makeOwner: {
    access: "workspaceOwner",
    handle: ({ payload: { memberId }, scope, scope: { workspaceId } }) =>
      changeMembers(scope, "owners", (sql) => makeOwner(sql, workspaceId, memberId)).pipe(
        Effect.tap(({ accountId }) => recheckSockets({ workspaceId, accountId })),
      ),
  },
  createWorkspaceSession: {
    access: "workspaceGuest",
    handle: ({ scope: { workspaceId, accountId, sessionId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const account = yield* database.run((sql) => findPrimaryAddress(sql, accountId))
        if (account === undefined) return yield* new Unauthorized({ detail: "The account no longer exists." })
        const { name, email, credentialsVersion } = account
        const externalSub = ACCOUNT_SUB_PREFIX + accountId
        const user = yield* database.run((sql) =>
          upsertUser(sql, { id: newId(), workspaceId, accountId, externalSub, email, name }),
        )
        // A later removal raises the version and invalidates the token; an earlier one is seen here.
        if (!(yield* database.run((sql) => mayEnterWorkspace(sql, workspaceId, accountId)))) {
          return yield* NotFound.of("workspace")
        }
        const issued = yield* (yield* Tokens).issue("workspace", {
          userId: user.id,
          workspaceId,
          sessionVersion: user.sessionVersion,
          login: { accountId, sessionId, credentialsVersion },
          keyId: null,
        })
        return {
          sessionToken: issued.token,
          expiresAt: issued.expiresAt,
          workspaceId,
          participant: { userId: user.id, name: user.name, email: user.email, picture: user.picture },
        }
      }),
  },
  listApiKeys: {
    access: "workspaceAdmin",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageApiKeys(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { apiKeys: page.rows, nextCursor: page.nextCursor })
      }),
  },
  createApiKey: {
    access: "workspaceAdmin",
    handle: ({ payload, scope: { workspaceId, sessionId } }) => createKey(workspaceId, { sessionId }, payload),
  },
  deleteApiKey: {
    access: "workspaceAdmin",
    handle: ({ params: { keyId }, query: { cascade }, requestId, scope: { workspaceId, accountId } }) =>
      Effect.flatMap(Database, (database) =>
        database.transaction((sql) => endKey(sql, { workspaceId, keyId, accountId, requestId }, cascade === "true")),
      ).pipe(
        Effect.ensuring(Effect.flatMap(ApiKeys, ({ forgetAll }) => afterCommit(forgetAll))),
        Effect.tap((done) => announceEnded(workspaceId, done)),
        Effect.map(({ revoked, ended }) =>
          ended === null
            ? new Reply(undefined, { status: 204, targets: revoked })
            : new Reply(shownEnded(ended), { status: 200, targets: revoked }),
        ),
      ),
  },
  createKeyByKey: {
    access: "key",
    handle: ({ payload, scope: { workspaceId, ...credential } }) =>
      Effect.map(createKey(workspaceId, credential, payload), (key) => {
        const location = ["location", `/v1/workspaces/${workspaceId}/api-keys/${key.id}`] as const
        return new Reply(key, { status: 201, headers: [location] })
      }),
  },
} satisfies Handlers<typeof Workspaces>
