/** The machine-readable description (OpenAPI 3.1.0), derived from the contract, and a reference page that works offline. */
import { Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { capital, lowerAscii } from "../../model/text/compared.ts"
import { EndpointAccess } from "../contract/access.ts"
import { Api } from "../contract/api.ts"
import { ExactBody } from "../contract/endpoint.ts"
import { gatewayPaths } from "./gateway-paths.ts"
import { HEADERS } from "./headers.ts"
import { AGENTS_TAG, mcpPath } from "./mcp-path.ts"
import { mediaPaths } from "./media-paths.ts"
import { withNamedParts } from "./named-parts.ts"
import { describeOperation, type Operation, PARAMETERS } from "./openapi-operations.ts"
import { HEADERS_TOO_LARGE, PROBLEM_SCHEMAS, problemExamples } from "./problem-answers.ts"
import { discriminated, promised } from "./readers.ts"
import { type Definitions, define, NAMING, withoutNames, withoutTwins } from "./schema-names.ts"
import { SharedResponses } from "./shared-responses.ts"
import { RECEIVER_TAG, webhookOperations } from "./webhook-operations.ts"

const SCHEMES = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A workspace API key (`gck_…`)." },
  platformKey: { type: "apiKey", in: "header", name: "x-platform-key", description: "The operator's key." },
  gatewayToken: {
    type: "http",
    scheme: "bearer",
    description: "A gateway token, or the session of a stream that it opened.",
  },
  workspaceSession: { type: "http", scheme: "bearer", description: "A workspace session token." },
}

const GATEWAY_TAG = { name: "gateway", description: "The live gateway without a WebSocket." }
const MEDIA_TAG = { name: "media", description: "Bytes at signed addresses." }

interface Tag {
  readonly name: string
  readonly description?: string
}

interface Spec {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly webhooks?: object
  readonly components: { readonly schemas: Definitions; readonly responses?: object; readonly [kind: string]: object }
  readonly tags?: ReadonlyArray<Tag>
  readonly [member: string]: unknown
}

/** Title of a tag: "accountSecurity" becomes "Account security". */
const titled = (tag: Tag) => {
  const words = tag.name.replaceAll(/[A-Z]/g, (letter) => ` ${lowerAscii(letter)}`)
  return { ...tag, "x-displayName": capital(words) }
}

/** Names operations as in the contract and derives security requirements from each endpoint's access. */
const describe = (generated: Spec, publicUrl: string, sessionCookie: string): Spec => {
  const spec = withoutTwins(generated)
  const definitions = spec.components.schemas
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors }) => {
      const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, "{$1}")
      const operation = spec.paths[path]?.[lowerAscii(endpoint.method)]
      if (operation === undefined) throw new Error(`The description lacks ${endpoint.method} ${path}.`)
      const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
      describeOperation(operation, { endpoint, access, errors }, definitions)
    },
  })
  const paths = { ...spec.paths, ...mediaPaths(), ...gatewayPaths(), ...mcpPath() }
  const responses = new SharedResponses()
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    responses.takeAll(operation)
  const webhooks = webhookOperations(definitions)
  for (const [name, schema] of Object.entries(PROBLEM_SCHEMAS)) define(definitions, name, schema)
  const accountSession = { type: "apiKey", in: "cookie", name: sessionCookie, description: "Set by signup and login." }
  const schemas = Object.fromEntries(Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    ...spec,
    paths,
    webhooks,
    tags: [...(spec.tags ?? []), GATEWAY_TAG, AGENTS_TAG, MEDIA_TAG, RECEIVER_TAG].map(titled),
    servers: [{ url: publicUrl }],
    security: [],
    components: {
      ...spec.components,
      schemas,
      responses: { ...responses.byName, HeadersTooLarge: HEADERS_TOO_LARGE },
      parameters: PARAMETERS,
      examples: problemExamples(`${publicUrl}/v1/errors`),
      headers: HEADERS,
      securitySchemes: { ...SCHEMES, accountSession },
    },
  }
}

/** Operations that refuse unknown properties. */
const exactOperations = (): ReadonlySet<string> => {
  const exact = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (Option.isSome(Context.getOption(endpoint.annotations, ExactBody))) exact.add(endpoint.identifier)
    },
  })
  return exact
}

const descriptionOf = (publicUrl: string, sessionCookie: string): Spec => {
  const described = describe(OpenApi.fromApi(Api, NAMING) as unknown as Spec, publicUrl, sessionCookie)
  const plain = JSON.parse(JSON.stringify(described, withoutNames)) as Spec
  const exact = exactOperations()
  const operations = Object.values(plain.paths).flatMap((methods) => Object.values(methods))
  const schemas = promised(withNamedParts(plain.components.schemas), {
    answers: [...operations.map(({ responses }) => responses), plain.components.responses, plain.webhooks],
    exact: operations.flatMap(({ operationId, requestBody }) => (exact.has(operationId) ? [requestBody] : [])),
  })
  return { ...plain, components: { ...plain.components, schemas: discriminated(schemas) } }
}

/** Settings of the reference page. Its default buttons lead to services of its maker. */
const PAGE = {
  withDefaultFonts: false,
  hideTestRequestButton: true,
  favicon: "data:,",
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  mcp: { disabled: true },
  agent: { disabled: true },
} as const

/** The description as JSON text, and the reference page as HTML of three megabytes. The build makes both. */
export const apiDescription = (publicUrl: string, sessionCookie: string) => {
  const described = Api.annotate(OpenApi.Transform, () => descriptionOf(publicUrl, sessionCookie))
  return {
    json: Effect.sync(() => JSON.stringify(descriptionOf(publicUrl, sessionCookie))),
    page: Effect.promise(async () => {
      const { handler, dispose } = HttpRouter.toWebHandler(
        HttpApiScalar.layer(described, {
          path: "/v1/docs",
          scalar: PAGE,
        }).pipe(Layer.provide(HttpServer.layerServices)),
        { disableLogger: true },
      )
      const page = await (await handler(new Request(new URL("/v1/docs", publicUrl)))).text()
      await dispose()
      return page
    }),
  }
}
