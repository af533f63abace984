/** Cancelling an event before its start, and taking that back. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import type { EventProps } from "./event-page.tsx"

const LONGEST_REASON = 1000

export const CancelledNotice = ({ event }: Pick<EventProps, "event">) => {
  const { host } = useConsoleTexts()
  if (event.cancelledAt === null) return null
  const text = event.cancelReason === null ? host.cancelledWithoutReason : host.cancelledFor(event.cancelReason)
  return <p className="notice">{text}</p>
}

const Reinstate = ({ event, onChange }: EventProps) => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(() => rest.reinstateEvent({ params: { id: event.id } }))
  const reinstate = async () => {
    const changed = await run()
    if (changed !== undefined) onChange(changed)
  }
  return (
    <>
      <Button isPending={isPending} onPress={() => void reinstate()}>
        {host.reinstateEvent}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}

const Cancel = ({ event, onChange }: EventProps) => {
  const { host } = useConsoleTexts()
  const [text, write] = useState("")
  const { run, isPending, error } = useAction(() => {
    const reason = text.trim()
    return rest.cancelEvent({ params: { id: event.id }, payload: reason === "" ? {} : { reason } })
  })
  return (
    <ConfirmButton
      label={host.cancelEvent}
      question={host.cancelEventQuestion}
      isPending={isPending}
      error={error}
      onConfirm={async () => {
        const changed = await run()
        if (changed !== undefined) onChange(changed)
        return changed !== undefined
      }}
    >
      <TextField
        label={host.cancelReason}
        hint={host.cancelReasonHint}
        lines={3}
        maxLength={LONGEST_REASON}
        value={text}
        onChange={write}
      />
    </ConfirmButton>
  )
}

/** A live event is ended instead. */
export const Cancellation = (props: EventProps) => {
  const { status, cancelledAt } = props.event
  if (cancelledAt !== null) return <Reinstate {...props} />
  return status === "draft" || status === "scheduled" ? <Cancel {...props} /> : null
}
