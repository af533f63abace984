/** Exports, summary and recap of an event that has ended. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { LinkButton } from "../../ui/button.tsx"
import type { EventProps } from "../event/event-page.tsx"
import { FileButton } from "../parts/file-button.tsx"
import { SummaryForm } from "./summary-form.tsx"

const CSV = ["attendance", "registrations", "questions", "chat", "polls", "rounds", "memberships"] as const
const CAPTIONS = ["vtt", "srt", "txt"] as const

export const ExportsPart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const base = `/v1/events/${event.id}`
  return (
    <>
      <h2>{host.exports}</h2>
      <ul className="row">
        {CSV.map((name) => (
          <li key={name}>
            <FileButton path={`${base}/${name}?format=csv`} name={`${name}.csv`}>
              {host.export[name]}
            </FileButton>
          </li>
        ))}
        {CAPTIONS.map((format) => (
          <li key={format}>
            <LinkButton href={`${base}/transcript?format=${format}`} download>
              {host.transcript(format)}
            </LinkButton>
          </li>
        ))}
      </ul>
      {event.status === "ended" ? (
        <>
          <h2>{host.recap}</h2>
          <SummaryForm eventId={event.id} />
          {event.visibility === "private" ? null : (
            <div className="row">
              <LinkButton href={`/e/${event.id}`}>{host.recapPage}</LinkButton>
            </div>
          )}
        </>
      ) : null}
    </>
  )
}
