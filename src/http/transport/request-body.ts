/** Bodies and their parts, read from requests and decoded by the contract's schemas. */
import { Effect, Result, Schema, type SchemaIssue } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { BadRequest, type FieldFault, UnsupportedMediaType } from "../../model/errors.ts"
import { isStorable, parseJson, UnreadableJson } from "../../model/json.ts"
import { type Fault, faultsOf, faultText, MOST_FAULTS } from "../../model/schema-faults.ts"
import { lowerAscii } from "../../model/text/compared.ts"
import type { Access } from "../contract/access.ts"
import { ignoredHeader, ignoredParameters, ignoredProperties } from "./ignored-properties.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

type Decode = (input: unknown) => Result.Result<unknown, Schema.SchemaError>

/** `exact` makes a property that the schema does not name an error instead of dropping it. */
export const decoder = (schema: Schema.Top | undefined, exact = false): Decode | undefined =>
  schema === undefined
    ? undefined
    : Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, {
        errors: "all",
        onExcessProperty: exact ? "error" : "ignore",
      })

export const pointerTo = (path: Fault["path"]): string =>
  `#${path.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")}`

const fieldFault = ({ path, message: detail }: Fault, where: "body" | "query"): FieldFault => {
  if (where === "body") return { pointer: pointerTo(path), detail }
  const [parameter] = path
  return parameter === undefined ? { detail } : { parameter, detail }
}

/** `detail` is added when there are more faults than listed. */
export const badRequestOf = (
  faults: ReadonlyArray<Fault>,
  where: "body" | "query",
  detail = faultText(faults, where),
): BadRequest =>
  new BadRequest({
    detail,
    errors: faults.slice(0, MOST_FAULTS).map((fault) => fieldFault(fault, where)),
  })

export const refuseRequest = (issue: SchemaIssue.Issue, where: "body" | "query") =>
  Effect.fail(badRequestOf(faultsOf(issue), where))

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)(?:\s*;|$)/i

export const requireJsonType = (
  request: HttpRequest,
  others: ReadonlyArray<string> = [],
): Effect.Effect<void, UnsupportedMediaType> =>
  request.body.length === 0 || JSON_TYPE.test(request.headers["content-type"] ?? "")
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({ detail: `Send the body as ${["application/json", ...others].join(" or ")}.` }),
      )

/** Media type in lower case, without parameters. */
export const contentTypeOf = ({ headers }: HttpRequest): string =>
  lowerAscii((headers["content-type"] ?? "").split(";", 1)[0] ?? "").trim()

const readText = ({ body }: HttpRequest): Effect.Effect<string, BadRequest> => {
  try {
    const text = utf8.decode(body)
    if (isStorable(text)) return Effect.succeed(text)
  } catch {
    // Invalid UTF-8 is refused below.
  }
  return Effect.fail(BadRequest.ofBody("not UTF-8, or with characters that cannot be stored"))
}

const MISSING_BODY = BadRequest.ofBody("missing; send a JSON object, {} if you have nothing to say in it")

/** Parses the body as JSON. */
const readJson = (
  request: HttpRequest,
  otherTypes: ReadonlyArray<string> = [],
): Effect.Effect<unknown, BadRequest | UnsupportedMediaType> => {
  if (request.body.length === 0) return Effect.fail(MISSING_BODY)
  return Effect.flatMap(requireJsonType(request, otherTypes), () => {
    try {
      return Effect.succeed(parseJson(utf8.decode(request.body)))
    } catch (cause) {
      const { message, path } = cause instanceof UnreadableJson ? cause : new UnreadableJson("not UTF-8")
      return Effect.fail(badRequestOf([{ path, message }], "body"))
    }
  })
}

const bodySchemaOf = (payload: HttpApiEndpoint.Top["payload"]): Schema.Top | undefined =>
  [...payload.values()][0]?.schemas[0]

/** Reads the handler's payload. */
type ReadBody = (request: HttpRequest) => Effect.Effect<unknown, BadRequest | UnsupportedMediaType>

const textTypesOf = (payload: HttpApiEndpoint.Top["payload"]): ReadonlyArray<string> =>
  [...payload].filter(([, { encoding }]) => encoding._tag === "Text").map(([type]) => type)

/** Body reader of an endpoint: JSON by its schema, or text of the media types that the endpoint also accepts, which its handler reads. */
export const bodyReader = (
  { payload }: Pick<HttpApiEndpoint.Top, "payload">,
  {
    isExact,
    hasOptionalBody,
    readBy = bodySchemaOf(payload),
  }: { readonly isExact: boolean; readonly hasOptionalBody: boolean; readonly readBy?: Schema.Top | undefined },
): ReadBody => {
  const decode = decoder(readBy, isExact)
  // Even an unread body must not be a form, because another site's page could send one.
  if (decode === undefined) return (request) => Effect.as(requireJsonType(request), undefined)
  const textTypes = textTypesOf(payload)
  return (request) => {
    if (textTypes.includes(contentTypeOf(request))) return readText(request)
    const read = hasOptionalBody && request.body.length === 0 ? Effect.succeed({}) : readJson(request, textTypes)
    return Effect.flatMap(read, (json) => {
      const body = decode(json)
      return Result.isFailure(body) ? refuseRequest(body.failure.issue, "body") : Effect.succeed(body.success)
    })
  }
}

/** Media type check of an endpoint whose handler reads the body's bytes. */
export const typeChecker = ({ payload }: Pick<HttpApiEndpoint.Top, "payload">): ReadBody => {
  const textTypes = textTypesOf(payload)
  return (request) => (textTypes.includes(contentTypeOf(request)) ? Effect.void : requireJsonType(request, textTypes))
}

type Finish = <R>(
  request: HttpRequest,
  answer: Effect.Effect<HttpResponse, never, R>,
) => Effect.Effect<HttpResponse, never, R>

/** Adds the ignored names of query and body to the answer, including refusals and repeats. `undefined` accepts any body. */
const namingIgnored = (query: Schema.Top | undefined, body: Schema.Top | undefined): Finish => {
  const parameters = ignoredParameters(query)
  const properties = body === undefined ? () => [] : ignoredProperties(body)
  return (request, answer) =>
    Effect.zipWith(
      answer,
      Effect.match(readJson(request), { onSuccess: properties, onFailure: () => [] }),
      (response, names) => ({
        ...response,
        headers: [...response.headers, ...ignoredHeader([...parameters(request.query), ...names])],
      }),
    )
}

/** Active in development. Pages of this server read the query themselves, and some handlers the body. */
export const finishOf = (
  { query, payload }: Pick<HttpApiEndpoint.Top, "query" | "payload">,
  traits: { readonly access: Access; readonly isExact: boolean; readonly isBytes: boolean },
  namesIgnored: boolean,
): Finish => {
  if (!namesIgnored || traits.access === "browser") return (_request, answer) => answer
  return namingIgnored(query, traits.isExact || traits.isBytes ? undefined : bodySchemaOf(payload))
}
