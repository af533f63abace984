/** The attendance report: each person's stay at the event. */
import { rest } from "../../api/rest.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { WideTable } from "../../ui/wide-table.tsx"
import type { EventProps } from "../event/event-page.tsx"
import { FileButton } from "../parts/file-button.tsx"
import { Paged } from "../parts/paged.tsx"
import { EngagementChart, type EngagementCounts } from "./engagement-chart.tsx"

/** The measures stand in the order of their heads. */
const countsIn = ({ questions, questionVotes, pollVotes, messages, rounds }: EngagementCounts) => [
  questions,
  questionVotes,
  pollVotes,
  messages,
  rounds,
]

export const AttendancePart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const { moment, number, span } = useFormats()
  const pages = usePages(event.id, "attendees", (at) =>
    rest.listAttendance({
      params: { id: event.id },
      query: { limit: 100, ...at },
    }),
  )
  return (
    <section className="stack" aria-label={host.attendance}>
      <div className="row">
        <FileButton path={`/v1/events/${event.id}/attendance?format=csv`} name="attendance.csv">
          {host.csv}
        </FileButton>
      </div>
      <Paged pages={pages} empty={host.noAttendance}>
        {(attendees) => (
          <>
            <EngagementChart people={attendees} />
            <WideTable
              title={host.attendance}
              heads={[
                host.name,
                host.email,
                host.role,
                host.came,
                host.stayed,
                ...Object.values(host.engagement.counts),
              ]}
              rows={attendees.map(({ participantId, name, email, role, firstJoinedAt, seconds, ...counts }) => ({
                key: participantId,
                cells: [
                  name,
                  email,
                  host.roles[role],
                  moment(firstJoinedAt),
                  span(seconds * 1000),
                  ...countsIn(counts).map(number),
                ],
              }))}
            />
          </>
        )}
      </Paged>
    </section>
  )
}
