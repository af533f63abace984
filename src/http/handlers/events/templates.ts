/** Templates of a workspace. */
import { Effect } from "effect"
import { Conflict, NotFound } from "../../../model/errors.ts"
import { requireAndLock } from "../../../store/accounts/credentials.ts"
import { Database } from "../../../store/database.ts"
import { holdEvent } from "../../../store/events/events.ts"
import { listTemplates, nameTemplate } from "../../../store/events/templates.ts"
import { query } from "../../../store/query.ts"
import { MOST_TEMPLATES, type Templates } from "../../contract/events/templates.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { storeCopies } from "./event-drafts.ts"

const createTemplate = (name: string, { event, workspaceId, credential }: Scopes["event"]) =>
  Effect.flatMap(Database, (database) =>
    database.transaction((sql) =>
      Effect.gen(function* () {
        yield* requireAndLock(sql, workspaceId, credential, "members")
        const source = yield* query(() => holdEvent(sql, event.id))
        if (source === undefined) return yield* NotFound.of("event")
        if ((yield* query(() => listTemplates(sql, workspaceId))).length >= MOST_TEMPLATES) {
          return yield* new Conflict({ detail: `A workspace has at most ${MOST_TEMPLATES} templates.` })
        }
        const { title, type } = source
        const [copy] = yield* storeCopies(sql, source, [{ title, scheduledAt: null }], null)
        if (copy === undefined) return yield* Effect.die(new Error("a copy was not stored"))
        const { id, createdAt } = copy
        yield* query(() => nameTemplate(sql, id, name))
        return { id, name, title, type, createdAt }
      }),
    ),
  )

export const templates = {
  createTemplate: {
    access: "eventOfWorkspace",
    handle: ({ payload: { name }, scope }) =>
      Effect.gen(function* () {
        const made = yield* createTemplate(name, scope)
        return new Reply(made, { status: 201, headers: [["location", `/v1/events/${made.id}`]] })
      }),
  },
  listTemplates: {
    access: "workspace",
    handle: ({ scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const found = yield* (yield* Database).run((sql) => listTemplates(sql, workspaceId))
        return { templates: found }
      }),
  },
} satisfies Handlers<typeof Templates>
