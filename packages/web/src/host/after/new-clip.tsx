/** Cuts a part out of a recording. */
import { useState } from "react"
import { Form } from "react-aria-components"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Failure } from "../parts/failure.tsx"
import { NumberField } from "../parts/number-field.tsx"

const MS = 1000

export const NewClip = ({
  recordingId,
  durationMs,
  onMade,
}: {
  readonly recordingId: string
  readonly durationMs: number
  readonly onMade: () => void
}) => {
  const { host } = useTexts()
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
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) === undefined) return
    write("")
    onMade()
  }
  return (
    <Form className="row text-form" aria-label={host.newClip} onSubmit={(submitted) => void submit(submitted)}>
      <TextField label={host.title} value={title} onChange={write} autoComplete="off" maxLength={200} />
      <NumberField label={host.fromSecond} minimum={0} maximum={most} value={from} onChange={begin} />
      <NumberField label={host.toSecond} minimum={1} maximum={most} value={to} onChange={end} />
      <Button type="submit" isPending={isPending}>
        {host.newClip}
      </Button>
      <Failure error={error} />
    </Form>
  )
}
