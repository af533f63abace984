/** Webhook endpoints. */
import { Effect } from "effect"
import { NotFound } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { deleteWebhookEndpoint, pageWebhookEndpoints } from "../../store/webhook-endpoints.ts"
import { WebhookRegistration } from "../../store/webhook-registration.ts"
import type { Handlers } from "../call.ts"
import type { Webhooks } from "../contract/webhooks.ts"
import { pageReply, pageRequest } from "../paging.ts"

export const webhooks: Handlers<typeof Webhooks> = {
  createWebhook: {
    access: "workspace",
    handle: ({ payload: { url, eventTypes = [] }, scope: { workspaceId } }) =>
      Effect.flatMap(WebhookRegistration, ({ create }) => create({ workspaceId, url, eventTypes })).pipe(
        Effect.map(({ endpoint, secret }) => ({ ...endpoint, secret })),
      ),
  },
  listWebhooks: {
    access: "workspace",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageWebhookEndpoints(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { webhooks: page.rows, nextCursor: page.nextCursor })
      }),
  },
  deleteWebhook: {
    access: "webhook",
    handle: ({ scope: { webhookId } }) =>
      Effect.flatMap(Database, (database) =>
        database.run<void, NotFound>(async (sql) => {
          if (!(await deleteWebhookEndpoint(sql, webhookId))) throw NotFound.of("webhook")
        }),
      ),
  },
}
