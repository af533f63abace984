/** Form for the summary shown in the recap. */
import { useEffect, useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { SaveRow } from "../parts/save-row.tsx"

const FIELDS = ["text"] as const

export const SummaryForm = ({ eventId }: { readonly eventId: string }) => {
  const { host } = useConsoleTexts()
  const recap = useLoaded(eventId, () => rest.getRecap({ params: { id: eventId } }))
  const [text, write] = useState("")
  const [isSaved, saved] = useState(false)
  const stored = recap.value?.summary?.text
  useEffect(() => {
    if (stored !== undefined) write(stored)
  }, [stored])
  const { run, isPending, error } = useAction(() =>
    rest.putSummary({ params: { id: eventId }, payload: { text: text.trim() } }),
  )
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    saved((await run()) !== undefined)
  }
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <TextField
        name="text"
        label={host.summary}
        hint={host.summaryHint}
        lines={6}
        value={text}
        onChange={(next) => {
          write(next)
          saved(false)
        }}
        maxLength={5000}
      />
      <FailureNotice error={left ?? recap.error} />
      <SaveRow isDisabled={text.trim() === ""} isPending={isPending} isSaved={isSaved} />
    </FieldForm>
  )
}
