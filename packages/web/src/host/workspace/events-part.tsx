/** Events of the workspace, as a list that is searched by title and state or as a calendar, and creating one. */
import { CalendarDays, List } from "lucide-react"
import { useState } from "react"
import { usePages } from "../../api/use-pages.ts"
import { useSettled } from "../../api/use-settled.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts, useFormats, useLanguage } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"
import { NewEvent } from "../event/new-event.tsx"
import { EventStatus } from "../parts/event-status.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { Paged } from "../parts/paged.tsx"
import { EventCalendar } from "./event-calendar.tsx"
import { OwnTemplates } from "./own-templates.tsx"
import { QuickStart } from "./quick-start.tsx"

const PER_PAGE = 25
const STATES = ["draft", "scheduled", "live", "ended"] as const

/** Month and day in the reader's time zone. The row has the whole date too. */
const DateTile = ({ at }: { readonly at: string | null }) => {
  const language = useLanguage()
  const date = at === null ? undefined : new Date(at)
  return (
    <span className="date-tile" aria-hidden>
      <span>{date === undefined ? "" : new Intl.DateTimeFormat(language, { month: "short" }).format(date)}</span>
      <strong>{date === undefined ? "–" : date.getDate()}</strong>
    </span>
  )
}

const EventList = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const [words, search] = useState("")
  const [state, choose] = useState<(typeof STATES)[number] | "all">("all")
  const q = useSettled(words).trim()
  const filter = { ...(q === "" ? {} : { q }), ...(state === "all" ? {} : { status: state }) }
  const isFiltered = q !== "" || state !== "all"
  const pages = usePages(JSON.stringify([workspaceId, filter]), "events", (at) =>
    restOf(workspaceId).listEvents({ query: { limit: PER_PAGE, ...filter, ...at } }),
  )
  return (
    <>
      <div className="row">
        <TextField label={host.searchEvents} type="search" maxLength={200} value={words} onChange={search} />
        <Choice
          label={host.eventState}
          options={[["all", host.allStates], ...STATES.map((one) => [one, host.eventStatus[one]] as const)]}
          value={state}
          onChange={choose}
        />
      </div>
      <Paged pages={pages} empty={isFiltered ? host.noEventsFound : `${host.noEvents} ${host.firstEvent}`}>
        {(events) => (
          <ul className="rows" aria-label={host.events}>
            {events.map(({ id, title, status, scheduledAt, cancelledAt }) => (
              <li key={id} className="event-row">
                <DateTile at={scheduledAt} />
                <span>
                  <PageLink to={`/event/${id}`}>{title}</PageLink>
                  <span className="quiet">{scheduledAt === null ? host.noTime : moment(scheduledAt)}</span>
                </span>
                <EventStatus status={status} isCancelled={cancelledAt !== null} />
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </>
  )
}

const VIEWS = { list: List, calendar: CalendarDays } as const

export const EventsPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const [view, look] = useState<keyof typeof VIEWS>("list")
  const Shown = view === "list" ? EventList : EventCalendar
  return (
    <>
      <NewEvent workspaceId={workspaceId} />
      <QuickStart workspaceId={workspaceId} />
      <div className="row row-apart">
        <h2>{host.events}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as a group of form fields. */}
        <div className="row" role="group" aria-label={host.view}>
          {(["list", "calendar"] as const).map((name) => {
            const Icon = VIEWS[name]
            return (
              <Button key={name} look="quiet" isPressed={view === name} onPress={() => look(name)}>
                <Icon /> {host.views[name]}
              </Button>
            )
          })}
        </div>
      </div>
      <Shown workspaceId={workspaceId} />
      <OwnTemplates workspaceId={workspaceId} />
    </>
  )
}
