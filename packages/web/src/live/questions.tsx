/** Questions of the audience: one's own pending ones, followed by those that everybody sees. */
import { type GatewayClient, type QuestionState, type QuestionView, shownQuestions } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { LongList } from "../ui/long-list.tsx"
import { AskForm } from "./ask-form.tsx"
import { QuestionItem } from "./question-item.tsx"

interface Props {
  readonly client: GatewayClient
  readonly hasName: boolean
}

const NONE: ReadonlyArray<QuestionView> = []

/** Questions of this person that only the hosts see. */
const ownUnshown = ({ all, mine }: QuestionState): ReadonlyArray<QuestionView> =>
  all.filter(({ id, status }) => mine.includes(id) && (status === "pending" || status === "hidden"))

export const QuestionsPanel = ({ client, hasName }: Props) => {
  const { live } = useTexts()
  const own = useEvent(client, ({ questions }) => ownUnshown(questions)) ?? NONE
  const shown = useEvent(client, ({ questions }) => shownQuestions(questions)) ?? NONE
  return (
    <section className="panel stack" aria-label={live.questions}>
      <h2 className="visually-hidden">{live.questions}</h2>
      <AskForm client={client} hasName={hasName} />
      {own.length + shown.length === 0 ? <p className="quiet">{live.questionsEmpty}</p> : null}
      <LongList
        label={live.questions}
        items={[...own, ...shown]}
        idOf={({ id }) => id}
        className="stack"
        rowClassName="question"
      >
        {(question) => <QuestionItem client={client} question={question} />}
      </LongList>
    </section>
  )
}
