/** Bodies and their parts, read from requests and decoded by the contract's schemas. */
import { Effect, Result, Schema, type SchemaIssue } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { BadRequest, UnsupportedMediaType } from "../../model/errors.ts"
import { isStorable, parseJson, UnreadableJson } from "../../model/json.ts"
import { faultsOf } from "../../model/schema-faults.ts"
import { ignoredProperties } from "./ignored-properties.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

type Decode = (input: unknown) => Result.Result<unknown, Schema.SchemaError>

/** `exact`: a property that the schema does not name is an error instead of being left out. */
export const decoder = (schema: Schema.Top | undefined, exact = false): Decode | undefined =>
  schema === undefined
    ? undefined
    : Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, {
        errors: "all",
        onExcessProperty: exact ? "error" : "ignore",
      })

export const refuseRequest = (issue: SchemaIssue.Issue, where: string) =>
  Effect.fail(new BadRequest({ detail: faultsOf(issue, where) }))

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)(?:\s*;|$)/i

const requireJsonType = (
  request: HttpRequest,
  others: ReadonlyArray<string> = [],
): Effect.Effect<void, UnsupportedMediaType> =>
  request.body.length === 0 || JSON_TYPE.test(request.headers["content-type"] ?? "")
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({ detail: `Send the body as ${["application/json", ...others].join(" or ")}.` }),
      )

/** In lower case, without parameters. */
export const contentTypeOf = ({ headers }: HttpRequest): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

const readText = ({ body }: HttpRequest): Effect.Effect<string, BadRequest> => {
  try {
    const text = utf8.decode(body)
    if (isStorable(text)) return Effect.succeed(text)
  } catch {
    // The answer is the same.
  }
  return Effect.fail(new BadRequest({ detail: "body: not UTF-8, or with characters that cannot be stored." }))
}

/** The body as JSON; an empty body reads as `{}`, so that an optional body may be left out. */
const readJson = (
  request: HttpRequest,
  otherTypes: ReadonlyArray<string> = [],
): Effect.Effect<unknown, BadRequest | UnsupportedMediaType> => {
  if (request.body.length === 0) return Effect.succeed({})
  return Effect.flatMap(requireJsonType(request, otherTypes), () => {
    try {
      return Effect.succeed(parseJson(utf8.decode(request.body)))
    } catch (cause) {
      const why = cause instanceof UnreadableJson ? cause.message : "not UTF-8"
      return Effect.fail(new BadRequest({ detail: `body: ${why}.` }))
    }
  })
}

/** The handler's payload. */
export type ReadBody = (request: HttpRequest) => Effect.Effect<unknown, BadRequest | UnsupportedMediaType>

const textTypesOf = (payload: HttpApiEndpoint.Top["payload"]): ReadonlyArray<string> =>
  [...payload].filter(([, { encoding }]) => encoding._tag === "Text").map(([type]) => type)

/** For an endpoint: JSON by its schema, or text of the media types that it names beside, which its handler reads. */
export const bodyReader = ({ payload }: Pick<HttpApiEndpoint.Top, "payload">, isExact: boolean): ReadBody => {
  const decode = decoder([...payload.values()][0]?.schemas[0], isExact)
  // An unread body must not be a form either: another site's page would send one.
  if (decode === undefined) return (request) => Effect.as(requireJsonType(request), undefined)
  const textTypes = textTypesOf(payload)
  return (request) => {
    if (textTypes.includes(contentTypeOf(request))) return readText(request)
    return Effect.flatMap(readJson(request, textTypes), (json) => {
      const body = decode(json)
      return Result.isFailure(body) ? refuseRequest(body.failure.issue, "body") : Effect.succeed(body.success)
    })
  }
}

/** For an endpoint whose handler reads the body's bytes: its media type alone. */
export const typeChecker = ({ payload }: Pick<HttpApiEndpoint.Top, "payload">): ReadBody => {
  const textTypes = textTypesOf(payload)
  return (request) => (textTypes.includes(contentTypeOf(request)) ? Effect.void : requireJsonType(request, textTypes))
}

type Finish = <R>(
  request: HttpRequest,
  answer: Effect.Effect<HttpResponse, never, R>,
) => Effect.Effect<HttpResponse, never, R>

/** Adds to the answer what was ignored of the body, also to one that refuses or repeats. */
const namingIgnored = (schema: Schema.Top): Finish => {
  const ignored = ignoredProperties(schema)
  return (request, answer) =>
    Effect.zipWith(
      answer,
      Effect.match(readJson(request), { onSuccess: ignored, onFailure: () => [] }),
      (response, added) => ({ ...response, headers: [...response.headers, ...added] }),
    )
}

export const finishOf = (schema: Schema.Top | undefined, namesIgnored: boolean): Finish =>
  schema !== undefined && namesIgnored ? namingIgnored(schema) : (_request, answer) => answer
