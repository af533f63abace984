/** Response headers, each described once. An operation lists only the headers that it may send. */
import { IGNORED_HEADER } from "../transport/ignored-properties.ts"

const text = (description: string, example?: string) => ({
  description,
  schema: { type: "string" },
  ...(example === undefined ? {} : { example }),
})

/** Headers that many operations share. */
export const HEADERS = {
  [IGNORED_HEADER]: text(
    "In development: the parameters and the properties of the body that were ignored, such as `?status,titel,phases.0.roomSize`. Names are percent-encoded, long ones cut; `...` stands for more.",
  ),
  etag: text("The tag of this answer, for `If-None-Match`."),
  "idempotency-replayed": text(
    "`true` on the first answer to a request that is sent again under its `Idempotency-Key`.",
  ),
  link: text('The next page, where there is one (RFC 8288): `<…>; rel="next"`.'),
  location: text("The address of the object, where it can be read by `GET`."),
  ratelimit: text(
    "Where requests are counted: what is left of the limit, and the seconds until all of it is there again.",
    '"apiKey";r=199;t=1',
  ),
  "ratelimit-policy": text("Where requests are counted: the limit and its seconds.", '"apiKey";q=100;w=1'),
  "retry-after": { description: "Seconds until the request may be sent again.", schema: { type: "integer" } },
  "www-authenticate": text("The scheme of session tokens (RFC 9110, section 11.6.1).", 'Bearer realm="gathercue"'),
}

type HeaderName = keyof typeof HEADERS

/** Response headers by reference. */
export const headers = (...names: ReadonlyArray<HeaderName>): { readonly [name: string]: { readonly $ref: string } } =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The parts of an operation that its headers depend on. */
interface Answered {
  readonly parameters?: ReadonlyArray<unknown>
  readonly responses: { readonly [status: string]: { headers?: object } }
}

const isPaged = ({ parameters = [] }: Answered): boolean =>
  parameters.some((one) => (one as { readonly name?: string }).name === "cursor")

/** Adds the possible headers to success answers. Error answers get theirs in `problemResponse`. */
export const describeHeaders = (
  operation: Answered,
  { isRepeated, isTagged }: { readonly isRepeated: boolean; readonly isTagged: boolean },
): void => {
  const always = headers(
    ...(isPaged(operation) ? (["link"] as const) : []),
    ...(isRepeated ? (["idempotency-replayed"] as const) : []),
    ...(isTagged ? (["etag"] as const) : []),
    "ratelimit",
    "ratelimit-policy",
    IGNORED_HEADER,
  )
  // A repeated creation answers 200 with the same address.
  const isCreation = "201" in operation.responses || "202" in operation.responses
  for (const [status, response] of Object.entries(operation.responses)) {
    const isSuccess = status < "300"
    response.headers = {
      ...response.headers,
      ...(isSuccess && isCreation ? headers("location") : {}),
      ...(isSuccess ? always : {}),
      ...(status === "302" ? headers("location") : {}),
    }
  }
}
