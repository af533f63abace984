/** Annotations of an endpoint, read once when it is compiled. */
import { Context, Option } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  Commanded,
  EndpointAccess,
  ignoresCookies,
  isRepeatable,
  isViewerSurface,
  ReadBy,
  scopeOf,
} from "../contract/access.ts"
import {
  AddressLimit,
  BodyLimit,
  BytesBody,
  ExactBody,
  FreshSignIn,
  LongPoll,
  OptionalBody,
  Revalidated,
  SecretAddress,
  TextBody,
} from "../contract/endpoint.ts"
import { Audited, ReadsPeople } from "../contract/workspaces/audit.ts"
import { BODY_LIMIT_BYTES } from "../transport/body-limit.ts"
import { Deprecated, deprecationHeaders } from "../transport/deprecation.ts"

export const traitsOf = (endpoint: HttpApiEndpoint.Top) => {
  const { annotations } = endpoint
  const annotated = <I, S>(key: Context.Key<I, S>): S | undefined =>
    Option.getOrUndefined(Context.getOption(annotations, key))
  const retired = annotated(Deprecated)
  const access = Context.getUnsafe(annotations, EndpointAccess)
  return {
    access,
    isForViewers: isViewerSurface(access),
    ignoresCookies: ignoresCookies(access),
    readBy: annotated(ReadBy),
    isRepeatable: isRepeatable(endpoint),
    /** The scope that a key needs. */
    scope: scopeOf(endpoint),
    addressLimit: annotated(AddressLimit) ?? ("publicRead" as const),
    bodyLimit: annotated(BodyLimit) ?? BODY_LIMIT_BYTES,
    freshSignIn: annotated(FreshSignIn),
    /** Milliseconds that the answer may wait for something new. */
    waitsMs: annotated(LongPoll) ?? 0,
    isExact: annotated(ExactBody) === true,
    isBytes: annotated(BytesBody) === true,
    hasOptionalBody: annotated(OptionalBody) === true,
    isSecret: annotated(SecretAddress) === true,
    isRevalidated: annotated(Revalidated) === true,
    isCommanded: annotated(Commanded) === true,
    textType: annotated(TextBody),
    /** Headers that announce the endpoint's retirement. */
    retirement: retired === undefined ? [] : deprecationHeaders(retired),
    audited: annotated(Audited),
    readsPeople: annotated(ReadsPeople) === true,
  }
}
