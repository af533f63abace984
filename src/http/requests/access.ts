/**
 * Access to endpoints, decided before the body is read: 401 without a credential, 404 for an object of another workspace, 403
 * for an act that the caller may not do. Workspace membership decides, never the per-event role.
 */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import { NotFound } from "../../model/errors.ts"
import { parseId } from "../../model/ids.ts"
import type { KeyScope } from "../../model/key-rights.ts"
import type { Access } from "../contract/access.ts"
import { type HttpRequest, queryOf } from "../transport/message.ts"
import { AUDIENCE } from "./access/audience.ts"
import { OBJECTS } from "./access/objects.ts"
import { WORKSPACES } from "./access/workspaces.ts"
import { cookieValue, isFromOwnPage } from "./credentials.ts"
import { type Checks, kindRefused, requireFreshProof, requireScope, wrongKind } from "./management.ts"
import { HttpSettings } from "./settings.ts"

const ACCESS: Checks = {
  public: () => Effect.succeed({}),
  browser: (_, request) =>
    Effect.map(HttpSettings, (site) => ({
      isFromOwnPage: isFromOwnPage(request, site),
      cookie: (name: string) => cookieValue(request.headers["cookie"], name),
      queryString: request.query,
    })),
  ...AUDIENCE,
  ...WORKSPACES,
  ...OBJECTS,
}

const asksForFile = (request: HttpRequest): boolean => queryOf(request)["format"] === "csv"

/**
 * Access check of an endpoint: the scope of a key, the access that the endpoint declares, and then a fresh proof of the session's holder.
 */
export const accessCheck = ({
  access,
  scope,
  freshSignIn,
}: {
  readonly access: Access
  readonly scope: KeyScope | null
  readonly freshSignIn: "always" | "file" | undefined
}) => {
  const establish = ACCESS[access] as (typeof ACCESS)["public"]
  const refused = kindRefused(access)
  return (principal: Principal, request: HttpRequest): ReturnType<typeof establish> => {
    const named = request.headers["x-workspace-id"]
    // A credential of one workspace grants nothing in another.
    if (named !== undefined && "workspaceId" in principal && parseId(named) !== principal.workspaceId)
      return Effect.fail(NotFound.of("workspace"))
    const established = Effect.andThen(requireScope(principal, scope), establish(principal, request)).pipe(
      Effect.mapError((failure) => (failure === wrongKind ? refused : failure)),
    )
    const needsProof = freshSignIn === "always" || (freshSignIn === "file" && asksForFile(request))
    return needsProof ? Effect.tap(established, () => requireFreshProof(principal)) : established
  }
}
