/**
 * All questions of the event, most votes first. The console receives those asked while it was connected, and the first ones before: the
 * others, and hidden ones, are read page by page.
 */
import type { Question } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Paged } from "../parts/paged.tsx"
import type { LiveProps } from "./live-props.ts"
import { QuestionRow } from "./question-row.tsx"

const PER_PAGE = 20

/** A question that changes its position while the pages are read appears twice. */
const onceEach = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => [
  ...new Map(questions.map((question) => [question.id, question])).values(),
]

const Row = ({ client, question }: Pick<LiveProps, "client"> & { readonly question: Question }) => {
  const { host } = useConsoleTexts()
  // The gateway reports later changes to the question, including those made in this row.
  const known = useEvent(client, ({ questions }) => questions.all.find(({ id }) => id === question.id))
  const { status } = known ?? question
  return (
    <>
      {status === "pending" || status === "hidden" ? (
        <span className="badge">{host.questionStatus[status]}</span>
      ) : null}
      <QuestionRow client={client} question={known ?? question} />
    </>
  )
}

const List = ({ client, event }: LiveProps) => {
  const { host, live } = useConsoleTexts()
  const pages = usePages(event.id, "questions", (at) =>
    rest.listQuestions({
      params: { id: event.id },
      query: { limit: PER_PAGE, ...at },
    }),
  )
  return (
    <Paged pages={pages} empty={live.questionsEmpty}>
      {(questions) => (
        <ol className="rows" aria-label={host.allQuestions}>
          {onceEach(questions).map((question) => (
            <li key={question.id} className="stack">
              <Row client={client} question={question} />
            </li>
          ))}
        </ol>
      )}
    </Paged>
  )
}

export const AllQuestions = (props: LiveProps) => {
  const { host } = useConsoleTexts()
  const [isOpen, open] = useState(false)
  return (
    <section className="stack" aria-label={host.allQuestions}>
      <div className="row">
        <Button isPressed={isOpen} onPress={() => open(!isOpen)}>
          {host.allQuestions}
        </Button>
      </div>
      {isOpen ? <List {...props} /> : null}
    </section>
  )
}
