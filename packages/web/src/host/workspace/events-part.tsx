/** Events of the workspace, newest first, searched by title and state, and creating one. */
import { useState } from "react"
import { usePages } from "../../api/use-pages.ts"
import { useSettled } from "../../api/use-settled.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"
import { NewEvent } from "../event/new-event.tsx"
import { EventStatus } from "../parts/event-status.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { Paged } from "../parts/paged.tsx"
import { OwnTemplates } from "./own-templates.tsx"

const PER_PAGE = 25
const STATES = ["draft", "scheduled", "live", "ended"] as const

export const EventsPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
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
      <NewEvent workspaceId={workspaceId} />
      <h2>{host.events}</h2>
      <div className="row">
        <TextField label={host.searchEvents} type="search" maxLength={200} value={words} onChange={search} />
        <Choice
          label={host.eventState}
          options={[["all", host.allStates], ...STATES.map((one) => [one, host.eventStatus[one]] as const)]}
          value={state}
          onChange={choose}
        />
      </div>
      <Paged pages={pages} empty={isFiltered ? host.noEventsFound : host.noEvents}>
        {(events) => (
          <ul className="rows" aria-label={host.events}>
            {events.map(({ id, title, status, scheduledAt, cancelledAt }) => (
              <li key={id} className="row row-apart">
                <span>
                  <PageLink to={`/event/${id}`}>{title}</PageLink>{" "}
                  <span className="quiet">{scheduledAt === null ? host.noTime : moment(scheduledAt)}</span>
                </span>
                <EventStatus status={status} isCancelled={cancelledAt !== null} />
              </li>
            ))}
          </ul>
        )}
      </Paged>
      <OwnTemplates workspaceId={workspaceId} />
    </>
  )
}
