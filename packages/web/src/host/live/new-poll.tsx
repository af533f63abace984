/** Form for a new poll: the input stays until the server has it. */
import type { PollKind, PollResults } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import type { ClientProps } from "./live-props.ts"

const KINDS: ReadonlyArray<PollKind> = ["single", "multi", "rating"]
const RESULTS: ReadonlyArray<PollResults> = ["live", "afterVote", "onPublish"]
const RATING = "1\n2\n3\n4\n5"

const POLL_FIELDS = ["question", "options"] as const

export const NewPoll = ({ client }: ClientProps) => {
  const { host } = useTexts()
  const [question, ask] = useState("")
  const [kind, choose] = useState<PollKind>("single")
  const [lines, write] = useState("")
  const [results, show] = useState<PollResults>("live")
  const [anonymous, hideNames] = useState(true)
  const [allowChange, allow] = useState(true)
  const { send, isPending, error } = useCommand(client)
  const options = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const { errors, left } = useFieldFaults(error, POLL_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await send("poll.create", {
      question: question.trim(),
      kind,
      options,
      anonymous,
      allowChange,
      results,
    })
    if (made === undefined) return
    ask("")
    write("")
  }
  return (
    <FieldForm
      className="panel stack"
      aria-label={host.newPoll}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <h2>{host.newPoll}</h2>
      <TextField
        name="question"
        label={host.pollQuestion}
        value={question}
        onChange={ask}
        isRequired
        maxLength={500}
        autoComplete="off"
      />
      <div className="split">
        <Choice
          label={host.pollKind}
          options={KINDS.map((one) => [one, host.pollKinds[one]] as const)}
          value={kind}
          onChange={(chosen) => {
            choose(chosen)
            if (chosen === "rating" && lines.trim() === "") write(RATING)
          }}
        />
        <Choice
          label={host.pollResults}
          options={RESULTS.map((one) => [one, host.pollResult[one]] as const)}
          value={results}
          onChange={show}
        />
      </div>
      <TextField
        name="options"
        label={host.pollOptions}
        hint={host.pollOptionsHint}
        lines={4}
        value={lines}
        onChange={write}
        isRequired
      />
      <CheckField isSelected={anonymous} onChange={hideNames}>
        {host.pollAnonymous}
      </CheckField>
      <CheckField isSelected={allowChange} onChange={allow}>
        {host.pollAllowChange}
      </CheckField>
      <FailureNotice error={left} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.newPoll}
        </Button>
      </div>
    </FieldForm>
  )
}
