/** Form for cutting a clip out of a recording. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { NumberField } from "../parts/number-field.tsx"

const MS = 1000

const CLIP_FIELDS = ["title", "startMs", "endMs"] as const

export const NewClip = ({
  recordingId,
  durationMs,
  onMade,
}: {
  readonly recordingId: string
  readonly durationMs: number
  readonly onMade: () => void
}) => {
  const { host } = useConsoleTexts()
  const most = Math.ceil(durationMs / MS)
  const [title, write] = useState("")
  const [from, begin] = useState<number | undefined>(0)
  const [to, end] = useState<number | undefined>(Math.min(most, 30))
  const { run, isPending, error } = useAction(() =>
    rest.createClip({
      params: { id: recordingId },
      payload: {
        startMs: (from ?? 0) * MS,
        endMs: Math.min(durationMs, (to ?? most) * MS),
        ...(title.trim() === "" ? {} : { title: title.trim() }),
      },
    }),
  )
  const { errors, left } = useFieldFaults(error, CLIP_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) === undefined) return
    write("")
    onMade()
  }
  return (
    <FieldForm
      className="row text-form"
      aria-label={host.newClip}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <TextField name="title" label={host.title} value={title} onChange={write} autoComplete="off" maxLength={200} />
      <NumberField name="startMs" label={host.fromSecond} minimum={0} maximum={most} value={from} onChange={begin} />
      <NumberField name="endMs" label={host.toSecond} minimum={1} maximum={most} value={to} onChange={end} />
      <Button type="submit" isPending={isPending}>
        {host.newClip}
      </Button>
      <FailureNotice error={left} />
    </FieldForm>
  )
}
