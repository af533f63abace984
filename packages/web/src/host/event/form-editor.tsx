/** Editor of a form: its questions in their order, and for a survey what is done with it. */
import { useMemo, useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { SaveRow } from "../parts/save-row.tsx"
import { moved } from "./phase-draft.ts"
import { type Form, newQuestion, sentQuestion } from "./question-draft.ts"
import { QuestionFields } from "./question-fields.tsx"

interface Props {
  readonly eventId: string
  readonly stored: Form
}

const FIELDS = ["text", "options", "minimum", "maximum"]

const Editor = ({ eventId, stored }: Props) => {
  const { host } = useConsoleTexts()
  const { forms } = host
  const [draft, change] = useState(stored)
  const [isSaved, saved] = useState(false)
  const { form, version, questions, anonymous, thanks } = draft
  const edit = (fields: Partial<Form>) => {
    change((now) => ({ ...now, ...fields }))
    saved(false)
  }
  const { run, isPending, error } = useAction(() =>
    rest.putForm({
      params: { id: eventId, form },
      payload: { questions: questions.map(sentQuestion), version, anonymous, thanks },
    }),
  )
  const names = useMemo(
    () => questions.flatMap((_, index) => FIELDS.map((field) => `questions.${index}.${field}`)),
    [questions],
  )
  const { errors, left } = useFieldFaults(error, names)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const written = await run()
    if (written !== undefined) change(written)
    saved(written !== undefined)
  }
  const isSurvey = form === "survey"
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <p className="quiet">{isSurvey ? forms.surveyHint : forms.hint}</p>
      {questions.length === 0 ? <p className="quiet">{forms.none}</p> : null}
      {questions.map((question, index) => (
        <fieldset key={question.id} className="panel stack">
          <legend>{forms.question(index + 1)}</legend>
          <QuestionFields
            index={index}
            question={question}
            hasAudience={!isSurvey}
            onChange={(changed) =>
              edit({ questions: questions.map((one) => (one.id === question.id ? changed : one)) })
            }
          />
          <div className="row">
            <Button isDisabled={index === 0} onPress={() => edit({ questions: moved(questions, index, index - 1) })}>
              {host.earlier}
            </Button>
            <Button
              isDisabled={index === questions.length - 1}
              onPress={() => edit({ questions: moved(questions, index, index + 1) })}
            >
              {host.later}
            </Button>
            <Button onPress={() => edit({ questions: questions.filter(({ id }) => id !== question.id) })}>
              {forms.remove}
            </Button>
          </div>
        </fieldset>
      ))}
      <div className="row">
        <Button onPress={() => edit({ questions: [...questions, newQuestion()] })}>{forms.add}</Button>
      </div>
      {isSurvey ? (
        <>
          <CheckField isSelected={anonymous} onChange={(on) => edit({ anonymous: on })}>
            {forms.anonymous}
          </CheckField>
          <CheckField isSelected={thanks} onChange={(on) => edit({ thanks: on })}>
            {forms.thanks}
          </CheckField>
        </>
      ) : null}
      <FailureNotice error={left} />
      <SaveRow isMain isPending={isPending} isSaved={isSaved} />
    </FieldForm>
  )
}

export const FormEditor = ({ eventId, form }: { readonly eventId: string; readonly form: Form["form"] }) => {
  const texts = useConsoleTexts()
  const { value, error, isLoading } = useLoaded(`${eventId} ${form}`, () =>
    rest.getForm({ params: { id: eventId, form } }),
  )
  if (value !== undefined) return <Editor key={`${eventId} ${form}`} eventId={eventId} stored={value} />
  return isLoading ? <p role="status">{texts.loading}</p> : <FailureNotice error={error} />
}
