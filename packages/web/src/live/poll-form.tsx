/** Form for voting in a poll. */
import type { GatewayClient, PollView } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { Form } from "react-aria-components"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { OneOf, SomeOf } from "../ui/choices.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { isWritten, WRITTEN } from "./poll-kinds.ts"
import { Ranking } from "./ranking.tsx"

interface Props {
  readonly client: GatewayClient
  readonly poll: PollView
  readonly chosen: ReadonlyArray<string>
  readonly onVoted: () => void
}

type Ballot = { readonly optionIds: ReadonlyArray<string>; readonly texts?: ReadonlyArray<string> }

interface FieldsProps {
  readonly poll: PollView
  readonly value: Ballot
  readonly onChange: (value: Ballot) => void
}

const WrittenFields = ({ poll, value: { texts = [] }, onChange }: FieldsProps) => {
  const { live } = useTexts()
  const [fields, longest] = WRITTEN[poll.kind] ?? [0, 0]
  return (
    <fieldset className="choices stack-close">
      <legend>{poll.question}</legend>
      {Array.from({ length: fields }, (_, at) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity than their place
          key={at}
          label={fields === 1 ? live.answer : live.word(at + 1)}
          value={texts[at] ?? ""}
          onChange={(text) =>
            onChange({
              optionIds: [],
              texts: Array.from({ length: fields }, (__, n) => (n === at ? text : (texts[n] ?? ""))),
            })
          }
          maxLength={longest}
          autoComplete="off"
        />
      ))}
    </fieldset>
  )
}

const PollFields = (props: FieldsProps) => {
  const { live } = useTexts()
  const { poll, value, onChange } = props
  const choices = {
    label: poll.question,
    options: poll.options,
    value: value.optionIds,
    onChange: (optionIds: ReadonlyArray<string>) => onChange({ optionIds }),
  }
  switch (poll.kind) {
    case "text":
    case "wordcloud":
      return <WrittenFields {...props} />
    case "ranking":
      return <Ranking {...choices} />
    case "multi":
      return (
        <>
          <SomeOf {...choices} />
          <p className="quiet">{live.severalChoices}</p>
        </>
      )
    case "quiz":
      return poll.most === 1 ? <OneOf {...choices} /> : <SomeOf {...choices} />
    default:
      return <OneOf {...choices} isRow={poll.kind === "rating"} />
  }
}

const EMPTY: Ballot = { optionIds: [] }

export const PollForm = ({ client, poll, chosen, onVoted }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const [value, choose] = useState<Ballot>(isWritten(poll.kind) ? EMPTY : { optionIds: chosen })
  const { send, isPending, error } = useCommand(client)
  const vote = async ({ optionIds, texts: written = [] }: Ballot) => {
    const own = written.map((text) => text.trim()).filter((text) => text !== "")
    const ballot = own.length === 0 ? { optionIds } : { optionIds, texts: own }
    if ((await send("poll.vote", { id: poll.id, ...ballot })) === undefined) return
    choose({ optionIds })
    onVoted()
  }
  const isEmpty = value.optionIds.length === 0 && (value.texts ?? []).every((text) => text.trim() === "")
  const submit = (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if (!isEmpty) void vote(value)
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <PollFields poll={poll} value={value} onChange={choose} />
      {poll.anonymous ? <p className="quiet">{live.pollAnonymous}</p> : null}
      <div className="row">
        <Button type="submit" look="main" isPending={isPending} isDisabled={isEmpty}>
          {live.vote}
        </Button>
        {chosen.length === 0 ? null : (
          <Button isPending={isPending} onPress={() => void vote(EMPTY)}>
            {live.takeVoteBack}
          </Button>
        )}
      </div>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </Form>
  )
}
