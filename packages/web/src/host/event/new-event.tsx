/** A new event with its agenda. */
import type { EventInput } from "@gathercue/client"
import { useEffect, useMemo, useRef, useState } from "react"
import { useLocation } from "wouter"
import { fieldFaultsOf } from "../../api/field-faults.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { DraftAgenda } from "./draft-agenda.tsx"
import { EVENT_FIELDS, EventFields, type EventValues, NEW_EVENT_VALUES, settingsOf, valuesOf } from "./event-fields.tsx"
import { inputOf, newDraft, PHASE_FIELDS, type PhaseDraft } from "./phase-draft.ts"
import { REPEATS, type Repeat, RepeatFields, ruleOf } from "./repeat-fields.tsx"
import { agendaOf, isTemplateName, TEMPLATE_NAMES } from "./templates.ts"

const ONCE_OR_MORE = ["none", ...REPEATS] as const
const CHOICES = ["none", ...TEMPLATE_NAMES] as const

/** Index of the first phase that the server refused; -1 without one. */
const refusedPhase = (error: unknown): number => {
  for (const path of fieldFaultsOf(error).keys()) {
    const [, place] = /^phases\.(\d+)\./.exec(path) ?? []
    if (place !== undefined) return Number(place)
  }
  return -1
}

/** A copy whose settings the server refused; another attempt changes it, and makes no second one. */
interface Copied {
  current: { readonly templateId: string; readonly id: string } | undefined
}

/** Makes the event as a copy of a template of the workspace, or with its agenda. */
const createOne = async (
  workspaceId: string,
  event: EventInput,
  templateId: string | undefined,
  copied: Copied,
): Promise<string> => {
  const api = restOf(workspaceId)
  if (templateId === undefined) return (await api.createEvent({ payload: event })).id
  const { phases: _, ...settings } = event
  if (copied.current?.templateId !== templateId) {
    const { id } = await api.cloneEvent({ params: { id: templateId }, payload: { title: event.title } })
    copied.current = { templateId, id }
  }
  const { id } = copied.current
  await api.patchEvent({ params: { id }, payload: settings })
  return id
}

/** Makes the event, or a series of it; resolves to the page of the event. */
const create = async (
  workspaceId: string,
  event: EventInput,
  templateId: string | undefined,
  { frequency, count }: Repeat<(typeof ONCE_OR_MORE)[number]>,
  copied: Copied,
): Promise<string> => {
  const id = await createOne(workspaceId, event, templateId, copied)
  if (frequency === "none") return `/event/${id}`
  const timeZone = event.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  const payload = { rrule: ruleOf({ frequency, count }), timeZone, eventId: id }
  // The event is there, so a refused series is made on the page of its series, which says what is missing.
  await restOf(workspaceId)
    .createSeries({ payload })
    .catch(() => undefined)
  return `/event/${id}/series`
}

const NewEventForm = ({ workspaceId, onCancel }: { readonly workspaceId: string; readonly onCancel: () => void }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const [, navigate] = useLocation()
  const [values, change] = useState<EventValues>(NEW_EVENT_VALUES)
  const [phases, arrange] = useState<ReadonlyArray<PhaseDraft>>(() => [newDraft("broadcast")])
  const [template, begin] = useState<string>("none")
  const own = useLoaded(workspaceId, () => restOf(workspaceId).listTemplates()).value?.templates ?? []
  const templateId = own.find(({ id }) => id === template)?.id
  const copied: Copied = useRef(undefined)
  const chosen = useRef("none")
  const [taken, take] = useState("none")
  /** The form has the settings of the template once they are here; a template that cannot be read is not chosen. */
  const takeOn = async (id: string) => {
    const event = await restOf(workspaceId)
      .getEvent({ params: { id } })
      .catch(() => undefined)
    if (chosen.current !== id) return
    if (event === undefined) {
      begin("none")
      return
    }
    take(id)
    change(({ title, scheduledAt, scheduledEndAt }) => ({ ...valuesOf(event), title, scheduledAt, scheduledEndAt }))
  }
  const [repeat, setRepeat] = useState<Repeat<(typeof ONCE_OR_MORE)[number]>>({ frequency: "none", count: 10 })
  const sent = useRef(phases)
  const { run, isPending, error } = useAction(() => {
    sent.current = phases
    const event = { ...settingsOf(values), title: values.title.trim(), phases: phases.map(inputOf) }
    return create(workspaceId, event, templateId, repeat, copied)
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
    if (made !== undefined) navigate(made)
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
      <RepeatFields options={ONCE_OR_MORE} value={repeat} onChange={setRepeat} />
      <Choice
        label={host.template}
        options={[
          ...CHOICES.map((name) => [name, host.templates[name].name] as const),
          ...own.map(({ id, name }) => [id, name] as const),
        ]}
        value={template}
        onChange={(name) => {
          begin(name)
          chosen.current = name
          choose(undefined)
          if (isTemplateName(name)) arrange(agendaOf(name))
          else if (name === "none") arrange([newDraft("broadcast")])
          else void takeOn(name)
        }}
      />
      {templateId === undefined ? (
        <DraftAgenda phases={phases} onChange={arrange} chosenKey={key} onChoose={choose} />
      ) : (
        <p className="quiet">{host.agendaOfTemplate}</p>
      )}
      <FailureNotice error={left} />
      <div className="row">
        <Button
          type="submit"
          look="main"
          isPending={isPending}
          isDisabled={templateId !== undefined && taken !== templateId}
        >
          {host.create}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </div>
    </FieldForm>
  )
}

export const NewEvent = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
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
