/** Questions with most votes. */
import { type GatewayClient, shownQuestions } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"

const SHOWN = 5

export const TopQuestions = ({ client }: { readonly client: GatewayClient }) => {
  const { screen } = useTexts()
  const questions = useEvent(client, (state) => shownQuestions(state.questions).slice(0, SHOWN)) ?? []
  const mayAsk = useEvent(client, ({ phases }) =>
    phases.some(({ status, featureSet }) => status === "active" && featureSet.includes("qa")),
  )
  if (questions.length === 0 && mayAsk !== true) return null
  return (
    <section aria-label={screen.questions}>
      <h2>{screen.questions}</h2>
      {questions.length === 0 ? <p>{screen.noQuestions}</p> : null}
      <ol className="screen-questions">
        {questions.map(({ id, text, votes, authorName }) => (
          <li key={id}>
            <span className="screen-votes">{screen.votes(votes)}</span> <bdi>{text}</bdi>{" "}
            <span className="quiet" dir="auto">
              {authorName ?? screen.anonymous}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
