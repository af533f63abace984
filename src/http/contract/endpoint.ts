/** Pieces that endpoints share: path ids, pages, and success schemas with their status. */
import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Id } from "../../model/ids.ts"
import { isDisplayName } from "../../model/text/display-name.ts"
import { LegibleText } from "../../model/text/shown-text.ts"

export const PathId = { id: Id }

/** `?limit=1..100` (100 when absent) and an opaque `cursor` from the page before. */
export const PageQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "The most items that the page may have.",
      default: 100,
      examples: [20],
    }),
  ),
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "The `nextCursor` of the page before; absent for the first page.",
    }),
  ),
}

/** A list answer: `{<plural>: […], nextCursor}`. */
export const pageOf = <Name extends string, Item extends Schema.Top>(name: Name, item: Item) =>
  Schema.Struct({
    [name]: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String),
  } as { readonly [N in Name]: Schema.$Array<Item> } & { readonly nextCursor: Schema.NullOr<typeof Schema.String> })

/** Endpoint annotation: the body may hold no unnamed properties. */
export class ExactBody extends Context.Service<ExactBody, true>()("gathercue/ExactBody") {}

/** Endpoint annotation: the body is optional and reads as `{}` when absent (as `advance` allows). Other bodies are required. */
export class OptionalBody extends Context.Service<OptionalBody, true>()("gathercue/OptionalBody") {}

/** Endpoint annotation: the answer is text of this media type instead of JSON. */
export class TextBody extends Context.Service<TextBody, string>()("gathercue/TextBody") {}

/**
 * Endpoint annotation: a session's holder must have proved their identity within the last ten minutes. `file`: only when a file is
 * requested (`format=csv`). API keys are exempt.
 */
export class FreshSignIn extends Context.Service<FreshSignIn, "always" | "file">()("gathercue/FreshSignIn") {}

/** Endpoint annotation: the body limit in bytes, instead of the general one. */
export class BodyLimit extends Context.Service<BodyLimit, number>()("gathercue/BodyLimit") {}

/** Endpoint annotation: the handler streams the body itself, because that may take long; the payload is not decoded. */
export class BytesBody extends Context.Service<BytesBody, true>()("gathercue/BytesBody") {}

/** Endpoint annotation: the answer may wait for something new, at most this many milliseconds beside the time of other requests. */
export class LongPoll extends Context.Service<LongPoll, number>()("gathercue/LongPoll") {}

/** Endpoint annotation: the answer has an entity tag, so that its caller can revalidate it. */
export class Revalidated extends Context.Service<Revalidated, true>()("gathercue/Revalidated") {}

/** Endpoint annotation: requests count by the client's address under this limit, instead of the limit for public reads. */
export class AddressLimit extends Context.Service<
  AddressLimit,
  "login" | "signup" | "register" | "registerForSeries" | "anonymousToken" | "anonymousMail" | "helpChat" | "joinCode"
>()("gathercue/AddressLimit") {}

/** Endpoint annotation: the URL holds a secret, so no cache may keep the answer. */
export class SecretAddress extends Context.Service<SecretAddress, true>()("gathercue/SecretAddress") {}

/** Endpoint annotation: one example of each body. A test decodes it with the body's schema. */
export interface EndpointExample {
  readonly request?: unknown
  readonly response?: unknown
  /** Examples by media type, where a body may also be text. */
  readonly texts?: { readonly [mediaType: string]: string }
}
export class Example extends Context.Service<Example, EndpointExample>()("gathercue/Example") {}

export const created = <S extends Schema.Top>(schema: S) => schema.pipe(HttpApiSchema.status(201))

/** 1 to 200 characters on one line, at least one of them visible: names appear in emails and on other people's screens. */
export const Name = LegibleText(200, isDisplayName, "must be one visible line")
