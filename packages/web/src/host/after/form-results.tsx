/** Results of a form: counts of choices, averages of numbers, and texts in pages. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { FileButton } from "../parts/file-button.tsx"
import { Paged } from "../parts/paged.tsx"

interface Props {
  readonly eventId: string
  readonly form: "registration" | "survey"
}
type Result = Awaited<ReturnType<(typeof rest)["getFormResults"]>>["questions"][number]

const Texts = ({ eventId, form, questionId }: Props & Pick<Result, "questionId">) => {
  const { host } = useConsoleTexts()
  const pages = usePages(`${eventId} ${form} ${questionId}`, "answered", (at) =>
    rest.listFormAnswers({ params: { id: eventId, form }, query: { limit: 20, question: questionId, ...at } }),
  )
  return (
    <Paged pages={pages} empty={host.forms.noAnswers}>
      {(answered) => (
        <ul className="rows">
          {answered.map(({ id, name, answers }) => (
            <li key={id}>
              {String(answers.find((answer) => answer.questionId === questionId)?.value)}{" "}
              <span className="quiet">{name}</span>
            </li>
          ))}
        </ul>
      )}
    </Paged>
  )
}

const Question = ({ result, ...of }: Props & { readonly result: Result }) => {
  const { forms } = useConsoleTexts().host
  const { number } = useFormats()
  const [areShown, show] = useState(false)
  const { questionId, question, kind, asked, answers, choices, average, minimum, maximum } = result
  const words: { readonly [choice: string]: string } =
    kind === "checkbox" || kind === "consent" ? { true: forms.yes, false: forms.no } : {}
  const isText = kind === "text" || kind === "longText" || kind === "date"
  return (
    <section className="panel stack" aria-label={question}>
      <h3>{question}</h3>
      <p className="quiet">
        {forms.answers(number(answers))}
        {asked ? "" : `, ${forms.formerly}`}
      </p>
      {average === null ? null : (
        <p>{forms.average(number(average), number(minimum ?? average), number(maximum ?? average))}</p>
      )}
      {choices.length === 0 ? null : (
        <ul>
          {choices.map(({ text, count }) => (
            <li key={text}>
              {words[text] ?? text}: {number(count)}
            </li>
          ))}
        </ul>
      )}
      {isText && answers > 0 && !areShown ? <Button onPress={() => show(true)}>{forms.texts}</Button> : null}
      {areShown ? <Texts {...of} questionId={questionId} /> : null}
    </section>
  )
}

export const FormResults = ({ eventId, form }: Props) => {
  const { host } = useConsoleTexts()
  const { forms } = host
  const { value, error } = useLoaded(`${eventId} ${form}`, () => rest.getFormResults({ params: { id: eventId, form } }))
  const questions = value?.questions.filter(({ asked, answers }) => asked || answers > 0) ?? []
  return (
    <>
      <div className="row row-apart">
        <h2>{forms.results}</h2>
        <FileButton path={`/v1/events/${eventId}/forms/${form}/answers?format=csv`} name={`${form}.csv`}>
          {forms.file}
        </FileButton>
      </div>
      <FailureNotice error={error} />
      {questions.every(({ answers }) => answers === 0) ? (
        <p className="quiet">{forms.noAnswers}</p>
      ) : (
        questions.map((result) => (
          <Question key={`${result.questionId} ${result.kind}`} eventId={eventId} form={form} result={result} />
        ))
      )}
    </>
  )
}
