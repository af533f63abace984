/** The export and the deletion of the signed-in account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../access.ts"
import { FreshSignIn, PageQuery, pageOf } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"
import { PersonalItem } from "../workspaces/personal-data.ts"

export const AccountData = HttpApiGroup.make("accountData")
  .add(
    HttpApiEndpoint.get("exportAccount", "/v1/accounts/me/export", {
      query: PageQuery,
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(FreshSignIn, "always")
      .annotate(OpenApi.Summary, "Everything that is stored about the signed-in account"),
    HttpApiEndpoint.delete("deleteAccount", "/v1/accounts/me", {
      /** Null: an account that has no password, within ten minutes of its sign-in. */
      payload: Schema.Struct({ password: Schema.NullOr(Schema.String) }),
      error: problems(...WITH_BODY, ...COMMON, "conflict", "rate_limited", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "account.deleted")
      .annotate(OpenApi.Summary, "Delete the signed-in account; its password confirms"),
  )
  .annotate(OpenApi.Description, "What is stored about an account, and its end.")
