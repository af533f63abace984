/** Form for a new poll: the input stays until the server has it. */
import type { PollKind, PollResults } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { isWritten } from "../../live/poll-kinds.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import type { ClientProps } from "./live-props.ts"

const KINDS: ReadonlyArray<PollKind> = ["single", "multi", "rating", "ranking", "text", "wordcloud", "quiz"]
const RESULTS: ReadonlyArray<PollResults> = ["live", "afterVote", "onPublish"]
const RATING = "1\n2\n3\n4\n5"

/** The first character of a right answer of a quiz. */
const RIGHT = "*"

const POLL_FIELDS = ["question", "options", "correct", "blocked"] as const

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Fields that only polls of this kind have. */
const ownFields = (kind: PollKind, lines: ReadonlyArray<string>, blocked: ReadonlyArray<string>) => {
  if (isWritten(kind)) return { options: [], ...(blocked.length === 0 ? {} : { blocked }) }
  if (kind !== "quiz") return { options: lines }
  return {
    options: lines.map((line) => (line.startsWith(RIGHT) ? line.slice(1).trim() : line)),
    correct: lines.flatMap((line, at) => (line.startsWith(RIGHT) ? [at + 1] : [])),
  }
}

export const NewPoll = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const [question, ask] = useState("")
  const [kind, choose] = useState<PollKind>("single")
  const [lines, write] = useState("")
  const [results, show] = useState<PollResults>("live")
  const [anonymous, hideNames] = useState(true)
  const [allowChange, allow] = useState(true)
  const { send, isPending, error } = useCommand(client)
  const [blocked, block] = useState("")
  const { errors, left } = useFieldFaults(error, POLL_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await send("poll.create", {
      question: question.trim(),
      kind,
      ...ownFields(kind, linesOf(lines), linesOf(blocked)),
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
            if ((chosen === "quiz") === (kind === "quiz")) return
            // The board of a quiz names people, and its counts would tell which option leads.
            hideNames(chosen !== "quiz")
            show(chosen === "quiz" ? "afterVote" : "live")
          }}
        />
        <Choice
          label={host.pollResults}
          options={RESULTS.map((one) => [one, host.pollResult[one]] as const)}
          value={results}
          onChange={show}
        />
      </div>
      {isWritten(kind) ? (
        <TextField
          name="blocked"
          label={host.pollBlocked}
          hint={host.pollBlockedHint}
          lines={2}
          value={blocked}
          onChange={block}
        />
      ) : (
        <TextField
          name="options"
          label={host.pollOptions}
          hint={kind === "quiz" ? host.quizOptionsHint : host.pollOptionsHint}
          lines={4}
          value={lines}
          onChange={write}
          isRequired
        />
      )}
      <CheckField isSelected={anonymous} onChange={hideNames}>
        {host.pollAnonymous}
      </CheckField>
      {kind === "quiz" ? null : (
        <CheckField isSelected={allowChange} onChange={allow}>
          {host.pollAllowChange}
        </CheckField>
      )}
      <FailureNotice error={left} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.newPoll}
        </Button>
      </div>
    </FieldForm>
  )
}
