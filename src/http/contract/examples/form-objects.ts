/** Examples of forms and their answers. */
import { ids, T0 } from "../../../model/example-ids.ts"

const company = { id: "company", kind: "text", text: "Where do you work?", required: true } as const
const lunch = { id: "lunch", kind: "choice", text: "What do you eat?", options: ["Pizza", "Soup"] } as const

export const formInput = { questions: [company, lunch] }
const UNBOUND = { minimum: null, maximum: null, audience: "everybody" } as const
export const writtenForm = {
  form: "registration",
  version: 2,
  questions: [
    { ...UNBOUND, ...company, options: [], version: 1 },
    { ...UNBOUND, ...lunch, required: false, version: 2 },
  ],
  anonymous: false,
  thanks: true,
  updatedAt: T0,
}
export const formAnswer = {
  questionId: "company",
  kind: "text",
  question: "Where do you work?",
  version: 1,
  value: "Acme",
  answeredAt: T0,
}
export const answeredForm = {
  id: ids.session,
  registrationId: ids.user,
  name: "Grace Hopper",
  email: "grace@example.com",
  answers: [formAnswer],
  createdAt: T0,
}
export const FORM_ANSWERS_CSV = `id,registrationId,name,email,createdAt,Where do you work?\r\n${ids.session},${ids.user},Grace Hopper,grace@example.com,${T0},Acme\r\n`
export const questionResult = {
  questionId: "lunch",
  kind: "choice",
  question: "What do you eat?",
  asked: true,
  answers: 12,
  choices: [
    { text: "Pizza", count: 7 },
    { text: "Soup", count: 5 },
  ],
  average: null,
  minimum: null,
  maximum: null,
}
