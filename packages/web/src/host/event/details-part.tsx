/** Title, time and rules of an event, and its deletion. */
import { useState } from "react"
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { SaveRow } from "../parts/save-row.tsx"
import { Cancellation } from "./cancellation.tsx"
import { EmailPreview } from "./email-preview.tsx"
import { EVENT_FIELDS, EventFields, settingsOf, valuesOf } from "./event-fields.tsx"
import type { EventProps } from "./event-page.tsx"

export const DetailsPart = (props: EventProps) => {
  const { event, onChange } = props
  const { host } = useConsoleTexts()
  const [, navigate] = useLocation()
  const [values, change] = useState(() => valuesOf(event))
  const [isSaved, saved] = useState(false)
  const saving = useAction(() => {
    // The description that older events have in their metadata becomes a field of the event.
    const { description: kept, ...metadata } = event.metadata
    return rest.patchEvent({
      params: { id: event.id },
      payload: { ...settingsOf(values), ...(typeof kept === "string" ? { metadata } : {}) },
    })
  })
  const { errors, left } = useFieldFaults(saving.error, EVENT_FIELDS)
  const removal = useAction(() => rest.deleteEvent({ params: { id: event.id } }).then(() => true))
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    saved(false)
    const stored = await saving.run()
    if (stored === undefined) return
    onChange(stored)
    saved(true)
  }
  return (
    <>
      <FieldForm
        className="stack"
        aria-label={host.details}
        errors={errors}
        onSubmit={(submitted) => void submit(submitted)}
      >
        <EventFields values={values} onChange={change} />
        {event.status === "scheduled" ? <p className="quiet">{host.changesAreMailed}</p> : null}
        <FailureNotice error={left} />
        <SaveRow isMain isPending={saving.isPending} isSaved={isSaved} />
      </FieldForm>
      <EmailPreview eventId={event.id} />
      <div className="row">
        <Cancellation {...props} />
        <ConfirmButton
          label={host.deleteEvent}
          question={host.deleteEventQuestion(event.title)}
          isPending={removal.isPending}
          error={removal.error}
          onConfirm={async () => {
            const isDone = (await removal.run()) === true
            if (isDone) navigate(`/workspace/${event.workspaceId}`)
            return isDone
          }}
        />
      </div>
    </>
  )
}
