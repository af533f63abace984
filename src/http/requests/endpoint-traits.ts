/** The annotations of an endpoint, read once when it is compiled. */
import { Context, Option } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Commanded, EndpointAccess } from "../contract/access.ts"
import {
  AddressLimit,
  BodyLimit,
  BytesBody,
  ExactBody,
  Revalidated,
  SecretAddress,
  TextBody,
} from "../contract/endpoint.ts"
import { Audited } from "../contract/workspaces/audit.ts"
import { BODY_LIMIT_BYTES } from "../transport/body-limit.ts"
import { Deprecated, deprecationHeaders } from "../transport/deprecation.ts"

export const traitsOf = ({ annotations }: HttpApiEndpoint.Top) => {
  const annotated = <I, S>(key: Context.Key<I, S>): S | undefined =>
    Option.getOrUndefined(Context.getOption(annotations, key))
  const retired = annotated(Deprecated)
  return {
    access: Context.getUnsafe(annotations, EndpointAccess),
    addressLimit: annotated(AddressLimit) ?? ("publicRead" as const),
    bodyLimit: annotated(BodyLimit) ?? BODY_LIMIT_BYTES,
    isExact: annotated(ExactBody) === true,
    isBytes: annotated(BytesBody) === true,
    isSecret: annotated(SecretAddress) === true,
    isRevalidated: annotated(Revalidated) === true,
    isCommanded: annotated(Commanded) === true,
    textType: annotated(TextBody),
    /** Headers that announce its end. */
    retirement: retired === undefined ? [] : deprecationHeaders(retired),
    audited: annotated(Audited),
  }
}
