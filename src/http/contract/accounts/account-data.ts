/** The export and the deletion of the signed-in account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointAccess } from "../access.ts"
import { Example, FreshSignIn, PageQuery, pageOf } from "../endpoint.ts"
import { examplePage } from "../examples/example-objects.ts"
import { personalItem } from "../examples/report-objects.ts"
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
      .annotate(OpenApi.Summary, "Everything that is stored about the signed-in account")
      .annotate(
        OpenApi.Description,
        "The account, its addresses, sessions and workspaces first; then what the events of each workspace have of it, as in the export of a user. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
      )
      .annotate(Example, { response: examplePage("items", personalItem) }),
    HttpApiEndpoint.delete("deleteAccount", "/v1/accounts/me", {
      /** Null for an account without a password, within ten minutes of its sign-in. */
      payload: Schema.Struct({ password: Schema.NullOr(Schema.String) }),
      error: problems(...WITH_BODY, ...COMMON, "conflict", "rate_limited", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "account")
      .annotate(Audited, "account.deleted")
      .annotate(OpenApi.Summary, "Delete the signed-in account; its password confirms")
      .annotate(
        OpenApi.Description,
        "Cannot be undone. All sessions and sockets end, and in every workspace the person is erased as a deleted user is. Send the password; an account without one sends null within ten minutes of its sign-in, and one with a second factor has signed in or proved itself within ten minutes. 403 when that is wrong. 409 while the account is the only owner of a workspace, also when nobody else is in it: make somebody else an owner, or delete the workspace first.",
      )
      .annotate(Example, { request: { password: "correct horse battery" } }),
  )
  .annotate(OpenApi.Description, "What is stored about an account, and its end.")
