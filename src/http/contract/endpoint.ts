/** Pieces that endpoints share: path ids, pages, and the success schema with its status. */
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

/** On an endpoint: its body may hold no unnamed properties; the specification requires "no extra properties". */
export class ExactBody extends Context.Service<ExactBody, true>()("gathercue/ExactBody") {}

/** On an endpoint: its body may be left out, and reads as `{}` then (specification §6, `advance`). Other bodies are required. */
export class OptionalBody extends Context.Service<OptionalBody, true>()("gathercue/OptionalBody") {}

/** On an endpoint: its answer is text of this media type, not JSON. */
export class TextBody extends Context.Service<TextBody, string>()("gathercue/TextBody") {}

/**
 * On an endpoint: a session is not enough, its holder proved who they are within ten minutes. `file`: only where a file is asked for
 * (`format=csv`). API keys are not asked.
 */
export class FreshSignIn extends Context.Service<FreshSignIn, "always" | "file">()("gathercue/FreshSignIn") {}

/** On an endpoint: its body may have this many bytes, instead of those of other requests. */
export class BodyLimit extends Context.Service<BodyLimit, number>()("gathercue/BodyLimit") {}

/** On an endpoint: its handler reads the body's bytes itself, because that may take long; its payload is not decoded. */
export class BytesBody extends Context.Service<BytesBody, true>()("gathercue/BytesBody") {}

/** On an endpoint: its answer has an entity tag, so that its caller can ask whether it changed. */
export class Revalidated extends Context.Service<Revalidated, true>()("gathercue/Revalidated") {}

/** On an endpoint: counted by the client's address under this limit, instead of the one for public reads. */
export class AddressLimit extends Context.Service<
  AddressLimit,
  "login" | "signup" | "register" | "anonymousToken" | "anonymousMail" | "helpChat" | "joinCode"
>()("gathercue/AddressLimit") {}

/** On an endpoint: its URL holds a secret, so no cache may keep the answer. */
export class SecretAddress extends Context.Service<SecretAddress, true>()("gathercue/SecretAddress") {}

/** On an endpoint: one example of each body. A test decodes it with the body's schema. */
export interface EndpointExample {
  readonly request?: unknown
  readonly response?: unknown
  /** Texts by media type, where a body may be text too. */
  readonly texts?: { readonly [mediaType: string]: string }
}
export class Example extends Context.Service<Example, EndpointExample>()("gathercue/Example") {}

export const created = <S extends Schema.Top>(schema: S) => schema.pipe(HttpApiSchema.status(201))

/** 1 to 200 characters on one line, at least one of them visible: names appear in letters and on other people's screens. */
export const Name = LegibleText(200, isDisplayName, "must be one visible line")
