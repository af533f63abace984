/** The registration form and the survey of an event: editor and results. */
import { FormResults } from "../after/form-results.tsx"
import type { EventProps } from "./event-page.tsx"
import { FormEditor } from "./form-editor.tsx"

const partOf =
  (form: "registration" | "survey") =>
  ({ event }: EventProps) => (
    <>
      <FormEditor eventId={event.id} form={form} />
      {form === "survey" && event.status !== "ended" ? null : <FormResults eventId={event.id} form={form} />}
    </>
  )

export const RegistrationFormPart = partOf("registration")
export const SurveyPart = partOf("survey")
