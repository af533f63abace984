/** Headers that an endpoint's owner adds to its deliveries, for a gateway before the receiver that wants its own credential. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { lowerAscii } from "../text/compared.ts"

const MOST_HEADERS = 10

/** Headers of the connection and of the delivery itself. */
const RESERVED =
  /^(?:host|connection|keep-alive|transfer-encoding|content-.*|te|trailer|upgrade|expect|user-agent|proxy-.*|x-gc-.*|webhook-.*)$/

const OwnHeader = Schema.Struct({
  name: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, { message: "must be letters, digits and hyphens, at most 64" }),
    Schema.makeFilter((name: string) => !RESERVED.test(lowerAscii(name)) || "is set by the server"),
  ),
  value: Schema.String.check(
    Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/, {
      message: "must be 1 to 1000 printable ASCII characters without outer spaces",
    }),
  ),
}).annotate(named("OwnHeader"))

export const OwnHeaders = Schema.Array(OwnHeader).check(
  Schema.isMaxLength(MOST_HEADERS),
  Schema.makeFilter(
    (headers: ReadonlyArray<{ readonly name: string }>) =>
      new Set(headers.map(({ name }) => lowerAscii(name))).size === headers.length || "must have each name once",
  ),
)
export type OwnHeaders = typeof OwnHeaders.Type

/** Names in lower case, as answers show them. */
export const headerNamesOf = (headers: OwnHeaders): ReadonlyArray<string> => headers.map(({ name }) => lowerAscii(name))

/** Text of the headers, which is stored sealed. */
export const encodeHeaders = (headers: OwnHeaders): string =>
  JSON.stringify(Object.fromEntries(headers.map(({ name, value }) => [lowerAscii(name), value])))

export const decodeHeaders = (text: string): Readonly<Record<string, string>> => JSON.parse(text)

/** Owner of an endpoint's sealed headers: another than that of its secret, so that neither opens as the other. */
export const headersOwner = (endpointId: string): string => `${endpointId} headers`
