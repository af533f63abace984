/** A new event with its agenda. */
import { useState } from "react"
import { Form } from "react-aria-components"
import { useLocation } from "wouter"
import { useAction } from "../../api/use-action.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Failure } from "../parts/failure.tsx"
import { DraftAgenda } from "./draft-agenda.tsx"
import { EventFields, type EventValues, NEW_EVENT } from "./event-fields.tsx"
import { inputOf, newDraft, type PhaseDraft } from "./phase-draft.ts"

const NewEventForm = ({ workspaceId, onCancel }: { readonly workspaceId: string; readonly onCancel: () => void }) => {
  const texts = useTexts()
  const { host } = texts
  const [, navigate] = useLocation()
  const [values, change] = useState<EventValues>(NEW_EVENT)
  const [phases, arrange] = useState<ReadonlyArray<PhaseDraft>>(() => [newDraft("broadcast")])
  const { run, isPending, error } = useAction(() => {
    const { description, title, ...others } = values
    return restOf(workspaceId).createEvent({
      payload: {
        ...others,
        title: title.trim(),
        ...(description.trim() === "" ? {} : { metadata: { description: description.trim() } }),
        phases: phases.map(inputOf),
      },
    })
  })
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made !== undefined) navigate(`/event/${made.id}`)
  }
  return (
    <Form className="panel stack" aria-label={host.newEvent} onSubmit={(submitted) => void submit(submitted)}>
      <h2>{host.newEvent}</h2>
      <EventFields values={values} onChange={change} />
      <DraftAgenda phases={phases} onChange={arrange} />
      <Failure error={error} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.create}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </div>
    </Form>
  )
}

export const NewEvent = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
  const [isOpen, open] = useState(false)
  if (isOpen) return <NewEventForm workspaceId={workspaceId} onCancel={() => open(false)} />
  return (
    <div className="row">
      <Button look="main" onPress={() => open(true)}>
        {host.newEvent}
      </Button>
    </div>
  )
}
