/** Questions of a form while a host writes them. */
import type { rest } from "../../api/rest.ts"

export type Form = Awaited<ReturnType<(typeof rest)["getForm"]>>
export type FormQuestion = Form["questions"][number]
type QuestionKind = FormQuestion["kind"]

export const KINDS = [
  "text",
  "longText",
  "choice",
  "choices",
  "checkbox",
  "number",
  "date",
  "consent",
] as const satisfies ReadonlyArray<QuestionKind>
export const AUDIENCES = ["everybody", "registrants", "invited"] as const satisfies ReadonlyArray<
  FormQuestion["audience"]
>

export const hasOptions = ({ kind }: FormQuestion): boolean => kind === "choice" || kind === "choices"

export const newQuestion = (): FormQuestion => ({
  id: `q-${crypto.randomUUID().slice(0, 8)}`,
  kind: "text",
  text: "",
  options: [],
  minimum: null,
  maximum: null,
  version: 0,
  required: false,
  audience: "everybody",
})

/** The question for a request, without what its kind does not have, and without empty lines among the choices. */
export const sentQuestion = (question: FormQuestion): FormQuestion => {
  const options = question.options.map((option) => option.trim()).filter((option) => option !== "")
  const bounds = question.kind === "number" ? {} : { minimum: null, maximum: null }
  return { ...question, ...bounds, text: question.text.trim(), options: hasOptions(question) ? options : [] }
}
