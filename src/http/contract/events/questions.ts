/** Questions of the audience and votes on them (specification §2 and §4, Q&A). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Question, QuestionInput, QuestionPatch, QuestionStatus } from "../../../model/question.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { created, PathId, pageOf } from "../endpoint.ts"
import { Csv, FileQuery } from "../file.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

const AUDIENCE = [...COMMON, "sign_in_required", "not_found", "conflict", "rate_limited"] as const

const Vote = Schema.Struct({ questionId: Uuid, votes: Schema.Int, voted: Schema.Boolean }).annotate(
  named("QuestionVote"),
)

export const Questions = HttpApiGroup.make("questions")
  .add(
    HttpApiEndpoint.get("listQuestions", "/v1/events/:id/questions", {
      params: PathId,
      query: {
        ...FileQuery,
        status: Schema.optionalKey(QuestionStatus).annotateKey({
          description: "Only questions in this state.",
          examples: ["pending"],
        }),
        sort: Schema.optionalKey(
          Schema.Literals(["votes", "createdAt"]).annotate({
            description:
              "`votes`: most votes first; a question whose votes change between two pages may come twice or be missed. `createdAt`: the oldest first, each question once where no `status` is asked for.",
            default: "votes",
            examples: ["createdAt"],
          }),
        ),
      },
      success: [pageOf("questions", Question), Csv],
      error: problems("bad_request", ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "An event's questions with their votes, most votes first"),
    HttpApiEndpoint.patch("patchQuestion", "/v1/questions/:id", {
      params: PathId,
      payload: QuestionPatch,
      success: Question,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "question")
      .annotate(OpenApi.Summary, "Approve, hide, pin or answer a question; an answer alone marks it answered"),
    HttpApiEndpoint.post("askQuestion", "/v1/public/events/:id/questions", {
      params: PathId,
      payload: QuestionInput,
      success: created(Question),
      error: problems(...WITH_BODY, ...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceEvent")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Ask a question; signed out where a public event allows it"),
    HttpApiEndpoint.put("voteQuestion", "/v1/public/questions/:id/vote", {
      params: PathId,
      success: Vote,
      error: problems(...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceQuestion")
      .annotate(OpenApi.Summary, "Vote for a question, once however often it is sent"),
    HttpApiEndpoint.delete("unvoteQuestion", "/v1/public/questions/:id/vote", {
      params: PathId,
      success: Vote,
      error: problems(...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceQuestion")
      .annotate(OpenApi.Summary, "Take the vote back"),
  )
  .annotateEndpoints(WriteScope, "live")
  .annotate(OpenApi.Description, "Questions of the audience, and votes on them.")
