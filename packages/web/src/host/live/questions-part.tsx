/** Questions of the audience: pending, shown and hidden ones. */
import { pendingQuestions, type QuestionView, shownQuestions } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { LongList } from "../../ui/long-list.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { AllQuestions } from "./all-questions.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"
import { QuestionRow } from "./question-row.tsx"

const Settings = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const open = useEvent(client, ({ questions }) => questions.open) ?? true
  const said = useEvent(client, ({ questions }) => questions.moderated) ?? null
  const configured =
    useEvent(client, ({ phases }) => phases.find(({ status }) => status === "active")?.config.moderated) ?? false
  const { send, error } = useCommand(client)
  return (
    <div className="row">
      <CheckField isSelected={open} onChange={(on) => void send("qa.settings", { open: on })}>
        {host.questionsOpen}
      </CheckField>
      <CheckField isSelected={said ?? configured} onChange={(on) => void send("qa.settings", { moderated: on })}>
        {host.moderated}
      </CheckField>
      <FailureNotice error={error} />
    </div>
  )
}

const List = ({
  client,
  title,
  questions,
}: ClientProps & { readonly title: string; readonly questions: ReadonlyArray<QuestionView> }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <LongList label={title} items={questions} idOf={({ id }) => id} className="rows" rowClassName="stack">
      {(question) => <QuestionRow client={client} question={question} />}
    </LongList>
  </section>
)

export const QuestionsPart = ({ client, event }: LiveProps) => {
  const { host, live } = useConsoleTexts()
  const questions = useEvent(client, (state) => state.questions)
  const maySet = useCan(client, "qa.settings")
  if (questions === undefined) return null
  const pending = pendingQuestions(questions)
  const shown = shownQuestions(questions)
  const hidden = questions.all.filter(({ status }) => status === "hidden")
  return (
    <>
      {maySet ? <Settings client={client} /> : <p>{host.noQuestions}</p>}
      {pending.length === 0 ? null : <List client={client} title={host.questionStatus.pending} questions={pending} />}
      {shown.length === 0 ? (
        <p className="quiet">{live.questionsEmpty}</p>
      ) : (
        <List client={client} title={live.questions} questions={shown} />
      )}
      {hidden.length === 0 ? null : <List client={client} title={host.questionStatus.hidden} questions={hidden} />}
      {maySet ? <AllQuestions client={client} event={event} /> : null}
    </>
  )
}
