/** Form for voting in a poll. */
import type { GatewayClient, PollView } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { Form } from "react-aria-components"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { OneOf, SomeOf } from "../ui/choices.tsx"
import { ProblemNotice } from "../ui/notice.tsx"

interface Props {
  readonly client: GatewayClient
  readonly poll: PollView
  readonly chosen: ReadonlyArray<string>
  readonly onVoted: () => void
}

export const PollForm = ({ client, poll, chosen, onVoted }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const [value, choose] = useState(chosen)
  const { send, isPending, error } = useCommand(client)
  const vote = async (optionIds: ReadonlyArray<string>) => {
    if ((await send("poll.vote", { id: poll.id, optionIds })) === undefined) return
    choose(optionIds)
    onVoted()
  }
  const submit = (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if (value.length > 0) void vote(value)
  }
  const choices = { label: poll.question, options: poll.options, value, onChange: choose }
  return (
    <Form className="stack" onSubmit={submit}>
      {poll.kind === "multi" ? (
        <>
          <SomeOf {...choices} />
          <p className="quiet">{live.severalChoices}</p>
        </>
      ) : (
        <OneOf {...choices} isRow={poll.kind === "rating"} />
      )}
      {poll.anonymous ? <p className="quiet">{live.pollAnonymous}</p> : null}
      <div className="row">
        <Button type="submit" look="main" isPending={isPending} isDisabled={value.length === 0}>
          {live.vote}
        </Button>
        {chosen.length === 0 ? null : (
          <Button isPending={isPending} onPress={() => void vote([])}>
            {live.takeVoteBack}
          </Button>
        )}
      </div>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </Form>
  )
}
