/** Registering for an event, with the answers to its form. */
import { lazy, Suspense, useMemo, useState } from "react"
import type { PublicEvent } from "../api/public-event.ts"
import { rest } from "../api/rest.ts"
import { useAction } from "../api/use-action.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { type FieldValues, fieldOf, payloadOf } from "../forms/answers.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../ui/field-form.tsx"
import { TextField } from "../ui/fields.tsx"
import { Notice, ProblemNotice } from "../ui/notice.tsx"

/** Most events ask nothing. */
const AnswerFields = lazy(async () => ({ default: (await import("../forms/answer-fields.tsx")).AnswerFields }))

const REGISTRATION = ["name", "email"]

export const Registration = ({ event }: { readonly event: PublicEvent }) => {
  const texts = useTexts()
  const { attendee } = texts
  const params = { id: event.id, form: "registration" } as const
  const form = useLoaded(event.id, () => rest.getPublicForm({ params, query: {} }))
  const questions = form.value?.questions
  const [values, change] = useState<FieldValues>({})
  const [answered, answer] = useState<{ readonly registered: boolean } | undefined>(undefined)
  const { run, isPending, error } = useAction((name: string, email: string) => {
    const answers = payloadOf(questions ?? [], values)
    const given = Object.keys(answers).length === 0 ? {} : { answers }
    return rest.register({ params: { id: event.id }, payload: { name, email, ...given } })
  })
  const names = useMemo(() => [...REGISTRATION, ...(questions ?? []).map(({ id }) => fieldOf(id))], [questions])
  const { errors, left } = useFieldFaults(error, names)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const fields = new FormData(submitted.currentTarget)
    answer(await run(String(fields.get("name")).trim(), String(fields.get("email")).trim()))
  }
  if (answered !== undefined) {
    return (
      <section className="panel" aria-label={attendee.registerTitle}>
        <Notice>{answered.registered ? attendee.registered : attendee.registeredWaiting}</Notice>
      </section>
    )
  }
  return (
    <section className="panel" aria-label={attendee.registerTitle}>
      <h2>{attendee.registerTitle}</h2>
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="name" label={attendee.name} isRequired maxLength={80} autoComplete="name" />
        <TextField name="email" type="email" label={attendee.email} isRequired autoComplete="email" />
        {questions === undefined || questions.length === 0 ? null : (
          <Suspense fallback={<p role="status">{texts.loading}</p>}>
            <AnswerFields questions={questions} values={values} onChange={change} />
          </Suspense>
        )}
        <ProblemNotice>{whyFailed(texts, left ?? form.error)}</ProblemNotice>
        <Button type="submit" look="main" isPending={isPending}>
          {attendee.register}
        </Button>
      </FieldForm>
    </section>
  )
}
