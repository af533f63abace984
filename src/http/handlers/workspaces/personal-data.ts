/** Stored data about a person, and its erasure. */
import { Clock, Effect } from "effect"
import { Erasures } from "../../../erasure/erasures.ts"
import { findGuest } from "../../../erasure/guest-search.ts"
import { NotFound } from "../../../model/errors.ts"
import { lockWorkspace, requireAndLock, requireCredential } from "../../../store/accounts/credentials.ts"
import { Database } from "../../../store/database.ts"
import { addressOf, eraseRegistrant } from "../../../store/personal/erasures.ts"
import { decodeExportCursor, type ExportedPerson, pageExport } from "../../../store/personal/export.ts"
import { eraseGuest } from "../../../store/personal/guests.ts"
import { query } from "../../../store/query.ts"
import type { PersonalData } from "../../contract/workspaces/personal-data.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { pageReply, pageRequestBy } from "../../requests/paging.ts"
import { recheckSockets } from "./grant-changes.ts"

interface ExportCall {
  readonly path: string
  readonly query: { readonly limit?: number; readonly cursor?: string }
}

type Admin = Scopes["workspaceAdminOrKey"]

/** A guest as named by the partner's tokens: `iss` and `sub`. */
interface PartnersGuest {
  readonly issuer: string
  readonly subject: string
}

const exported = (call: ExportCall, person: ExportedPerson) =>
  Effect.gen(function* () {
    const request = yield* pageRequestBy(call.query, decodeExportCursor)
    const page = yield* (yield* Database).run((sql) => pageExport(sql, person, request))
    return pageReply(call, page, { items: page.rows, nextCursor: page.nextCursor })
  })

const exportedGuest = (call: ExportCall & { readonly scope: Admin }, { issuer, subject }: PartnersGuest) =>
  exported(call, { workspaceId: call.scope.workspaceId, userId: null, email: null, guest: { issuer, subject } })

const erasedGuest = (scope: Admin, { issuer, subject }: PartnersGuest) =>
  Effect.gen(function* () {
    const { workspaceId } = scope
    const database = yield* Database
    const now = yield* Clock.currentTimeMillis
    const places = yield* findGuest(database, { workspaceId, guest: { issuer, subject } }, now)
    const erasures = yield* database.transaction((sql) =>
      Effect.gen(function* () {
        yield* query(() => lockWorkspace(sql, workspaceId))
        yield* requireCredential(sql, workspaceId, scope)
        const begun = yield* query(() => eraseGuest(sql, workspaceId, places, now))
        return begun.length > 0 ? begun : yield* NotFound.of("guest")
      }),
    )
    for (const { eventId, participantId, isOpen } of places) {
      if (isOpen) yield* recheckSockets({ eventId, guestId: participantId })
    }
    const { begin } = yield* Erasures
    yield* Effect.forEach(erasures, begin, { concurrency: "unbounded", discard: true })
    // One act is one entry, however many steps it takes. The partner's guest id must stay out of the log.
    return new Reply(undefined, { targets: erasures.slice(0, 1).map(({ id }) => id) })
  })

export const personalData = {
  exportUser: {
    access: "user",
    handle: (call) =>
      Effect.gen(function* () {
        const { workspaceId, user } = call.scope
        const email = yield* (yield* Database).run((sql) => addressOf(sql, user))
        return yield* exported(call, { workspaceId, userId: user.id, email, guest: null })
      }),
  },
  exportRegistrant: {
    access: "workspaceAdminOrKey",
    handle: (call) =>
      exported(call, {
        workspaceId: call.scope.workspaceId,
        userId: null,
        email: call.query.email,
        guest: null,
      }),
  },
  eraseRegistrant: {
    access: "workspaceAdminOrKey",
    handle: ({ query: { email }, scope }) =>
      Effect.gen(function* () {
        const { workspaceId } = scope
        const now = yield* Clock.currentTimeMillis
        const erasure = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* requireAndLock(sql, workspaceId, scope, "admins")
            const begun = yield* query(() => eraseRegistrant(sql, { workspaceId, email }, now))
            return begun ?? (yield* NotFound.of("registrant"))
          }),
        )
        yield* (yield* Erasures).begin(erasure)
        // The address must stay out of the log.
        return new Reply(undefined, { targets: [erasure.id] })
      }),
  },
  exportGuest: { access: "workspaceAdminOrKey", handle: (call) => exportedGuest(call, call.query) },
  eraseGuest: { access: "workspaceAdminOrKey", handle: ({ query: guest, scope }) => erasedGuest(scope, guest) },
  exportNamedGuest: { access: "workspaceAdminOrKey", handle: (call) => exportedGuest(call, call.payload) },
  eraseNamedGuest: { access: "workspaceAdminOrKey", handle: ({ payload: guest, scope }) => erasedGuest(scope, guest) },
} satisfies Handlers<typeof PersonalData>
