/** A new event with its agenda. */
import { useEffect, useMemo, useRef, useState } from "react"
import { useLocation } from "wouter"
import { fieldFaultsOf } from "../../api/field-faults.ts"
import { useAction } from "../../api/use-action.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { DraftAgenda } from "./draft-agenda.tsx"
import { EVENT_FIELDS, EventFields, type EventValues, NEW_EVENT_VALUES, settingsOf } from "./event-fields.tsx"
import { inputOf, newDraft, PHASE_FIELDS, type PhaseDraft } from "./phase-draft.ts"
import { agendaOf, TEMPLATE_NAMES, type TemplateName } from "./templates.ts"

const CHOICES = ["none", ...TEMPLATE_NAMES] as const

/** Index of the first phase that the server refused; -1 without one. */
const refusedPhase = (error: unknown): number => {
  for (const path of fieldFaultsOf(error).keys()) {
    const [, place] = /^phases\.(\d+)\./.exec(path) ?? []
    if (place !== undefined) return Number(place)
  }
  return -1
}

const NewEventForm = ({ workspaceId, onCancel }: { readonly workspaceId: string; readonly onCancel: () => void }) => {
  const texts = useTexts()
  const { host } = texts
  const [, navigate] = useLocation()
  const [values, change] = useState<EventValues>(NEW_EVENT_VALUES)
  const [phases, arrange] = useState<ReadonlyArray<PhaseDraft>>(() => [newDraft("broadcast")])
  const [template, begin] = useState<TemplateName | "none">("none")
  const sent = useRef(phases)
  const { run, isPending, error } = useAction(() => {
    sent.current = phases
    return restOf(workspaceId).createEvent({
      payload: {
        ...settingsOf(values),
        title: values.title.trim(),
        phases: phases.map(inputOf),
      },
    })
  })
  const [key, choose] = useState<string | undefined>(undefined)
  const place = phases.findIndex((phase) => phase.key === key)
  const names = useMemo(() => [...EVENT_FIELDS, ...PHASE_FIELDS.map((name) => `phases.${place}.${name}`)], [place])
  const { errors, left } = useFieldFaults(error, names)
  useEffect(() => {
    const refused = refusedPhase(error)
    if (refused >= 0) choose(sent.current[refused]?.key)
  }, [error])
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made !== undefined) navigate(`/event/${made.id}`)
  }
  return (
    <FieldForm
      className="panel stack"
      aria-label={host.newEvent}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <h2>{host.newEvent}</h2>
      <EventFields values={values} onChange={change} autoFocus />
      <Choice
        label={host.template}
        options={CHOICES.map((name) => [name, host.templates[name]] as const)}
        value={template}
        onChange={(name) => {
          begin(name)
          choose(undefined)
          arrange(name === "none" ? [newDraft("broadcast")] : agendaOf(name))
        }}
      />
      <DraftAgenda phases={phases} onChange={arrange} chosenKey={key} onChoose={choose} />
      <FailureNotice error={left} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.create}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </div>
    </FieldForm>
  )
}

export const NewEvent = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
  const [isOpen, open] = useState(false)
  const [isCancelled, cancelled] = useState(false)
  const cancel = () => {
    open(false)
    cancelled(true)
  }
  if (isOpen) return <NewEventForm workspaceId={workspaceId} onCancel={cancel} />
  return (
    <div className="row">
      <Button look="main" autoFocus={isCancelled} onPress={() => open(true)}>
        {host.newEvent}
      </Button>
    </div>
  )
}
