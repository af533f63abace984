/** A form with the answers that its reader gave before, if they came by their own link. */
import { useMemo, useState } from "react"
import { rest } from "../api/rest.ts"
import { useAction } from "../api/use-action.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../ui/field-form.tsx"
import { Notice, ProblemNotice } from "../ui/notice.tsx"
import { AnswerFields } from "./answer-fields.tsx"
import { fieldOf, type PublicForm, payloadOf, valuesOf } from "./answers.ts"

interface Props {
  readonly eventId: string
  readonly form: PublicForm["form"]
  readonly token: string | null
  /** Content in place of a form that takes no answers. */
  readonly closed?: React.ReactNode
}

const OpenForm = ({ eventId, token, form }: Omit<Props, "form"> & { readonly form: PublicForm }) => {
  const texts = useTexts()
  const { questions, name, anonymous } = form
  const [values, change] = useState(() => valuesOf(form))
  const [isStored, stored] = useState(false)
  const { run, isPending, error } = useAction(() =>
    rest.answerForm({
      params: { id: eventId, form: form.form },
      payload: { answers: payloadOf(questions, values), ...(token === null ? {} : { token }) },
    }),
  )
  const names = useMemo(() => questions.map(({ id }) => fieldOf(id)), [questions])
  const { errors, left } = useFieldFaults(error, names)
  const { attendee } = texts
  if (isStored) return <Notice>{attendee.answersStored}</Notice>
  return (
    <FieldForm
      className="stack"
      errors={errors}
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void run().then((answer) => stored(answer !== undefined))
      }}
    >
      {name === null ? null : <p>{attendee.answersOf(name)}</p>}
      {anonymous ? <p className="quiet">{attendee.anonymousSurvey}</p> : null}
      <AnswerFields questions={questions} values={values} onChange={change} />
      <ProblemNotice>{whyFailed(texts, left)}</ProblemNotice>
      <Button type="submit" look="main" isPending={isPending}>
        {attendee.sendAnswers}
      </Button>
    </FieldForm>
  )
}

export const AnswerForm = ({ eventId, form: name, token, closed = null }: Props) => {
  const texts = useTexts()
  const { value, error, isLoading, reload } = useLoaded(`${eventId} ${name}`, () =>
    rest.getPublicForm({ params: { id: eventId, form: name }, query: token === null ? {} : { t: token } }),
  )
  if (value === undefined) {
    return (
      <>
        {isLoading ? <p role="status">{texts.loading}</p> : null}
        <ProblemNotice>{isLoading ? null : whyFailed(texts, error)}</ProblemNotice>
        {isLoading ? null : <Button onPress={reload}>{texts.retry}</Button>}
      </>
    )
  }
  if (!value.open || value.questions.length === 0) return closed
  const title = texts.attendee.formTitles[name]
  return (
    <section className="panel stack" aria-label={title}>
      <h2>{title}</h2>
      <OpenForm eventId={eventId} form={value} token={token} />
    </section>
  )
}
