/** The machine-readable description (OpenAPI 3.1.0), derived from the contract, and a reference page that works offline. */
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../contract/access.ts"
import { Api } from "../contract/api.ts"
import { mediaPaths } from "./media-paths.ts"
import { describeOperation, HEADERS, type Operation } from "./openapi-operations.ts"

const SCHEMES = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A workspace API key (`gck_…`)." },
  platformKey: { type: "apiKey", in: "header", name: "x-platform-key", description: "The operator's key." },
  workspaceSession: { type: "http", scheme: "bearer", description: "A workspace session token." },
}

const MEDIA_TAG = { name: "media", description: "Bytes at signed addresses." }

interface Spec {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: object
  readonly [member: string]: unknown
}

/** Names operations as the contract does, and derives the security requirements from each endpoint's access. */
const describe = (spec: Spec, publicUrl: string, sessionCookie: string): Spec => {
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors }) => {
      const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, "{$1}")
      const operation = spec.paths[path]?.[endpoint.method.toLowerCase()]
      if (operation === undefined) throw new Error(`The description lacks ${endpoint.method} ${path}.`)
      const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
      describeOperation(operation, endpoint, access, errors, `${publicUrl}/v1/errors`)
    },
  })
  const accountSession = { type: "apiKey", in: "cookie", name: sessionCookie, description: "Set by signup and login." }
  return {
    ...spec,
    paths: { ...spec.paths, ...mediaPaths(`${publicUrl}/v1/errors`) },
    tags: [...((spec["tags"] as ReadonlyArray<object> | undefined) ?? []), MEDIA_TAG],
    servers: [{ url: publicUrl }],
    security: [],
    components: { ...spec.components, headers: HEADERS, securitySchemes: { ...SCHEMES, accountSession } },
  }
}

/**
 * The description as JSON text, and the reference page as HTML, which has three megabytes. Both are for the first request to make,
 * because most servers are never asked and a start should not pay for it.
 */
export const apiDescription = (publicUrl: string, sessionCookie: string) => {
  const described = Api.annotate(OpenApi.Transform, (spec) => describe(spec as Spec, publicUrl, sessionCookie))
  return {
    json: Effect.sync(() => JSON.stringify(OpenApi.fromApi(described))),
    page: Effect.promise(async () => {
      const { handler, dispose } = HttpRouter.toWebHandler(
        HttpApiScalar.layer(described, {
          path: "/v1/docs",
          scalar: { withDefaultFonts: false, hideTestRequestButton: true },
        }).pipe(Layer.provide(HttpServer.layerServices)),
        { disableLogger: true },
      )
      const page = await (await handler(new Request(`${publicUrl}/v1/docs`))).text()
      await dispose()
      return page
    }),
  }
}
