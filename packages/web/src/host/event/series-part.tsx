/** The series of an event: its events, changes of this one and later, and making a series of the event. */
import type { SeriesWithEvents } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { SaveRow } from "../parts/save-row.tsx"
import type { EventProps } from "./event-page.tsx"
import { REPEATS, type Repeat, RepeatFields, ruleOf } from "./repeat-fields.tsx"

const MAKING_FIELDS = ["rrule", "timeZone"] as const
const CHANGE_FIELDS = ["changes.title", "startTime"] as const

const findSeries = async ({ id, workspaceId }: EventProps["event"]): Promise<SeriesWithEvents | null> => {
  const { series } = await restOf(workspaceId).listSeries({ query: { eventId: id } })
  const [own] = series
  return own === undefined ? null : rest.getSeries({ params: { id: own.id } })
}

const MakeSeries = ({
  event,
  onMade,
}: Pick<EventProps, "event"> & { readonly onMade: (series: SeriesWithEvents) => void }) => {
  const { host } = useConsoleTexts()
  const [repeat, choose] = useState<Repeat>({ frequency: "WEEKLY", count: 10 })
  const timeZone = event.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  const { run, isPending, error } = useAction(() =>
    restOf(event.workspaceId).createSeries({ payload: { rrule: ruleOf(repeat), timeZone, eventId: event.id } }),
  )
  const { errors, left } = useFieldFaults(error, MAKING_FIELDS)
  if (event.scheduledAt === null) return <p>{host.seriesNeedsTime}</p>
  if (event.status === "live" || event.status === "ended") return <p>{host.noSeries}</p>
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made !== undefined) onMade(made)
  }
  return (
    <FieldForm className="stack" aria-label={host.series} errors={errors} onSubmit={(event) => void submit(event)}>
      <p>{host.seriesHint(timeZone)}</p>
      <RepeatFields options={REPEATS} value={repeat} onChange={choose} />
      <FailureNotice error={left} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.makeSeries}
        </Button>
      </div>
    </FieldForm>
  )
}

interface SeriesProps extends EventProps {
  readonly series: SeriesWithEvents
  readonly onSeries: (series: SeriesWithEvents) => void
}

/** Title and time of this event and later ones, or of all. */
const ChangeForm = ({ event, series, onSeries, reload }: SeriesProps) => {
  const { host } = useConsoleTexts()
  const [scope, choose] = useState<"later" | "all">("later")
  const [title, name] = useState(event.title)
  const [startTime, begin] = useState("")
  const [isSaved, saved] = useState(false)
  const { run, isPending, error } = useAction(() =>
    rest.patchSeries({
      params: { id: series.id },
      payload: {
        ...(scope === "later" ? { from: event.id } : {}),
        ...(startTime === "" ? {} : { startTime }),
        changes: { title: title.trim() },
      },
    }),
  )
  const { errors, left } = useFieldFaults(error, CHANGE_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    saved(false)
    const changed = await run()
    if (changed === undefined) return
    onSeries(changed)
    saved(changed.refused.length === 0)
    reload()
  }
  return (
    <FieldForm
      className="stack"
      aria-label={host.changeSeries}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <h3>{host.changeSeries}</h3>
      <Choice
        label={host.seriesScope}
        options={[
          ["later", host.thisAndLater],
          ["all", host.allOfSeries],
        ]}
        value={scope}
        onChange={choose}
      />
      <TextField name="changes.title" label={host.title} value={title} onChange={name} isRequired maxLength={300} />
      <TextField
        name="startTime"
        label={host.seriesTime}
        hint={host.seriesTimeHint(series.timeZone)}
        value={startTime}
        onChange={begin}
        maxLength={5}
      />
      <FailureNotice error={left} />
      <SaveRow isPending={isPending} isSaved={isSaved} />
    </FieldForm>
  )
}

const Series = (props: SeriesProps) => {
  const { event, series, onSeries, reload } = props
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const publishing = useAction(() => rest.publishSeries({ params: { id: series.id } }))
  const ending = useAction(() => rest.endSeries({ params: { id: series.id }, payload: { from: event.id } }))
  const show = (changed: SeriesWithEvents | undefined): boolean => {
    if (changed === undefined) return false
    onSeries(changed)
    reload()
    return true
  }
  return (
    <>
      <ul className="rows" aria-label={host.series}>
        {series.events.map(({ id, title, status, scheduledAt, cancelledAt }) => (
          <li key={id} className="row row-apart">
            <span>
              {id === event.id ? <strong>{title}</strong> : <PageLink to={`/event/${id}/series`}>{title}</PageLink>}{" "}
              <span className="quiet">{scheduledAt === null ? host.noTime : moment(scheduledAt)}</span>
            </span>
            <span className="badge">{cancelledAt === null ? host.eventStatus[status] : host.cancelled}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        {series.events.some(({ status }) => status === "draft") ? (
          <Button look="main" isPending={publishing.isPending} onPress={() => void publishing.run().then(show)}>
            {host.publishSeries}
          </Button>
        ) : null}
        <LinkButton href={`/v1/public/series/${series.id}/calendar.ics`} download>
          {host.seriesCalendar}
        </LinkButton>
        <ConfirmButton
          label={host.endSeries}
          question={host.endSeriesQuestion}
          isPending={ending.isPending}
          error={ending.error}
          onConfirm={async () => show(await ending.run())}
        />
      </div>
      <FailureNotice error={publishing.error} />
      <ChangeForm {...props} />
    </>
  )
}

export const SeriesPart = (props: EventProps) => {
  const { event } = props
  const texts = useConsoleTexts()
  const { value, error, isLoading, reload, replace } = useLoaded(event.id, () => findSeries(event))
  if (value === undefined) {
    return (
      <>
        {isLoading ? <p role="status">{texts.loading}</p> : null}
        <FailureNotice error={error} />
        {error === null ? null : <Button onPress={reload}>{texts.retry}</Button>}
      </>
    )
  }
  if (value === null) return <MakeSeries event={event} onMade={replace} />
  return <Series {...props} series={value} onSeries={replace} />
}
