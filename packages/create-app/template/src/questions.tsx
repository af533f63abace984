import { type GatewayClient, shownQuestions } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { TextForm } from "./text-form.tsx"
import { whyRefused } from "./words.ts"

export const Questions = ({ client }: { readonly client: GatewayClient }) => {
  const questions = useEvent(client, (state) => shownQuestions(state.questions)) ?? []
  const voted = useEvent(client, (state) => state.questions.voted) ?? []
  const can = useEvent(client, ({ me }) => me.can) ?? []
  const asking = useCommand(client)
  const voting = useCommand(client)
  const ask = async (text: string) => (await asking.send("question.ask", { text })) !== undefined
  return (
    <section aria-label="Questions">
      <h2>Questions</h2>
      <ol>
        {questions.map(({ id, text, authorName, votes, answer }) => (
          <li key={id}>
            <button
              type="button"
              aria-label={`Vote for: ${text}`}
              aria-pressed={voted.includes(id)}
              disabled={!can.includes("question.vote")}
              onClick={() => void voting.send("question.vote", { id, on: !voted.includes(id) })}
            >
              ▲ {votes}
            </button>{" "}
            {text} ({authorName ?? "somebody"}){answer === null ? null : `: ${answer}`}
          </li>
        ))}
      </ol>
      {voting.error === null ? null : <p role="alert">{whyRefused(voting.error)}</p>}
      {can.includes("question.ask") ? (
        <TextForm
          label="Question"
          button="Ask"
          isPending={asking.isPending}
          problem={whyRefused(asking.error)}
          onText={ask}
        />
      ) : null}
    </section>
  )
}
