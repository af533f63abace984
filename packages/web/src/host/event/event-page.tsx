/** An event outside its live time: its details, its people, and its results. */
import type { EventWithPhases } from "@gathercue/client"
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { AttendancePart } from "../after/attendance-part.tsx"
import { ExportsPart } from "../after/exports-part.tsx"
import { RecordingsPart } from "../after/recordings-part.tsx"
import { useActs } from "../palette/acts.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { EventStatus } from "../parts/event-status.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { PartsPage } from "../parts/part-links.tsx"
import { AgendaPart } from "./agenda-part.tsx"
import { CancelledNotice } from "./cancellation.tsx"
import { DetailsPart } from "./details-part.tsx"
import { RegistrationFormPart, SurveyPart } from "./form-part.tsx"
import { MembershipsPart } from "./memberships-part.tsx"
import { RegistrationsPart } from "./registrations-part.tsx"
import { SeriesPart } from "./series-part.tsx"
import { SharePart } from "./share-part.tsx"
import { TemplateButton } from "./template-button.tsx"

export interface EventProps {
  readonly event: EventWithPhases
  /** Merges the server's current state of the event. */
  readonly onChange: (changed: Partial<EventWithPhases>) => void
  readonly reload: () => void
}

const AGENDA = "agenda"
const PARTS: { readonly [part: string]: React.ComponentType<EventProps> } = {
  [AGENDA]: AgendaPart,
  details: DetailsPart,
  series: SeriesPart,
  share: SharePart,
  form: RegistrationFormPart,
  registrations: RegistrationsPart,
  survey: SurveyPart,
  roles: MembershipsPart,
  attendance: AttendancePart,
  recordings: RecordingsPart,
  exports: ExportsPart,
}

const Warnings = ({ event }: Pick<EventProps, "event">) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const codes = event.warnings?.map(({ code }) => code) ?? []
  return (
    <>
      <CancelledNotice event={event} />
      {event.scheduledAt !== null && codes.includes("starts_in_past") ? (
        <p className="notice">{host.startsInPast(moment(event.scheduledAt))}</p>
      ) : null}
      {codes.includes("no_phases") ? <p className="notice">{host.publishedWithoutPhases}</p> : null}
    </>
  )
}

/** Publishes the draft, starts it, and opens the studio. An event of a later time is asked for: nobody can take its start back. */
const GoLive = ({ event: { id, phases, scheduledAt }, onChange }: EventProps) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const [, navigate] = useLocation()
  const { run, isPending, error } = useAction(async () => {
    const published = await rest.publishEvent({ params: { id } })
    try {
      await rest.startEvent({ params: { id } })
    } catch (cause) {
      onChange(published)
      throw cause
    }
    navigate(`/live/${id}`)
    return true
  })
  if (phases.length === 0) return null
  if (scheduledAt !== null && Date.parse(scheduledAt) > Date.now()) {
    const question = host.goLiveEarly(moment(scheduledAt))
    return (
      <ConfirmButton label={host.goLiveNow} question={question} isPending={isPending} error={error} onConfirm={run} />
    )
  }
  return (
    <>
      <Button isPending={isPending} onPress={() => void run()}>
        {host.goLiveNow}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}

const NextStep = (props: EventProps) => {
  const { event, onChange } = props
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(() => rest.publishEvent({ params: { id: event.id } }))
  const publish = async () => {
    const published = await run()
    if (published !== undefined) onChange(published)
  }
  if (event.status === "ended" || event.cancelledAt !== null) return null
  return (
    <>
      {event.status === "draft" ? (
        <>
          <Button look="main" isPending={isPending} onPress={() => void publish()}>
            {host.publish}
          </Button>
          <GoLive {...props} />
        </>
      ) : (
        <PageLink to={`/live/${event.id}`} look="main">
          {event.status === "live" ? host.steer : host.toLive}
        </PageLink>
      )}
      <FailureNotice error={error} />
    </>
  )
}

/** Makes a copy as a draft, in any state of the event, and opens it. */
const CopyButton = ({ event }: Pick<EventProps, "event">) => {
  const { host } = useConsoleTexts()
  const [, navigate] = useLocation()
  const { run, isPending, error } = useAction(() => rest.cloneEvent({ params: { id: event.id } }))
  const copy = async () => {
    const made = await run()
    if (made !== undefined) navigate(`/event/${made.id}`)
  }
  return (
    <>
      <Button isPending={isPending} onPress={() => void copy()}>
        {host.copyEvent}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}

export const HostEventPage = ({ eventId, tab }: { readonly eventId: string; readonly tab: string }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { value, error, isLoading, reload, replace } = useLoaded(eventId, () =>
    rest.getEvent({ params: { id: eventId } }),
  )
  const [, navigate] = useLocation()
  const parts = value === undefined ? [] : host.eventParts
  useActs(parts.map(([part, label]) => ({ id: part, label, run: () => navigate(`/event/${eventId}/${part}`) })))
  if (value === undefined) {
    return (
      <>
        {isLoading ? <p role="status">{texts.loading}</p> : null}
        <FailureNotice error={error} />
        {error === null ? null : <Button onPress={reload}>{texts.retry}</Button>}
      </>
    )
  }
  const now = tab in PARTS ? tab : AGENDA
  const Part = PARTS[now] ?? AgendaPart
  const props: EventProps = { event: value, onChange: (changed) => replace({ ...value, ...changed }), reload }
  return (
    <>
      <p>
        <PageLink to={`/workspace/${value.workspaceId}`}>{host.events}</PageLink>
      </p>
      <div className="row row-apart">
        <PageTitle>{value.title}</PageTitle>
        <EventStatus status={value.status} isCancelled={value.cancelledAt !== null} />
      </div>
      <Warnings event={value} />
      <div className="row">
        <NextStep {...props} />
        <CopyButton event={value} />
        <TemplateButton event={value} />
      </div>
      <FailureNotice error={error} />
      <PartsPage label={value.title} base={`/event/${eventId}`} parts={host.eventParts} now={now}>
        <Part {...props} />
      </PartsPage>
    </>
  )
}
