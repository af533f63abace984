/** One question with a moderator's actions. Every action names the revision that was shown. */
import type { QuestionView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { TextForm } from "../../live/text-form.tsx"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button, type ButtonProps } from "../../ui/button.tsx"
import { changeMeanwhile } from "../parts/change-meanwhile.ts"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

/** A question as listed by REST, without a revision. */
type Listed = Pick<QuestionView, "id" | "text" | "status" | "authorName" | "votes" | "pinned" | "answer"> &
  Partial<Pick<QuestionView, "rev">>

type Props = ClientProps & { readonly question: Listed }

const guardOf = ({ rev }: Listed) => (rev === undefined ? {} : { rev })

const Answer = ({ client, question, onDone }: Props & { readonly onDone: () => void }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { id } = question
  const { send, isPending, error } = useCommand(client)
  const answer = async (text: string) => {
    const sent = await send("question.answer", { id, mode: "text", text }, guardOf(question))
    if (sent !== undefined) onDone()
    return sent !== undefined
  }
  return (
    <TextForm
      label={host.answer}
      button={host.answer}
      isPending={isPending}
      draft={`answer ${id}`}
      problem={changeMeanwhile(texts, error) ?? whyFailed(texts, error)}
      onText={answer}
    />
  )
}

const Text = ({ client, question }: Props) => {
  const { host, live } = useConsoleTexts()
  const { id, text, status, authorName, votes, pinned, answer } = question
  const unnamed = useEvent(client, ({ signedOutVotes }) => signedOutVotes[id])
  const facts = [
    live.votes(votes),
    unnamed === undefined ? "" : host.unnamedVotes(unnamed.voters, unnamed.addresses),
    status === "answered" ? live.answered : "",
    pinned ? host.pinned : "",
  ]
  return (
    <p>
      <b dir="auto">{authorName ?? live.somebody}</b> <bdi>{text}</bdi>{" "}
      <span className="quiet">{facts.filter((fact) => fact !== "").join(", ")}</span>
      {answer === null ? null : (
        <span className="answer">
          <bdi>{answer}</bdi>
        </span>
      )}
    </p>
  )
}

type Act = "question.approve" | "question.restore" | "question.hide"

/** A moderator's actions by state of the question. */
const ACTS: { readonly [S in QuestionView["status"]]: ReadonlyArray<Act> } = {
  pending: ["question.approve", "question.hide"],
  approved: ["question.hide"],
  answered: ["question.hide"],
  hidden: ["question.restore"],
}

export const QuestionRow = ({ client, question }: Props) => {
  const { host } = useConsoleTexts()
  const { id, text, status, pinned } = question
  const guard = guardOf(question)
  const [isAnswering, writing] = useState(false)
  const mayModerate = useCan(client, "question.approve")
  const mayAnswer = useCan(client, "question.answer") && status !== "hidden"
  const { send, isPending, error } = useCommand(client)
  const button = (label: string, act: () => void, state: Pick<ButtonProps, "aria-expanded"> = {}) => (
    <Button key={label} aria-label={`${label}: ${text}`} isPending={isPending} onPress={act} {...state}>
      {label}
    </Button>
  )
  const labels: { readonly [A in Act]: string } = {
    "question.approve": host.approve,
    "question.hide": host.hide,
    "question.restore": host.restore,
  }
  const isShown = status === "approved" || status === "answered"
  return (
    <>
      <Text client={client} question={question} />
      <div className="row">
        {mayModerate ? ACTS[status].map((act) => button(labels[act], () => void send(act, { id }, guard))) : null}
        {mayModerate && isShown
          ? button(pinned ? host.unpin : host.pin, () => void send("question.pin", { id, on: !pinned }, guard))
          : null}
        {mayAnswer ? button(host.answer, () => writing((now) => !now), { "aria-expanded": isAnswering }) : null}
        {mayAnswer && status === "approved"
          ? button(host.answeredLive, () => void send("question.answer", { id, mode: "live" }, guard))
          : null}
      </div>
      <FailureNotice error={error} />
      {isAnswering ? <Answer client={client} question={question} onDone={() => writing(false)} /> : null}
    </>
  )
}
