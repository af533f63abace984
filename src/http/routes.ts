/** Contract and handlers joined: one compiled route per endpoint. A handler that is missing or misplaced stops the start. */
import { Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import type { Handle, Handlers } from "./call.ts"
import type { Access } from "./contract/access.ts"
import { EndpointAccess } from "./contract/access.ts"
import { Api } from "./contract/api.ts"
import { accountSecurity } from "./handlers/account-security.ts"
import { accounts } from "./handlers/accounts.ts"
import { audit } from "./handlers/audit.ts"
import { broadcasts } from "./handlers/broadcasts.ts"
import { events } from "./handlers/events.ts"
import { gatewayTokens } from "./handlers/gateway-tokens.ts"
import { guests } from "./handlers/guests.ts"
import { help } from "./handlers/help.ts"
import { invites } from "./handlers/invites.ts"
import { meta } from "./handlers/meta.ts"
import { people } from "./handlers/people.ts"
import { publicEvents } from "./handlers/public-events.ts"
import { questions } from "./handlers/questions.ts"
import { signIn } from "./handlers/sign-in.ts"
import { tableSummaries } from "./handlers/table-summaries.ts"
import { transcripts } from "./handlers/transcripts.ts"
import { webhooks } from "./handlers/webhooks.ts"
import { workspaces } from "./handlers/workspaces.ts"
import { compile, type Serve, type Successes } from "./serve.ts"

export interface Route {
  readonly method: string
  /** Path with `:name` parameters. */
  readonly path: string
  readonly access: Access
  readonly serve: Serve
  readonly wantsClient: boolean
}

type Groups = (typeof Api)["groups"]
const HANDLERS: { readonly [Name in keyof Groups]: Handlers<Groups[Name]> } = {
  accounts,
  accountSecurity,
  signIn,
  workspaces,
  invites,
  audit,
  events,
  broadcasts,
  transcripts,
  people,
  questions,
  webhooks,
  publicEvents,
  tableSummaries,
  gatewayTokens,
  guests,
  help,
  meta,
}

/** Every endpoint of the contract, compiled. */
export const routes = Effect.gen(function* () {
  const bound: Array<{
    readonly endpoint: HttpApiEndpoint.Top
    readonly successes: Successes
    readonly handle: Handle<HttpApiEndpoint.Top, Access>
  }> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, successes }) => {
      const handlers = HANDLERS[group.identifier as keyof Groups] as unknown as {
        readonly [name: string]: { readonly access: Access; readonly handle: Handle<HttpApiEndpoint.Top, Access> }
      }
      const handler = handlers[endpoint.identifier]
      const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
      if (handler === undefined || handler.access !== access) {
        throw new Error(`The handler of ${endpoint.identifier} is missing or was not written for "${access}" access.`)
      }
      bound.push({ endpoint, successes, handle: handler.handle })
    },
  })
  return yield* Effect.forEach(bound, ({ endpoint, successes, handle }) =>
    Effect.map(
      compile(endpoint, successes, handle),
      (compiled): Route => ({
        method: endpoint.method,
        path: endpoint.path,
        access: Context.getUnsafe(endpoint.annotations, EndpointAccess),
        ...compiled,
      }),
    ),
  )
})
