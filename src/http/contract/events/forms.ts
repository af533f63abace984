/** Forms of an event: the questions of a registration and of the survey after the end, and the answers to them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  AnswersInput,
  Form,
  FormInput,
  FormName,
  FormQuestion,
  GivenAnswer,
  QuestionId,
} from "../../../model/forms/form.ts"
import { QuestionResult } from "../../../model/forms/results.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { AddressLimit, Example, FreshSignIn, PathId, pageOf, SecretAddress } from "../endpoint.ts"
import { examplePage, TOKEN } from "../examples/example-objects.ts"
import {
  answeredForm,
  FORM_ANSWERS_CSV,
  formAnswer,
  formInput,
  questionResult,
  writtenForm,
} from "../examples/form-objects.ts"
import { Csv, FileQuery } from "../file.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "../workspaces/audit.ts"

const FormPath = { ...PathId, form: FormName }

const Answered = Schema.Struct({
  id: Uuid,
  /** Null for an answer without a link of its own, and for all of an anonymous survey, whose `createdAt` is the day. */
  registrationId: Schema.NullOr(Uuid),
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  answers: Schema.Array(GivenAnswer),
  createdAt: Instant,
}).annotate(named("AnsweredForm"))

const PublicForm = Schema.Struct({
  form: FormName,
  version: Schema.Int,
  /** Whether answers are taken now. A form that is not open shows no questions. */
  open: Schema.Boolean,
  anonymous: Schema.Boolean,
  questions: Schema.Array(FormQuestion),
  /** Name of the holder of the token; null without one. */
  name: Schema.NullOr(Schema.String),
  /** Earlier answers of the holder of the token. */
  answers: Schema.Array(GivenAnswer),
}).annotate(named("PublicForm"))

export const Forms = HttpApiGroup.make("forms")
  .add(
    HttpApiEndpoint.get("getForm", "/v1/events/:id/forms/:form", {
      params: FormPath,
      success: Form,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "The registration form or the survey of an event")
      .annotate(OpenApi.Description, "A form that was never written has version 0 and no questions.")
      .annotate(Example, { response: writtenForm }),
    HttpApiEndpoint.put("putForm", "/v1/events/:id/forms/:form", {
      params: FormPath,
      payload: FormInput,
      success: Form,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "form.changed")
      .annotate(OpenApi.Summary, "Write the registration form or the survey of an event")
      .annotate(
        OpenApi.Description,
        "Replaces all questions. Answers are kept with the wording that they were given to, also of questions that the form no longer has. `registration` is answered by `answers` of a registration, and later by the link of its email; required questions make `answers` necessary. `survey` opens when the event ends, for thirty days. `anonymous` changes only while nobody has answered, and `version` is the form's: 409 otherwise.",
      )
      .annotate(Example, { request: formInput, response: writtenForm }),
    HttpApiEndpoint.get("getFormResults", "/v1/events/:id/forms/:form/results", {
      params: FormPath,
      success: Schema.Struct({ form: FormName, questions: Schema.Array(QuestionResult) }),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "How often each choice was taken, and averages of numbers")
      .annotate(
        OpenApi.Description,
        "Texts and dates are counted here, and read from the list of answers. Questions that the form no longer has follow the others.",
      )
      .annotate(Example, { response: { form: "survey", questions: [questionResult] } }),
    HttpApiEndpoint.get("listFormAnswers", "/v1/events/:id/forms/:form/answers", {
      params: FormPath,
      query: {
        ...FileQuery,
        question: Schema.optionalKey(
          QuestionId.annotate({
            description: "Only answers to the question of this id.",
            examples: ["company"],
          }),
        ),
      },
      success: [pageOf("answered", Answered), Csv],
      error: problems("bad_request", ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(FreshSignIn, "file")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "The answers to a form, the first first")
      .annotate(OpenApi.Description, "One item for each person. As CSV a question has a column, whatever its wordings.")
      .annotate(Example, {
        response: examplePage("answered", answeredForm),
        texts: { "text/csv": FORM_ANSWERS_CSV },
      }),
    HttpApiEndpoint.get("getPublicForm", "/v1/public/events/:id/forms/:form", {
      params: FormPath,
      query: {
        t: Schema.optionalKey(
          Schema.String.check(Schema.isMinLength(1)).annotate({
            description: "The token of the person's email.",
            examples: ["2b8NvQ0xJwYyVt6u"],
          }),
        ),
      },
      success: PublicForm,
      error: problems("bad_request", "unauthorized", "not_found", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(SecretAddress, true)
      .annotate(OpenApi.Summary, "A form as the people of the event answer it")
      .annotate(
        OpenApi.Description,
        "With `t`, the token of a link in an email, the questions that concern its person and their earlier answers.",
      )
      .annotate(Example, {
        response: {
          form: "registration",
          version: 2,
          open: true,
          anonymous: false,
          questions: writtenForm.questions,
          name: "Grace Hopper",
          answers: [formAnswer],
        },
      }),
    HttpApiEndpoint.post("answerForm", "/v1/public/events/:id/forms/:form/answers", {
      params: FormPath,
      payload: Schema.Struct({
        token: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
          description:
            "The token of the person's email. A registration needs it; an anonymous survey reads nothing from it.",
        }),
        answers: AnswersInput,
      }),
      success: Schema.Struct({ stored: Schema.Boolean }),
      error: problems(
        ...WITH_BODY,
        "unauthorized",
        "not_found",
        "conflict",
        "rate_limited",
        "unavailable",
        "internal_error",
      ),
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(AddressLimit, "register")
      .annotate(OpenApi.Summary, "Answer a survey, or change the answers of a registration")
      .annotate(
        OpenApi.Description,
        "With a token the answers replace the earlier ones of its person; without one a survey stores one more, without a name, and at most 20,000 of these. A form that is not open, or has no questions: 409. Webhooks `registration.answered` and, unless it is anonymous, `survey.answered`.",
      )
      .annotate(Example, { request: { token: TOKEN, answers: { company: "Acme" } }, response: { stored: true } }),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Questions of a registration and of the survey after an event, and the answers.")
