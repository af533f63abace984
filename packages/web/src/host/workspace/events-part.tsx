/** Events of the workspace, newest first, and creating one. */

import { usePages } from "../../api/use-pages.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { NewEvent } from "../event/new-event.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { Paged } from "../parts/paged.tsx"

const PER_PAGE = 25

export const EventsPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
  const { moment } = useFormats()
  const pages = usePages(workspaceId, "events", (at) =>
    restOf(workspaceId).listEvents({
      query: { limit: PER_PAGE, ...at },
    }),
  )
  return (
    <>
      <NewEvent workspaceId={workspaceId} />
      <h2>{host.events}</h2>
      <Paged pages={pages} empty={host.noEvents}>
        {(events) => (
          <ul className="rows" aria-label={host.events}>
            {events.map(({ id, title, status, scheduledAt }) => (
              <li key={id} className="row row-apart">
                <span>
                  <PageLink to={`/event/${id}`}>{title}</PageLink>{" "}
                  <span className="quiet">{scheduledAt === null ? host.noTime : moment(scheduledAt)}</span>
                </span>
                <span className="badge">{host.eventStatus[status]}</span>
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </>
  )
}
