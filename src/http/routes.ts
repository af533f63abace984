/** Joins contract and handlers: one compiled route per endpoint. A missing or misplaced handler stops the start. */
import { Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { Access } from "./contract/access.ts"
import { EndpointAccess } from "./contract/access.ts"
import { Api } from "./contract/api.ts"
import { accountData } from "./handlers/accounts/account-data.ts"
import { accountSecurity } from "./handlers/accounts/account-security.ts"
import { accounts } from "./handlers/accounts/accounts.ts"
import { passkeys } from "./handlers/accounts/passkeys.ts"
import { proofs } from "./handlers/accounts/proofs.ts"
import { secondFactors } from "./handlers/accounts/second-factors.ts"
import { signInHandlers } from "./handlers/accounts/sign-in.ts"
import { sso } from "./handlers/accounts/sso.ts"
import { broadcasts } from "./handlers/events/broadcasts.ts"
import { clips } from "./handlers/events/clips.ts"
import { emails } from "./handlers/events/emails.ts"
import { events } from "./handlers/events/events.ts"
import { forms } from "./handlers/events/forms.ts"
import { gatewayTokens } from "./handlers/events/gateway-tokens.ts"
import { imports } from "./handlers/events/imports.ts"
import { joinCodes } from "./handlers/events/join-codes.ts"
import { live } from "./handlers/events/live.ts"
import { publicEvents } from "./handlers/events/public-events.ts"
import { questions } from "./handlers/events/questions.ts"
import { recordings } from "./handlers/events/recordings.ts"
import { registrations } from "./handlers/events/registrations.ts"
import { reports } from "./handlers/events/reports.ts"
import { tableSummaries } from "./handlers/events/table-summaries.ts"
import { transcripts } from "./handlers/events/transcripts.ts"
import { help } from "./handlers/help.ts"
import { meta } from "./handlers/meta.ts"
import { platform } from "./handlers/platform.ts"
import { audit } from "./handlers/workspaces/audit.ts"
import { connections } from "./handlers/workspaces/connections.ts"
import { guests } from "./handlers/workspaces/guests.ts"
import { invites } from "./handlers/workspaces/invites.ts"
import { links } from "./handlers/workspaces/links.ts"
import { people } from "./handlers/workspaces/people.ts"
import { personalData } from "./handlers/workspaces/personal-data.ts"
import { webhooks } from "./handlers/workspaces/webhooks.ts"
import { workspaces } from "./handlers/workspaces/workspaces.ts"
import { mcpServe } from "./mcp/mcp-route.ts"
import type { Successes } from "./requests/answers.ts"
import type { AnyHandle, Handlers, ServicesOf } from "./requests/call.ts"
import { compile, type Serve } from "./requests/serve.ts"
import { tracedRequest } from "./requests/traced-request.ts"
import { BODY_LIMIT_BYTES } from "./transport/body-limit.ts"
import { MCP_PATH } from "./transport/mcp-path.ts"

type Groups = (typeof Api)["groups"]
const HANDLERS = {
  accounts,
  accountSecurity,
  accountData,
  secondFactors,
  passkeys,
  proofs,
  signIn: signInHandlers,
  sso,
  connections,
  workspaces,
  invites,
  links,
  audit,
  events,
  broadcasts,
  transcripts,
  recordings,
  clips,
  people,
  personalData,
  questions,
  live,
  reports,
  registrations,
  joinCodes,
  webhooks,
  publicEvents,
  forms,
  emails,
  imports,
  tableSummaries,
  gatewayTokens,
  guests,
  help,
  platform,
  meta,
} satisfies { readonly [Name in keyof Groups]: Handlers<Groups[Name]> }

type HandlerServices = ServicesOf<typeof HANDLERS>

export interface Route {
  readonly method: string
  /** Path with `:name` parameters. */
  readonly path: string
  readonly access: Access
  readonly serve: Serve<HandlerServices>
  readonly wantsClient: boolean
  /** Maximum body size in bytes. */
  readonly bodyLimit: number
  /** Milliseconds that the answer may wait for something new. */
  readonly waitsMs: number
}

/** Services required by requests, inferred from the handlers and the steps around them. */
export type RequestServices = Effect.Services<ReturnType<Route["serve"]>>

/** Every endpoint of the contract, compiled, and that of agents, which calls the others. `description` is that of REST. */
export const routes = (description: Effect.Effect<string | Uint8Array>) =>
  Effect.gen(function* () {
    const { tracing } = yield* Telemetry
    const bound: Array<{
      readonly endpoint: HttpApiEndpoint.Top
      readonly successes: Successes
      readonly handle: AnyHandle<HandlerServices>
    }> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ group, endpoint, successes }) => {
        const handlers = HANDLERS[group.identifier as keyof Groups] as unknown as {
          readonly [name: string]: { readonly access: Access; readonly handle: AnyHandle<HandlerServices> }
        }
        const handler = handlers[endpoint.identifier]
        const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
        if (handler === undefined || handler.access !== access) {
          throw new Error(`The handler of ${endpoint.identifier} is missing or was not written for "${access}" access.`)
        }
        bound.push({ endpoint, successes, handle: handler.handle })
      },
    })
    const reads = bound.filter(({ endpoint }) => endpoint.method === "GET")
    const readable = new RegExp(
      `^(?:${reads.map(({ endpoint }) => endpoint.path.replaceAll(/:\w+/g, "[^/]+")).join("|")})$`,
    )
    const compiledRoutes = yield* Effect.forEach(bound, ({ endpoint, successes, handle }) =>
      Effect.map(
        compile(endpoint, successes, handle, (path) => readable.test(path)),
        (compiled) => ({
          name: endpoint.identifier,
          method: endpoint.method,
          path: endpoint.path,
          access: Context.getUnsafe(endpoint.annotations, EndpointAccess),
          ...compiled,
          serve: tracedRequest(tracing, { method: endpoint.method, route: endpoint.path }, compiled.serve),
        }),
      ),
    )
    const serve = yield* mcpServe(new Map(compiledRoutes.map((one) => [one.name, one])), description)
    const forAgents: Route = {
      method: "POST",
      path: MCP_PATH,
      access: "workspace",
      serve,
      wantsClient: true,
      bodyLimit: BODY_LIMIT_BYTES,
      waitsMs: 0,
    }
    return [...compiledRoutes, forAgents]
  })
