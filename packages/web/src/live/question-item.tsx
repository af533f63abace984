/** One question with its votes and its answer. */
import type { GatewayClient, QuestionView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import "./live.css"

interface Props {
  readonly client: GatewayClient
  readonly question: QuestionView
}

/** Note on a question for its author only. */
const Fate = ({ status }: Pick<QuestionView, "status">) => {
  const { live } = useTexts()
  if (status === "pending") return <p className="quiet">{live.waitsForHost}</p>
  return status === "hidden" ? <p className="quiet">{live.notShown}</p> : null
}

export const QuestionItem = ({ client, question }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const { id, text, status, authorName, pinned, votes, answer } = question
  const { isMine, isVoted, mayVote, mayWithdraw } = useEvent(client, ({ questions, me }) => ({
    isMine: questions.mine.includes(id),
    isVoted: questions.voted.includes(id),
    mayVote: me.can.includes("question.vote"),
    mayWithdraw: me.can.includes("question.withdraw"),
  })) ?? { isMine: false, isVoted: false, mayVote: false, mayWithdraw: false }
  const { send, isPending, error } = useCommand(client)
  const isShown = status === "approved" || status === "answered"
  return (
    <>
      <div className="question-votes">
        {isShown && mayVote ? (
          <Button
            isPressed={isVoted}
            isPending={isPending}
            onPress={() => void send("question.vote", { id, on: !isVoted })}
          >
            <span className="visually-hidden">{live.voteFor(text)}</span>
            <span className="votes">{live.votes(votes)}</span>
          </Button>
        ) : (
          <span className="quiet">{isShown ? live.votes(votes) : null}</span>
        )}
      </div>
      <div>
        <p>
          <bdi>{text}</bdi>{" "}
          <span className="quiet">
            (<bdi>{authorName ?? live.somebody}</bdi>
            {isMine ? `, ${live.yours}` : null})
          </span>
        </p>
        <div className="row">
          {pinned ? <span className="badge">{live.pinned}</span> : null}
          {status === "answered" ? <span className="badge">{live.answered}</span> : null}
          {isMine && mayWithdraw ? (
            <Button isPending={isPending} onPress={() => void send("question.withdraw", { id })}>
              {live.withdraw}
            </Button>
          ) : null}
        </div>
        {answer === null ? null : (
          <blockquote className="answer">
            <bdi>{answer}</bdi>
          </blockquote>
        )}
        {isMine ? <Fate status={status} /> : null}
        <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      </div>
    </>
  )
}
