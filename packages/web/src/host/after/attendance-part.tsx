/** The attendance report: each person's stay at the event. */
import { rest } from "../../api/rest.ts"
import { usePages } from "../../api/use-pages.ts"
import { useFormats, useTexts } from "../../texts/language.tsx"
import type { EventProps } from "../event/event-page.tsx"
import { FileButton } from "../parts/file-button.tsx"
import { Paged } from "../parts/paged.tsx"

export const AttendancePart = ({ event }: EventProps) => {
  const { host } = useTexts()
  const { moment, span } = useFormats()
  const pages = usePages(event.id, async (cursor) => {
    const page = await rest.listAttendance({
      params: { id: event.id },
      query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    })
    if (typeof page === "string") throw new Error("the list is CSV")
    return { items: page.attendees, nextCursor: page.nextCursor }
  })
  return (
    <section className="stack" aria-label={host.attendance}>
      <div className="row">
        <FileButton path={`/v1/events/${event.id}/attendance?format=csv`} name="attendance.csv">
          {host.csv}
        </FileButton>
      </div>
      <Paged pages={pages} empty={host.noAttendance}>
        {(attendees) => (
          // A scrolling region has to be reachable by keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: as said.
          <section className="wide" tabIndex={0} aria-label={host.attendance}>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">{host.name}</th>
                  <th scope="col">{host.email}</th>
                  <th scope="col">{host.role}</th>
                  <th scope="col">{host.came}</th>
                  <th scope="col">{host.stayed}</th>
                </tr>
              </thead>
              <tbody>
                {attendees.map(({ participantId, name, email, role, firstJoinedAt, seconds }) => (
                  <tr key={participantId}>
                    <td>{name}</td>
                    <td>{email}</td>
                    <td>{host.roles[role]}</td>
                    <td>{moment(firstJoinedAt)}</td>
                    <td>{span(seconds * 1000)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </Paged>
    </section>
  )
}
