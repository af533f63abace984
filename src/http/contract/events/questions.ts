/** Questions of the audience and votes on them (docs/questions.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Question, QuestionInput, QuestionPatch, QuestionStatus } from "../../../model/question.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { created, Example, PathId, pageOf } from "../endpoint.ts"
import { examplePage, question } from "../examples/example-objects.ts"
import { QUESTIONS_CSV } from "../examples/report-objects.ts"
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
      .annotate(OpenApi.Summary, "An event's questions with their votes, most votes first")
      .annotate(OpenApi.Description, "Of every status, also hidden ones.")
      .annotate(Example, { response: examplePage("questions", question), texts: { "text/csv": QUESTIONS_CSV } }),
    HttpApiEndpoint.patch("patchQuestion", "/v1/questions/:id", {
      params: PathId,
      payload: QuestionPatch,
      success: Question,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "question")
      .annotate(OpenApi.Summary, "Approve, hide, pin or answer a question; an answer alone marks it answered")
      .annotate(
        OpenApi.Description,
        "People at the live event see the change at once. An answered question shows its answer to everybody.",
      )
      .annotate(Example, {
        request: { answer: "In June.", pinned: true },
        response: { ...question, status: "answered", answer: "In June.", pinned: true, answeredAt: T1 },
      }),
    HttpApiEndpoint.post("askQuestion", "/v1/public/events/:id/questions", {
      params: PathId,
      payload: QuestionInput,
      success: created(Question),
      error: problems(...WITH_BODY, ...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceEvent")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Ask a question; signed out where a public event allows it")
      .annotate(
        OpenApi.Description,
        "Questions are open while the active phase has the feature `qa`. In a moderated phase the question waits for approval. Webhook `question.created`.",
      )
      .annotate(Example, { request: { text: "When does it ship?" }, response: { ...question, votes: 0 } }),
    HttpApiEndpoint.put("voteQuestion", "/v1/public/questions/:id/vote", {
      params: PathId,
      success: Vote,
      error: problems(...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceQuestion")
      .annotate(OpenApi.Summary, "Vote for a question, once however often it is sent")
      .annotate(OpenApi.Description, "One vote for each voter. The answer has the new number of votes.")
      .annotate(Example, { response: { questionId: ids.question, votes: 13, voted: true } }),
    HttpApiEndpoint.delete("unvoteQuestion", "/v1/public/questions/:id/vote", {
      params: PathId,
      success: Vote,
      error: problems(...AUDIENCE),
    })
      .annotate(EndpointAccess, "audienceQuestion")
      .annotate(OpenApi.Summary, "Take the vote back")
      .annotate(OpenApi.Description, "The answer has the new number of votes.")
      .annotate(Example, { response: { questionId: ids.question, votes: 12, voted: false } }),
  )
  .annotateEndpoints(WriteScope, "live")
  .annotate(OpenApi.Description, "Questions of the audience, and votes on them.")
