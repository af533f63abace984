/** Endpoints that describe the API. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointAccess } from "./access.ts"
import { Example } from "./endpoint.ts"
import { PROBLEMS as examplePROBLEMS, PROBLEMS, type ProblemCode, problems } from "./problem.ts"

export const Meta = HttpApiGroup.make("meta")
  .add(
    HttpApiEndpoint.get("getProblem", "/v1/errors/:code", {
      params: { code: Schema.Literals(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]) },
      success: Schema.Struct({
        code: Schema.String,
        status: Schema.Int,
        meaning: Schema.String,
        /** Next step for the caller. */
        remedy: Schema.String,
      }),
      error: problems("not_found", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(OpenApi.Summary, "The meaning of an error code: where a problem's `type` leads")
      .annotate(OpenApi.Description, "The address stands in the `type` of every error.")
      .annotate(Example, {
        response: {
          code: "conflict",
          status: 409,
          meaning: examplePROBLEMS.conflict.meaning,
          remedy: examplePROBLEMS.conflict.remedy,
        },
      }),
  )
  .annotate(OpenApi.Description, "The API about itself.")
